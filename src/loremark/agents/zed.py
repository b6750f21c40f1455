"""Zed: an MCP (context) server. It has no hooks, so sessions are not captured."""

from __future__ import annotations

import os

from loremark.agents.agent import USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import Member

NAME = "zed"


def _folder(locations: Locations) -> str:
    return (
        os.path.join(locations.home, ".config", "zed")
        if locations.platform == "darwin"
        else os.path.join(locations.config, "zed")
    )


def _files(options: SetupOptions) -> list[FilePlan]:
    folder = _folder(options.locations) if options.scope == USER else os.path.join(options.locations.project, ".zed")
    entry = {"source": "custom", "command": options.executable, "args": ["mcp"], "env": {}}
    return [FilePlan(os.path.join(folder, "settings.json"), (Member(("context_servers", "loremark"), entry),))]


AGENT = Agent(
    name=NAME,
    title="Zed",
    aliases=(),
    binaries=("zed", "zeditor"),
    detection_folders=lambda locations: (_folder(locations),),
    files=_files,
    steps=lambda options: (
        "Zed starts the server automatically. It has no hooks: run `loremark sync` to brief it through AGENTS.md.",
    ),
    roots=lambda locations: (locations.config,),
    supports_http=False,
    has_hooks=False,
)
