"""Which agent speaks, and of what: told from the payload alone, since agents run each other's hooks."""

from __future__ import annotations

import os

from loremark.hook import spool

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE = "claude-code", "codex", "gemini", "copilot", "opencode"
CLINE, CURSOR, VSCODE, WINDSURF, QWEN = "cline", "cursor", "vscode", "windsurf", "qwen"
AGENTS = frozenset((CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE, CLINE, CURSOR, VSCODE, WINDSURF, QWEN))
# They do not tell when a session ends.
NEVER_ENDING = frozenset((OPENCODE, CLINE, WINDSURF))
_HINTS = {"claude": CLAUDE, "devin": WINDSURF, "copilot-cli": COPILOT, "gemini-cli": GEMINI, "code": VSCODE}

_START, _PROMPT, _TOOL = spool.SESSION_START, spool.PROMPT, spool.TOOL
_TURN, _COMPACT, _END = spool.TURN_END, spool.COMPACT, spool.SESSION_END
_CLAUDE_EVENTS = {
    "SessionStart": _START,
    "UserPromptSubmit": _PROMPT,
    "PostToolUse": _TOOL,
    "Stop": _TURN,
    "PreCompact": _COMPACT,
    "SessionEnd": _END,
}
_EVENTS: dict[str, dict[str, str]] = {
    CLAUDE: _CLAUDE_EVENTS,
    CODEX: {**_CLAUDE_EVENTS, "agent-turn-complete": _TURN},
    QWEN: _CLAUDE_EVENTS,
    VSCODE: _CLAUDE_EVENTS,
    GEMINI: {
        "SessionStart": _START,
        "BeforeAgent": _PROMPT,
        "AfterTool": _TOOL,
        "AfterAgent": _TURN,  # not PreCompress, which it tells before every request
        "SessionEnd": _END,
    },
    COPILOT: {
        **_CLAUDE_EVENTS,
        "sessionStart": _START,
        "userPromptSubmitted": _PROMPT,
        "postToolUse": _TOOL,
        "agentStop": _TURN,
        "sessionEnd": _END,
        "preCompact": _COMPACT,
    },
    CURSOR: {
        "sessionStart": _START,
        "beforeSubmitPrompt": _PROMPT,
        "postToolUse": _TOOL,
        "afterFileEdit": _TOOL,
        "afterShellExecution": _TOOL,
        "afterMCPExecution": _TOOL,
        "afterAgentResponse": spool.ANSWER,
        "stop": _TURN,
        "preCompact": _COMPACT,
        "sessionEnd": _END,
    },
    WINDSURF: {
        **_CLAUDE_EVENTS,
        "pre_user_prompt": _PROMPT,
        "post_write_code": _TOOL,
        "post_run_command": _TOOL,
        "post_mcp_tool_use": _TOOL,
        "post_cascade_response": _TURN,
    },
}
# Cline's command line and its extension name their events differently; each has a field of its own.
_CLINE_FIELDS = {
    "taskStart": _START,
    "taskResume": _START,
    "userPromptSubmit": _PROMPT,
    "postToolUse": _TOOL,
    "preCompact": _COMPACT,
    "taskComplete": _TURN,
    "taskCancel": _END,
    "sessionShutdown": _END,
}
_SESSIONS = ("session_id", "sessionId", "conversation_id", "taskId", "trajectory_id", "thread-id", "session")


def detect(payload: Payload, hint: str = "") -> str:
    """The agent; the hint (an argument) decides only among those that a payload does not tell apart."""
    told = payload.get("agent")
    if "loremark" in payload and told in AGENTS:
        return str(told)
    if payload.get("type") == "agent-turn-complete":
        return CODEX
    if "agent_action_name" in payload:
        return WINDSURF
    if "taskId" in payload or "clineVersion" in payload:
        return CLINE
    if "cursor_version" in payload or "conversation_id" in payload:
        return CURSOR
    if "sessionId" in payload:
        return VSCODE if "hookEventName" in payload else COPILOT
    return _among_claudes(payload, _HINTS.get(hint, hint))


def _among_claudes(payload: Payload, hint: str) -> str:
    event = text(payload, "hook_event_name")
    transcript = text(payload, "transcript_path").replace("\\", "/")
    for agent, sign in _TRANSCRIPTS:
        if sign in transcript:
            return agent
    if event not in _CLAUDE_EVENTS and event in _EVENTS[GEMINI]:
        return GEMINI
    if "timestamp" in payload:
        # Claude Code and Codex tell no time; VS Code tells a transcript, which Copilot does at the end only.
        if hint in (GEMINI, QWEN, WINDSURF):
            return hint
        return VSCODE if transcript and event != "Stop" else COPILOT
    if "turn_id" in payload:
        return CODEX
    return hint if hint in (CODEX, QWEN, WINDSURF) and not transcript else CLAUDE


_TRANSCRIPTS = (
    (GEMINI, "/.gemini/"),
    (CODEX, "/.codex/"),
    (CODEX, "/rollout-"),
    (QWEN, "/.qwen/"),
    (COPILOT, "/.copilot/"),
    (CLAUDE, "/.claude/"),
)


def kind_of(agent: str, payload: Payload, event: str = "") -> str | None:
    """What kind of record it makes; None for nothing to keep. ``event``: its name, where an argument told it."""
    if "loremark" in payload:
        kind = text(payload, "event")
        return kind if kind in spool.KINDS else None
    if agent == CLINE:
        end = _END if text(payload, "hookName") in ("session_shutdown", "SessionShutdown") else None
        return next((kind for name, kind in _CLINE_FIELDS.items() if name in payload), end)
    events = _EVENTS.get(agent, {})
    for name in ("hook_event_name", "hookEventName", "hookName", "agent_action_name", "type"):
        told = payload.get(name)
        if isinstance(told, str):
            return events.get(told)
    if event:
        return events.get(event)
    return _kind_by_fields(payload)


def _kind_by_fields(payload: Payload) -> str | None:
    """Copilot's own hooks do not name the event: each has a field that no other has."""
    if "toolName" in payload:
        return _TOOL if "toolResult" in payload else None
    if "stopReason" in payload:
        return _TURN
    if "prompt" in payload:
        return _PROMPT
    if "reason" in payload:
        return _END
    return _START if "source" in payload or "initialPrompt" in payload else None


def folder_of(payload: dict[str, Any]) -> str:
    """Where the agent works; empty where it does not tell."""
    found = text(payload, "cwd")
    for name in ("workspace_roots", "workspaceRoots"):
        roots = payload.get(name)
        if not found and isinstance(roots, list) and roots and isinstance(roots[0], str):
            found = roots[0]
    return found if os.path.isabs(found) and "\0" not in found else ""


def session_of(payload: Payload) -> str:
    """The agent's own name for its session; empty where it does not tell."""
    return text(payload, *_SESSIONS)


def text(holder: Any, *names: str) -> str:
    """The first of these fields that holds words."""
    if isinstance(holder, dict):
        for name in names:
            value = holder.get(name)
            if isinstance(value, str) and value:
                return value
    return ""
