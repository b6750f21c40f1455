"""Gemini CLI."""

from __future__ import annotations

import os

from loremark.agents import config_entries
from loremark.agents.agent import USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import Change, Element, Member

NAME = "gemini"
# Not PreCompress: it fires before every request to the model, whether anything is compressed or not.
_EVENTS = {"SessionStart": 10, "BeforeAgent": 5, "AfterTool": 5, "AfterAgent": 5, "SessionEnd": 3}


def _folder(locations: Locations) -> str:
    return os.path.join(locations.folder("GEMINI_CLI_HOME"), ".gemini")


def hooks(command: str) -> list[Change]:
    """Return hooks in Claude's format, but with names and timeouts in milliseconds."""
    return [
        Element(
            ("hooks", event),
            {"hooks": [{"name": "loremark", "type": "command", "command": command, "timeout": seconds * 1000}]},
        )
        for event, seconds in _EVENTS.items()
    ]


def _files(options: SetupOptions) -> list[FilePlan]:
    folder = _folder(options.locations) if options.scope == USER else os.path.join(options.locations.project, ".gemini")
    entry = config_entries.mcp_server(options)
    if options.server.url is None:
        del entry["type"]  # implied by the command
    return [
        FilePlan(
            os.path.join(folder, "settings.json"),
            (Member(("mcpServers", "loremark"), entry), *hooks(options.hook(NAME))),
        )
    ]


def _steps(options: SetupOptions) -> tuple[str, ...]:
    if options.scope == USER:
        return ("Restart Gemini CLI.",)
    return ("Restart Gemini CLI in this folder and trust the folder. It only runs project hooks in trusted folders.",)


AGENT = Agent(
    name=NAME,
    title="Gemini CLI",
    aliases=("gemini-cli",),
    binaries=("gemini",),
    detection_folders=lambda locations: (_folder(locations),),
    files=_files,
    steps=_steps,
    roots=lambda locations: (_folder(locations),),
    instructions=("GEMINI.md",),
)
