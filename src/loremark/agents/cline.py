"""Cline: an executable for each event, and a server for the person (a project cannot have its own)."""

from __future__ import annotations

import os
import shlex

from loremark.agents import shapes
from loremark.agents.agent import USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import MARK, Member, Whole

NAME = "cline"
EVENTS = ("TaskStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "TaskComplete", "SessionShutdown")
_SETTINGS = "cline_mcp_settings.json"


def _folder(places: Places) -> str:
    return os.path.join(places.home, ".cline")


def _documents(places: Places) -> str:
    return os.path.join(places.home, "Documents", "Cline")


def _extension(places: Places) -> str:
    return os.path.join(places.code, "globalStorage", "saoudrizwan.claude-dev")


def script(executable: str, event: str) -> str:
    """A hook; should our executable be gone, Cline goes on as if there was none."""
    quoted = shlex.quote(executable)
    return (
        "#!/bin/sh\n"
        f"# {MARK}: put here by `loremark install cline`; `loremark uninstall cline` takes it away\n"
        f"command -v {quoted} >/dev/null 2>&1 || {{ printf '{{\"cancel\": false}}\\n'; exit 0; }}\n"
        f"exec {quoted} hook {NAME} {event}\n"
    )


def _files(wish: Wish) -> list[FileWish]:
    places = wish.places
    if wish.scope != USER:
        return _scripts(os.path.join(places.project, ".clinerules", "hooks"), wish)
    servers = [os.path.join(_folder(places), "data", "settings", _SETTINGS)]
    files = _scripts(os.path.join(_folder(places), "hooks"), wish)
    if os.path.isdir(_documents(places)):  # the extension's own place for what the CLI keeps in ~/.cline
        files += _scripts(os.path.join(_documents(places), "Hooks"), wish)
    if os.path.isdir(_extension(places)):
        servers.append(os.path.join(_extension(places), "settings", _SETTINGS))
    entry = shapes.stdio(wish, disabled=False)
    return [*(FileWish(path, (Member(("mcpServers", "loremark"), entry),)) for path in servers), *files]


def _scripts(folder: str, wish: Wish) -> list[FileWish]:
    return [
        FileWish(
            os.path.join(folder, event), (Whole(script(wish.executable, event), executable=True),), is_optional=True
        )
        for event in EVENTS
    ]


def _steps(wish: Wish) -> tuple[str, ...]:
    if wish.scope == USER:
        return ("Start Cline anew; in the extension, turn hooks on in its settings.",)
    return (
        "Start Cline anew; in the extension, turn hooks on in its settings.",
        "Cline has no servers per project: for our tools run loremark install cline --scope user.",
    )


AGENT = Agent(
    name=NAME,
    title="Cline",
    aliases=("cline-cli",),
    binaries=("cline",),
    signs=lambda places: (_folder(places), _documents(places), _extension(places)),
    files=_files,
    steps=_steps,
    speaks_http=False,
)
