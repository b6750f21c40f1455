"""The environment of a headless agent: the person's, without our key and without traces of the current session."""

from __future__ import annotations

import os
import re

from loremark.hook.hook import HEADLESS

CALL = "LOREMARK_HEADLESS_CALL"
"""Identifies the call in the environment of its processes, also of those that left the process group."""
# Our key must not reach an agent. Most other names tell a nested agent that it is part of a session: it would refuse
# to start, report to that session, or find its sockets.
_DROPPED = re.compile(
    r"LOREMARK_.*|PWD|OLDPWD|AGENT|AI_AGENT|FORCE_COLOR|NoDefaultCurrentDirectoryInExePath"
    r"|CLAUDECODE|CLAUDE_(PID|EFFORT|ENV_FILE|PROJECT_DIR|PLUGIN_(ROOT|DATA)|JOB_DIR)"
    r"|CLAUDE_CODE_(CHILD_SESSION|ENTRYPOINT|EXECPATH|MESSAGING_\w+|SESSION_\w+|SSE_PORT|FORCE_SESSION_PERSISTENCE)"
    r"|CODEX_(CI|VERSION|SESSION_ID|THREAD_ID|TOOL_CALL_ID|SANDBOX\w*|MANAGED_\w+|INTERNAL_\w+|EXEC_SERVER_\w+)"
    r"|GEMINI_(CLI|CWD|PLANS_DIR|PROJECT_DIR|SESSION_ID|SANDBOX|SYSTEM_MD|CLI_NO_RELAUNCH|CLI_IDE_\w+)"
    r"|QWEN_CODE|QWEN_(PROJECT_DIR|SANDBOX|SYSTEM_MD|CODE_SESSION_ID|CODE_PROJECT_DIR|CODE_IDE_\w+)"
    r"|COPILOT_(CLI|CLI_\w+|HOOK_DIR|PROJECT_DIR|ALLOW_ALL|AGENT_\w+)"
    r"|OPENCODE|OPENCODE_(PID|CLIENT|ROUTE|SERVER_\w+|WORKSPACE_ID)"
    r"|CLINE_(BUILD_ENV|CONNECTOR_\w+|RUN_AS_HUB_DAEMON|HUB_\w+|HOOK\w*|TOOL_APPROVAL_\w+)"
)


def is_headless() -> bool:
    """Return whether this process was started by a headless agent."""
    return bool(os.environ.get(HEADLESS))


def build(call_id: str, temporary: str, ceiling: str) -> dict[str, str]:
    """Return the environment with a private folder for temporary files; git doesn't look above ``ceiling``."""
    kept = {name: value for name, value in os.environ.items() if not _DROPPED.fullmatch(name)}
    return {
        **kept,
        HEADLESS: "1",
        CALL: call_id,
        "TMPDIR": temporary,
        "GIT_CEILING_DIRECTORIES": ceiling,
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
