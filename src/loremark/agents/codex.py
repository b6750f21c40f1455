"""Codex CLI."""

from __future__ import annotations

import json
import os

from loremark.agents import config_entries
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import Block

NAME = "codex"


def _folder(locations: Locations) -> str:
    return locations.folder("CODEX_HOME", ".codex")


def _files(options: SetupOptions) -> list[FilePlan]:
    folder = _folder(options.locations) if options.scope == USER else os.path.join(options.locations.project, ".codex")
    return [
        FilePlan(
            os.path.join(folder, "hooks.json"),
            tuple(config_entries.grouped_hooks(options.hook(NAME), config_entries.EVENTS)),
        ),
        FilePlan(
            os.path.join(folder, "config.toml"),
            (Block(server_table(options), "toml", table=("mcp_servers", "loremark")),),
        ),
    ]


def server_table(options: SetupOptions) -> str:
    lines = ["[mcp_servers.loremark]"]
    if options.server.url is None:
        lines += [f"command = {_string(options.executable)}", 'args = ["mcp"]']
    else:
        lines += [f"url = {_string(options.server.url)}", f"bearer_token_env_var = {_string(KEY_VARIABLE)}"]
    return "\n".join([*lines, "startup_timeout_sec = 20"])


def _string(text: str) -> str:
    """Quote a TOML string. Same as JSON, except that DEL must be escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _steps(options: SetupOptions) -> tuple[str, ...]:
    trust = "Codex only runs trusted hooks: start codex, type /hooks and trust the six loremark hooks."
    if options.scope == USER:
        return (trust,)
    return ("Codex only reads .codex/ in trusted folders: start codex here and trust the folder when it asks.", trust)


AGENT = Agent(
    name=NAME,
    title="Codex CLI",
    aliases=("codex-cli",),
    binaries=("codex",),
    detection_folders=lambda locations: (_folder(locations),),
    files=_files,
    steps=_steps,
    roots=lambda locations: (_folder(locations),),
    briefing_characters=9_000,
)
