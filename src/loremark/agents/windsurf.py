"""Windsurf (Cascade), and its successor Devin Desktop."""

from __future__ import annotations

import os

from loremark.agents import config_entries
from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import Change, Element, Member

NAME = "windsurf"
_NAMES = ("pre_user_prompt", "post_write_code", "post_run_command", "post_mcp_tool_use", "post_cascade_response")
_DEVIN_EVENTS = {event: seconds for event, seconds in config_entries.EVENTS.items() if event != "PreCompact"}


def _folder(locations: Locations) -> str:
    return os.path.join(locations.home, ".codeium", "windsurf")


def _devin(locations: Locations) -> str:
    return os.path.join(locations.config, "devin")


def _files(options: SetupOptions) -> list[FilePlan]:
    hooks: list[Change] = [
        Element(("hooks", name), {"command": options.hook(NAME), "show_output": False}) for name in _NAMES
    ]
    if options.scope != USER:
        return [FilePlan(os.path.join(options.locations.project, ".windsurf", "hooks.json"), tuple(hooks))]
    folder = _folder(options.locations)
    if options.server.url is None:
        entry: dict[str, object] = {"command": options.executable, "args": ["mcp"]}
    else:
        entry = {"serverUrl": options.server.url, "headers": options.bearer("${env:" + KEY_VARIABLE + "}")}
    return [
        FilePlan(os.path.join(folder, "hooks.json"), tuple(hooks)),
        FilePlan(os.path.join(folder, "mcp_config.json"), (Member(("mcpServers", "loremark"), entry),)),
    ]


def _steps(options: SetupOptions) -> tuple[str, ...]:
    if options.scope == USER:
        return ("Restart Windsurf and refresh the servers in Cascade's settings.",)
    return (
        "Restart Windsurf.",
        "Cascade has no per-project MCP servers. For the memory tools, run `loremark install windsurf --scope user`.",
    )


AGENT = Agent(
    name=NAME,
    title="Windsurf",
    aliases=("cascade",),
    binaries=("windsurf",),
    detection_folders=lambda locations: (_folder(locations),),
    files=_files,
    steps=_steps,
)


def _devin_files(options: SetupOptions) -> list[FilePlan]:
    server = (Member(("mcpServers", "loremark"), config_entries.stdio_server(options)),)
    if options.scope == USER:
        hooks = config_entries.grouped_hooks(options.hook(NAME), _DEVIN_EVENTS)
        hooks_path, folder = os.path.join(_devin(options.locations), "config.json"), _devin(options.locations)
    else:
        hooks = config_entries.grouped_hooks(options.hook(NAME), _DEVIN_EVENTS, under=())
        folder = os.path.join(options.locations.project, ".devin")
        hooks_path = os.path.join(folder, "hooks.v1.json")
    return [FilePlan(hooks_path, tuple(hooks)), FilePlan(os.path.join(folder, "mcp_config.json"), server)]


DEVIN = Agent(
    name="devin",
    title="Devin Desktop",
    aliases=("devin-desktop",),
    binaries=("devin",),
    detection_folders=lambda locations: (_devin(locations),),
    files=_devin_files,
    steps=lambda options: ("Restart Devin Desktop.",),
    roots=lambda locations: (locations.config,),
    supports_http=False,
)
