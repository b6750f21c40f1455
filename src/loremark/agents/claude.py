"""Claude Code."""

from __future__ import annotations

import os
from typing import Any

from loremark.agents import config_entries
from loremark.agents.agent import USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import Member

NAME = "claude-code"


def _folder(locations: Locations) -> str:
    return locations.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(locations: Locations) -> str:
    """Return the file with the user's servers: in home, or in the folder if CLAUDE_CONFIG_DIR is set."""
    moved = locations.variables.get("CLAUDE_CONFIG_DIR")
    return os.path.join(moved or locations.home, ".claude.json")


def _files(options: SetupOptions) -> list[FilePlan]:
    locations = options.locations
    if options.scope == USER:
        settings, servers = os.path.join(_folder(locations), "settings.json"), _state(locations)
    else:
        settings = os.path.join(locations.project, ".claude", "settings.json")
        servers = os.path.join(locations.project, ".mcp.json")
    return [
        FilePlan(settings, tuple(config_entries.grouped_hooks(options.hook(NAME), config_entries.CLAUDE_EVENTS))),
        FilePlan(servers, (Member(("mcpServers", "loremark"), server_entry(options)),)),
    ]


def server_entry(options: SetupOptions) -> dict[str, Any]:
    """Return our MCP server entry. Without alwaysLoad, agents must search for our tools and rarely use them."""
    return config_entries.mcp_server(options, alwaysLoad=True)


def _steps(options: SetupOptions) -> tuple[str, ...]:
    if options.scope == USER:
        return ("Restart Claude Code.",)
    steps = ("Restart Claude Code in this folder, and approve the server from .mcp.json when it asks.",)
    if os.path.exists(os.path.join(options.locations.project, ".github", "mcp.json")):
        return (
            *steps,
            "Copilot ignores .github/mcp.json if there is a .mcp.json: move your Copilot servers to .mcp.json.",
        )
    return steps


AGENT = Agent(
    name=NAME,
    title="Claude Code",
    aliases=("claude",),
    binaries=("claude",),
    detection_folders=lambda locations: (_folder(locations),),
    files=_files,
    steps=_steps,
    roots=lambda locations: (_folder(locations),),
    instructions=("CLAUDE.md",),
)
