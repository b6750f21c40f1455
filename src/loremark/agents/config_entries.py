"""Configuration entries that several agents share: hooks and MCP servers."""

from __future__ import annotations

from typing import Any

from loremark.agents.agent import KEY_VARIABLE, SetupOptions
from loremark.agents.changes import Change, Element, Member

# Hook timeouts in seconds. The hook takes a fraction of that, unless it has to fetch a briefing.
EVENTS: dict[str, int] = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PostToolUse": 5,
    "PreCompact": 5,
    "Stop": 5,
    "SessionEnd": 3,
}
# Claude Code and Copilot report failed tools in an event of their own, which Codex would reject the whole file for.
_FAILURE_SECONDS = 5
CLAUDE_EVENTS = {**EVENTS, "PostToolUseFailure": _FAILURE_SECONDS}


def grouped_hooks(command: str, events: dict[str, int], under: tuple[str, ...] = ("hooks",)) -> list[Change]:
    """Return hooks in Claude's format, which Codex and Devin use too."""
    return [
        Element((*under, event), {"hooks": [{"type": "command", "command": command, "timeout": seconds}]})
        for event, seconds in events.items()
    ]


def copilot_hooks(command: str) -> list[Change]:
    """Return hooks for ``.github/hooks/*.json``, read by Copilot CLI, its cloud agent and VS Code.

    Copilot's payload does not name the event, so the command does.
    """
    names = ("sessionStart", "userPromptSubmitted", "postToolUse", "preCompact", "agentStop", "sessionEnd")
    timeouts = {**dict(zip(names, EVENTS.values(), strict=True)), "postToolUseFailure": _FAILURE_SECONDS}
    hooks: list[Change] = [
        Element(("hooks", name), {"type": "command", "command": f"{command} {name}", "timeoutSec": seconds})
        for name, seconds in timeouts.items()
    ]
    return [Member(("version",), 1, only_if_absent=True), *hooks]


def stdio_server(options: SetupOptions, **more: Any) -> dict[str, Any]:
    """Return the entry for the local bridge."""
    return {"type": "stdio", "command": options.executable, "args": ["mcp"], **more}


def http_server(options: SetupOptions, variable: str = "${" + KEY_VARIABLE + "}", **more: Any) -> dict[str, Any]:
    """Return the entry for the server's HTTP endpoint."""
    return {"type": "http", "url": options.server.url, "headers": options.bearer(variable), **more}


def mcp_server(options: SetupOptions, variable: str = "${" + KEY_VARIABLE + "}", **more: Any) -> dict[str, Any]:
    return stdio_server(options, **more) if options.server.url is None else http_server(options, variable, **more)
