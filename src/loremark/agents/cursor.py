"""Cursor."""

from __future__ import annotations

import os

from loremark.agents import shapes
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Change, Element, Member

NAME = "cursor"
_NAMES = {
    "sessionStart": 10,
    "beforeSubmitPrompt": 5,
    "postToolUse": 5,
    "afterAgentResponse": 5,
    "preCompact": 5,
    "stop": 5,
    "sessionEnd": 3,
}


def _folder(places: Places) -> str:
    return os.path.join(places.home, ".cursor")


def _hooks(command: str) -> list[Change]:
    entries: list[Change] = [
        Element(("hooks", event), {"type": "command", "command": command, "timeout": seconds})
        for event, seconds in _NAMES.items()
    ]
    return [Member(("version",), 1, only_if_absent=True), *entries]


def _files(wish: Wish) -> list[FileWish]:
    folder = _folder(wish.places) if wish.scope == USER else os.path.join(wish.places.project, ".cursor")
    entry = shapes.server(wish, "${env:" + KEY_VARIABLE + "}")
    del entry["type"]  # told by command or url
    return [
        FileWish(os.path.join(folder, "hooks.json"), tuple(_hooks(wish.hook(NAME)))),
        FileWish(os.path.join(folder, "mcp.json"), (Member(("mcpServers", "loremark"), entry),)),
    ]


AGENT = Agent(
    name=NAME,
    title="Cursor",
    aliases=(),
    binaries=("cursor", "cursor-agent"),
    signs=lambda places: (_folder(places),),
    files=_files,
    steps=lambda wish: ("Start Cursor anew and turn the server loremark on in Settings, Tools & MCP.",),
    instructions=("AGENTS.md", ".cursor/rules"),
)
