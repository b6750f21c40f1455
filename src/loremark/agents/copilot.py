"""Copilot CLI, and Copilot's cloud agent, which reads the same files."""

from __future__ import annotations

import os

from loremark.agents import claude, config_entries
from loremark.agents.agent import USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import Member

NAME = "copilot"


def folder(locations: Locations) -> str:
    return locations.folder("COPILOT_HOME", ".copilot")


def hooks_file(options: SetupOptions) -> FilePlan:
    """Return the hooks file shared by Copilot and VS Code, which both read the whole folder."""
    at = folder(options.locations) if options.scope == USER else os.path.join(options.locations.project, ".github")
    return FilePlan(os.path.join(at, "hooks", "loremark.json"), tuple(config_entries.copilot_hooks(options.hook(NAME))))


def _files(options: SetupOptions) -> list[FilePlan]:
    entry = config_entries.mcp_server(options, tools=["*"])
    if options.scope == USER:
        servers = os.path.join(folder(options.locations), "mcp-config.json")
    else:
        servers = os.path.join(options.locations.project, ".github", "mcp.json")
        shared = os.path.join(options.locations.project, ".mcp.json")
        if os.path.lexists(shared):  # then Copilot ignores its own file; Claude's entry works
            servers, entry = shared, claude.server_entry(options)
    return [hooks_file(options), FilePlan(servers, (Member(("mcpServers", "loremark"), entry),))]


def _steps(options: SetupOptions) -> tuple[str, ...]:
    if options.scope == USER:
        return ("Restart Copilot CLI.",)
    return ("Restart Copilot CLI in this folder and trust the folder when it asks.",)


AGENT = Agent(
    name=NAME,
    title="Copilot CLI",
    aliases=("copilot-cli", "github-copilot"),
    binaries=("copilot",),
    detection_folders=lambda locations: (folder(locations),),
    files=_files,
    steps=_steps,
    roots=lambda locations: (folder(locations),),
    instructions=("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"),
)
