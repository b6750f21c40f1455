"""Copilot CLI (and, by the same files, Copilot's cloud agent)."""

from __future__ import annotations

import os

from loremark.agents import claude, shapes
from loremark.agents.agent import USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Member

NAME = "copilot"


def folder(places: Places) -> str:
    return places.folder("COPILOT_HOME", ".copilot")


def hooks_file(wish: Wish) -> FileWish:
    """One file for Copilot and VS Code: both read everything in that folder."""
    at = folder(wish.places) if wish.scope == USER else os.path.join(wish.places.project, ".github")
    return FileWish(os.path.join(at, "hooks", "loremark.json"), tuple(shapes.copilot_hooks(wish.hook(NAME))))


def _files(wish: Wish) -> list[FileWish]:
    entry = shapes.server(wish, tools=["*"])
    if wish.scope == USER:
        servers = os.path.join(folder(wish.places), "mcp-config.json")
    else:
        servers = os.path.join(wish.places.project, ".github", "mcp.json")
        shared = os.path.join(wish.places.project, ".mcp.json")
        if os.path.lexists(shared):  # where it is there, Copilot reads it instead of its own; Claude's entry will do
            servers, entry = shared, claude.server_entry(wish)
    return [hooks_file(wish), FileWish(servers, (Member(("mcpServers", "loremark"), entry),))]


def _steps(wish: Wish) -> tuple[str, ...]:
    if wish.scope == USER:
        return ("Start copilot anew.",)
    return ("Start copilot anew in this folder and trust the folder when it asks.",)


AGENT = Agent(
    name=NAME,
    title="Copilot CLI",
    aliases=("copilot-cli", "github-copilot"),
    binaries=("copilot",),
    signs=lambda places: (folder(places),),
    files=_files,
    steps=_steps,
    roots=lambda places: (folder(places),),
    instructions=("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"),
)
