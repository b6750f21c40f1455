"""Claude Code."""

from __future__ import annotations

import os
from typing import Any

from loremark.agents import shapes
from loremark.agents.agent import USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Member

NAME = "claude-code"


def _folder(places: Places) -> str:
    return places.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(places: Places) -> str:
    """The file that holds a person's servers: beside the folder, or in it where the folder was moved."""
    moved = places.variables.get("CLAUDE_CONFIG_DIR")
    return os.path.join(moved or places.home, ".claude.json")


def _files(wish: Wish) -> list[FileWish]:
    places = wish.places
    if wish.scope == USER:
        settings, servers = os.path.join(_folder(places), "settings.json"), _state(places)
    else:
        settings = os.path.join(places.project, ".claude", "settings.json")
        servers = os.path.join(places.project, ".mcp.json")
    return [
        FileWish(settings, tuple(shapes.grouped_hooks(wish.hook(NAME), shapes.EVENTS))),
        FileWish(servers, (Member(("mcpServers", "loremark"), server_entry(wish)),)),
    ]


def server_entry(wish: Wish) -> dict[str, Any]:
    """Without alwaysLoad our tools hide behind a tool search, and a memory one must search for is not used."""
    return shapes.server(wish, alwaysLoad=True)


def _steps(wish: Wish) -> tuple[str, ...]:
    if wish.scope == USER:
        return ("Start Claude Code anew.",)
    steps = ("Start Claude Code anew in this folder; it asks once whether to use the server of .mcp.json: say yes.",)
    if os.path.exists(os.path.join(wish.places.project, ".github", "mcp.json")):
        return (
            *steps,
            "Where there is a .mcp.json, Copilot reads that and not .github/mcp.json: move its servers there.",
        )
    return steps


AGENT = Agent(
    name=NAME,
    title="Claude Code",
    aliases=("claude",),
    binaries=("claude",),
    signs=lambda places: (_folder(places),),
    files=_files,
    steps=_steps,
    roots=lambda places: (_folder(places),),
    instructions=("CLAUDE.md",),
)
