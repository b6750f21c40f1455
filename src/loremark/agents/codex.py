"""Codex CLI."""

from __future__ import annotations

import json
import os

from loremark.agents import shapes
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Block

NAME = "codex"


def _folder(places: Places) -> str:
    return places.folder("CODEX_HOME", ".codex")


def _files(wish: Wish) -> list[FileWish]:
    folder = _folder(wish.places) if wish.scope == USER else os.path.join(wish.places.project, ".codex")
    return [
        FileWish(os.path.join(folder, "hooks.json"), tuple(shapes.grouped_hooks(wish.hook(NAME), shapes.EVENTS))),
        FileWish(
            os.path.join(folder, "config.toml"), (Block(server_table(wish), "toml", table=("mcp_servers", "loremark")),)
        ),
    ]


def server_table(wish: Wish) -> str:
    lines = ["[mcp_servers.loremark]"]
    if wish.server.url is None:
        lines += [f"command = {_string(wish.executable)}", 'args = ["mcp"]']
    else:
        lines += [f"url = {_string(wish.server.url)}", f"bearer_token_env_var = {_string(KEY_VARIABLE)}"]
    return "\n".join([*lines, "startup_timeout_sec = 20"])


def _string(text: str) -> str:
    """A basic string of TOML: escaped like one of JSON, and the one control character that JSON lets pass."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _steps(wish: Wish) -> tuple[str, ...]:
    trust = "Codex runs no hook before you trust it: start codex, type /hooks and trust the six of loremark."
    if wish.scope == USER:
        return (trust,)
    return ("Codex reads .codex/ only in a folder you trust: it asks when it starts there.", trust)


AGENT = Agent(
    name=NAME,
    title="Codex CLI",
    aliases=("codex-cli",),
    binaries=("codex",),
    signs=lambda places: (_folder(places),),
    files=_files,
    steps=_steps,
    roots=lambda places: (_folder(places),),
    briefing_characters=9_000,
)
