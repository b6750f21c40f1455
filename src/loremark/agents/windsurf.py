"""Windsurf's Cascade, and Devin Desktop's own agent that follows it."""

from __future__ import annotations

import os

from loremark.agents import shapes
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Change, Element, Member

NAME = "windsurf"
_NAMES = ("pre_user_prompt", "post_write_code", "post_run_command", "post_mcp_tool_use", "post_cascade_response")
_DEVIN_EVENTS = {event: seconds for event, seconds in shapes.EVENTS.items() if event != "PreCompact"}


def _folder(places: Places) -> str:
    return os.path.join(places.home, ".codeium", "windsurf")


def _devin(places: Places) -> str:
    return os.path.join(places.config, "devin")


def _files(wish: Wish) -> list[FileWish]:
    hooks: list[Change] = [
        Element(("hooks", name), {"command": wish.hook(NAME), "show_output": False}) for name in _NAMES
    ]
    if wish.scope != USER:
        return [FileWish(os.path.join(wish.places.project, ".windsurf", "hooks.json"), tuple(hooks))]
    folder = _folder(wish.places)
    if wish.server.url is None:
        entry: dict[str, object] = {"command": wish.executable, "args": ["mcp"]}
    else:
        entry = {"serverUrl": wish.server.url, "headers": wish.bearer("${env:" + KEY_VARIABLE + "}")}
    return [
        FileWish(os.path.join(folder, "hooks.json"), tuple(hooks)),
        FileWish(os.path.join(folder, "mcp_config.json"), (Member(("mcpServers", "loremark"), entry),)),
    ]


def _steps(wish: Wish) -> tuple[str, ...]:
    if wish.scope == USER:
        return ("Start Windsurf anew and refresh the servers in Cascade's settings.",)
    return (
        "Start Windsurf anew.",
        "Cascade has no servers per project: for our tools run loremark install windsurf --scope user.",
    )


AGENT = Agent(
    name=NAME,
    title="Windsurf",
    aliases=("cascade",),
    binaries=("windsurf",),
    signs=lambda places: (_folder(places),),
    files=_files,
    steps=_steps,
)


def _devin_files(wish: Wish) -> list[FileWish]:
    server = (Member(("mcpServers", "loremark"), shapes.stdio(wish)),)
    if wish.scope == USER:
        hooks = shapes.grouped_hooks(wish.hook(NAME), _DEVIN_EVENTS)
        hooks_path, folder = os.path.join(_devin(wish.places), "config.json"), _devin(wish.places)
    else:
        hooks = shapes.grouped_hooks(wish.hook(NAME), _DEVIN_EVENTS, under=())
        folder = os.path.join(wish.places.project, ".devin")
        hooks_path = os.path.join(folder, "hooks.v1.json")
    return [FileWish(hooks_path, tuple(hooks)), FileWish(os.path.join(folder, "mcp_config.json"), server)]


DEVIN = Agent(
    name="devin",
    title="Devin Desktop",
    aliases=("devin-desktop",),
    binaries=("devin",),
    signs=lambda places: (_devin(places),),
    files=_devin_files,
    steps=lambda wish: ("Start Devin Desktop anew.",),
    roots=lambda places: (places.config,),
    speaks_http=False,
)
