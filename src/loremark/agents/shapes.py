"""The shapes several agents share: hooks in groups or flat, servers under ``mcpServers``."""

from __future__ import annotations

from typing import Any

from loremark.agents.agent import KEY_VARIABLE, Wish
from loremark.agents.changes import Change, Element, Member

# Seconds an agent waits for us. The hook needs a fraction of one; a briefing may have to be fetched.
EVENTS: dict[str, int] = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PostToolUse": 5,
    "PreCompact": 5,
    "Stop": 5,
    "SessionEnd": 3,
}


def grouped_hooks(command: str, events: dict[str, int], under: tuple[str, ...] = ("hooks",)) -> list[Change]:
    """Claude's shape, spoken by Codex and Devin too."""
    return [
        Element((*under, event), {"hooks": [{"type": "command", "command": command, "timeout": seconds}]})
        for event, seconds in events.items()
    ]


def copilot_hooks(command: str) -> list[Change]:
    """``.github/hooks/*.json``, read by Copilot CLI, the cloud agent and VS Code.

    Copilot's payload does not name the event, so the command does.
    """
    names = ("sessionStart", "userPromptSubmitted", "postToolUse", "preCompact", "agentStop", "sessionEnd")
    hooks: list[Change] = [
        Element(("hooks", name), {"type": "command", "command": f"{command} {name}", "timeoutSec": seconds})
        for name, seconds in zip(names, EVENTS.values(), strict=True)
    ]
    return [Member(("version",), 1, only_if_absent=True), *hooks]


def stdio(wish: Wish, **more: Any) -> dict[str, Any]:
    """The bridge on this machine."""
    return {"type": "stdio", "command": wish.executable, "args": ["mcp"], **more}


def http(wish: Wish, variable: str = "${" + KEY_VARIABLE + "}", **more: Any) -> dict[str, Any]:
    """The service's own endpoint."""
    return {"type": "http", "url": wish.server.url, "headers": wish.bearer(variable), **more}


def server(wish: Wish, variable: str = "${" + KEY_VARIABLE + "}", **more: Any) -> dict[str, Any]:
    return stdio(wish, **more) if wish.server.url is None else http(wish, variable, **more)
