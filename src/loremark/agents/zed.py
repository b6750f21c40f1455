"""Zed: a context server; it has no hooks, so nothing is captured there."""

from __future__ import annotations

import os

from loremark.agents.agent import USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Member

NAME = "zed"


def _folder(places: Places) -> str:
    return (
        os.path.join(places.home, ".config", "zed")
        if places.platform == "darwin"
        else os.path.join(places.config, "zed")
    )


def _files(wish: Wish) -> list[FileWish]:
    folder = _folder(wish.places) if wish.scope == USER else os.path.join(wish.places.project, ".zed")
    entry = {"source": "custom", "command": wish.executable, "args": ["mcp"], "env": {}}
    return [FileWish(os.path.join(folder, "settings.json"), (Member(("context_servers", "loremark"), entry),))]


AGENT = Agent(
    name=NAME,
    title="Zed",
    aliases=(),
    binaries=("zed", "zeditor"),
    signs=lambda places: (_folder(places),),
    files=_files,
    steps=lambda wish: (
        "Zed starts the server by itself. It has no hooks: run loremark sync so that AGENTS.md briefs it.",
    ),
    roots=lambda places: (places.config,),
    speaks_http=False,
    has_hooks=False,
)
