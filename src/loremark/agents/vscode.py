"""VS Code with its own agent: a server in ``mcp.json``, and the hooks that Copilot reads too."""

from __future__ import annotations

import os

from loremark.agents import copilot, shapes
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FileWish, Wish
from loremark.agents.changes import Member

NAME = "vscode"


def _files(wish: Wish) -> list[FileWish]:
    folder = wish.places.code if wish.scope == USER else os.path.join(wish.places.project, ".vscode")
    entry = shapes.server(wish, "${env:" + KEY_VARIABLE + "}")
    return [
        FileWish(os.path.join(folder, "mcp.json"), (Member(("servers", "loremark"), entry),)),
        copilot.hooks_file(wish),
    ]


AGENT = Agent(
    name=NAME,
    title="VS Code",
    aliases=("code", "vs-code"),
    binaries=("code", "code-insiders"),
    signs=lambda places: (places.code,),
    files=_files,
    steps=lambda wish: (
        "In VS Code run MCP: List Servers and start loremark; hooks are a preview (setting chat.useHooks).",
    ),
    roots=lambda places: (places.config, copilot.folder(places)),
    instructions=("AGENTS.md", ".github/copilot-instructions.md"),
)
