"""Cursor."""

from __future__ import annotations

import os

from loremark.agents import config_entries
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FilePlan, Locations, SetupOptions
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


def _folder(locations: Locations) -> str:
    return os.path.join(locations.home, ".cursor")


def _hooks(command: str) -> list[Change]:
    entries: list[Change] = [
        Element(("hooks", event), {"type": "command", "command": command, "timeout": seconds})
        for event, seconds in _NAMES.items()
    ]
    return [Member(("version",), 1, only_if_absent=True), *entries]


def _files(options: SetupOptions) -> list[FilePlan]:
    folder = _folder(options.locations) if options.scope == USER else os.path.join(options.locations.project, ".cursor")
    entry = config_entries.mcp_server(options, "${env:" + KEY_VARIABLE + "}")
    del entry["type"]  # implied by command or url
    return [
        FilePlan(os.path.join(folder, "hooks.json"), tuple(_hooks(options.hook(NAME)))),
        FilePlan(os.path.join(folder, "mcp.json"), (Member(("mcpServers", "loremark"), entry),)),
    ]


AGENT = Agent(
    name=NAME,
    title="Cursor",
    aliases=(),
    binaries=("cursor", "cursor-agent"),
    detection_folders=lambda locations: (_folder(locations),),
    files=_files,
    steps=lambda options: ("Restart Cursor and enable the loremark server in Settings > Tools & MCP.",),
    instructions=("AGENTS.md", ".cursor/rules"),
)
