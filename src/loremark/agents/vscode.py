"""VS Code's built-in agent: an MCP server in ``mcp.json``, and the same hooks as Copilot."""

from __future__ import annotations

import os

from loremark.agents import config_entries, copilot
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FilePlan, SetupOptions
from loremark.agents.changes import Member

NAME = "vscode"


def _files(options: SetupOptions) -> list[FilePlan]:
    folder = options.locations.code if options.scope == USER else os.path.join(options.locations.project, ".vscode")
    entry = config_entries.mcp_server(options, "${env:" + KEY_VARIABLE + "}")
    return [
        FilePlan(os.path.join(folder, "mcp.json"), (Member(("servers", "loremark"), entry),)),
        copilot.hooks_file(options),
    ]


AGENT = Agent(
    name=NAME,
    title="VS Code",
    aliases=("code", "vs-code"),
    binaries=("code", "code-insiders"),
    detection_folders=lambda locations: (locations.code,),
    files=_files,
    steps=lambda options: (
        "In VS Code, run `MCP: List Servers` and start loremark. Hooks are a preview feature: enable `chat.useHooks`.",
    ),
    roots=lambda locations: (locations.config, copilot.folder(locations)),
    instructions=("AGENTS.md", ".github/copilot-instructions.md"),
)
