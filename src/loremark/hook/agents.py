"""Detect which agent sent a payload and for which event. Uses the payload, since agents run each other's hooks."""

from __future__ import annotations

import os

from loremark.hook import spool

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE = "claude-code", "codex", "gemini", "copilot", "opencode"
CLINE, CURSOR, VSCODE, WINDSURF, QWEN = "cline", "cursor", "vscode", "windsurf", "qwen"
AGENTS = frozenset((CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE, CLINE, CURSOR, VSCODE, WINDSURF, QWEN))
# Agents that don't report the end of a session.
WITHOUT_SESSION_END = frozenset((OPENCODE, CLINE, WINDSURF))
_HINT_ALIASES = {"claude": CLAUDE, "devin": WINDSURF, "copilot-cli": COPILOT, "gemini-cli": GEMINI, "code": VSCODE}

_START, _PROMPT, _TOOL = spool.SESSION_START, spool.PROMPT, spool.TOOL
_TURN, _COMPACT, _END = spool.TURN_END, spool.COMPACT, spool.SESSION_END
_CLAUDE_EVENTS = {
    "SessionStart": _START,
    "UserPromptSubmit": _PROMPT,
    "PostToolUse": _TOOL,
    "PostToolUseFailure": _TOOL,
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
        "AfterAgent": _TURN,  # not PreCompress, which fires before every request
        "SessionEnd": _END,
    },
    COPILOT: {
        **_CLAUDE_EVENTS,
        "sessionStart": _START,
        "userPromptSubmitted": _PROMPT,
        "postToolUse": _TOOL,
        "postToolUseFailure": _TOOL,
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
# Cline's CLI and extension name events differently, but each event has its own field.
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
_SESSION_FIELDS = ("session_id", "sessionId", "conversation_id", "taskId", "trajectory_id", "thread-id", "session")


def detect(payload: Payload, hint: str = "") -> str:
    """Return the agent's name. The hint only decides between agents with identical payloads."""
    value = payload.get("agent")
    if "loremark" in payload and value in AGENTS:
        return str(value)
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
    return _detect_claude_like(payload, _HINT_ALIASES.get(hint, hint))


def _detect_claude_like(payload: Payload, hint: str) -> str:
    event = first_text(payload, "hook_event_name")
    transcript = first_text(payload, "transcript_path").replace("\\", "/")
    for agent, path_part in _TRANSCRIPT_PATHS:
        if path_part in transcript:
            return agent
    if event not in _CLAUDE_EVENTS and event in _EVENTS[GEMINI]:
        return GEMINI
    if "timestamp" in payload:
        # Claude Code and Codex send no timestamp. VS Code always sends a transcript, Copilot only on Stop.
        if hint in (GEMINI, QWEN, WINDSURF):
            return hint
        return VSCODE if transcript and event != "Stop" else COPILOT
    if "turn_id" in payload:
        return CODEX
    return hint if hint in (CODEX, QWEN, WINDSURF) and not transcript else CLAUDE


_TRANSCRIPT_PATHS = (
    (GEMINI, "/.gemini/"),
    (CODEX, "/.codex/"),
    (CODEX, "/rollout-"),
    (QWEN, "/.qwen/"),
    (COPILOT, "/.copilot/"),
    (CLAUDE, "/.claude/"),
)


def record_kind(agent: str, payload: Payload, event: str = "") -> str | None:
    """Return the kind of record to keep, or None. ``event`` is the name passed as an argument, if any."""
    if "loremark" in payload:
        kind = first_text(payload, "event")
        return kind if kind in spool.KINDS else None
    if agent == CLINE:
        end = _END if first_text(payload, "hookName") in ("session_shutdown", "SessionShutdown") else None
        return next((kind for name, kind in _CLINE_FIELDS.items() if name in payload), end)
    events = _EVENTS.get(agent, {})
    for name in ("hook_event_name", "hookEventName", "hookName", "agent_action_name", "type"):
        value = payload.get(name)
        if isinstance(value, str):
            return events.get(value)
    if event:
        return events.get(event)
    return _kind_by_fields(payload)


def _kind_by_fields(payload: Payload) -> str | None:
    """Identify Copilot's events, which are unnamed, by a field that only that event has."""
    if "toolName" in payload:
        return _TOOL if "toolResult" in payload or "error" in payload else None
    if "stopReason" in payload:
        return _TURN
    if "prompt" in payload:
        return _PROMPT
    if "reason" in payload:
        return _END
    return _START if "source" in payload or "initialPrompt" in payload else None


def working_folder(payload: dict[str, Any]) -> str:
    """Return the agent's working folder, or an empty string."""
    found = first_text(payload, "cwd")
    for name in ("workspace_roots", "workspaceRoots"):
        roots = payload.get(name)
        if not found and isinstance(roots, list) and roots and isinstance(roots[0], str):
            found = roots[0]
    return found if os.path.isabs(found) and "\0" not in found else ""


def session_id(payload: Payload) -> str:
    """Return the agent's own session ID, or an empty string."""
    return first_text(payload, *_SESSION_FIELDS)


def first_text(holder: Any, *names: str) -> str:
    """Return the first of these fields that is a non-empty string."""
    if isinstance(holder, dict):
        for name in names:
            value = holder.get(name)
            if isinstance(value, str) and value:
                return value
    return ""
