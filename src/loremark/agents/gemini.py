"""Gemini CLI."""

from __future__ import annotations

import os

from loremark.agents import shapes
from loremark.agents.agent import USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Change, Element, Member

NAME = "gemini"
# Not PreCompress: it fires before every request to the model, whether anything is compressed or not.
_EVENTS = {"SessionStart": 10, "BeforeAgent": 5, "AfterTool": 5, "AfterAgent": 5, "SessionEnd": 3}


def _folder(places: Places) -> str:
    return os.path.join(places.folder("GEMINI_CLI_HOME"), ".gemini")


def hooks(command: str) -> list[Change]:
    """Like Claude's, but with names, and in milliseconds."""
    return [
        Element(
            ("hooks", event),
            {"hooks": [{"name": "loremark", "type": "command", "command": command, "timeout": seconds * 1000}]},
        )
        for event, seconds in _EVENTS.items()
    ]


def _files(wish: Wish) -> list[FileWish]:
    folder = _folder(wish.places) if wish.scope == USER else os.path.join(wish.places.project, ".gemini")
    entry = shapes.server(wish)
    if wish.server.url is None:
        del entry["type"]  # a server with a command is always spoken to over its standard input
    return [
        FileWish(
            os.path.join(folder, "settings.json"),
            (Member(("mcpServers", "loremark"), entry), *hooks(wish.hook(NAME))),
        )
    ]


def _steps(wish: Wish) -> tuple[str, ...]:
    if wish.scope == USER:
        return ("Start Gemini CLI anew.",)
    return ("Start Gemini CLI anew in this folder and trust the folder: it runs no hooks of a project before that.",)


AGENT = Agent(
    name=NAME,
    title="Gemini CLI",
    aliases=("gemini-cli",),
    binaries=("gemini",),
    signs=lambda places: (_folder(places),),
    files=_files,
    steps=_steps,
    roots=lambda places: (_folder(places),),
    instructions=("GEMINI.md",),
)
