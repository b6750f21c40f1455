"""Cline: one hook script per event, and an MCP server for the user (it has none per project)."""

from __future__ import annotations

import os
import shlex

from loremark.agents import config_entries
from loremark.agents.agent import USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import OWNED_MARK, Member, WholeFile

NAME = "cline"
EVENTS = ("TaskStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "TaskComplete", "SessionShutdown")
_SETTINGS = "cline_mcp_settings.json"


def _folder(locations: Locations) -> str:
    return os.path.join(locations.home, ".cline")


def _documents(locations: Locations) -> str:
    return os.path.join(locations.home, "Documents", "Cline")


def _extension(locations: Locations) -> str:
    return os.path.join(locations.code, "globalStorage", "saoudrizwan.claude-dev")


def script(executable: str, event: str) -> str:
    """Return a hook script. If our executable is missing, the script lets Cline continue."""
    quoted = shlex.quote(executable)
    return (
        "#!/bin/sh\n"
        f"# {OWNED_MARK}: created by `loremark install cline`, removed by `loremark uninstall cline`\n"
        f"command -v {quoted} >/dev/null 2>&1 || {{ printf '{{\"cancel\": false}}\\n'; exit 0; }}\n"
        f"exec {quoted} hook {NAME} {event}\n"
    )


def _files(options: SetupOptions) -> list[FilePlan]:
    locations = options.locations
    if options.scope != USER:
        return _scripts(os.path.join(locations.project, ".clinerules", "hooks"), options)
    servers = [os.path.join(_folder(locations), "data", "settings", _SETTINGS)]
    files = _scripts(os.path.join(_folder(locations), "hooks"), options)
    if os.path.isdir(_documents(locations)):  # the extension's equivalent of ~/.cline
        files += _scripts(os.path.join(_documents(locations), "Hooks"), options)
    if os.path.isdir(_extension(locations)):
        servers.append(os.path.join(_extension(locations), "settings", _SETTINGS))
    entry = config_entries.stdio_server(options, disabled=False)
    return [*(FilePlan(path, (Member(("mcpServers", "loremark"), entry),)) for path in servers), *files]


def _scripts(folder: str, options: SetupOptions) -> list[FilePlan]:
    return [
        FilePlan(
            os.path.join(folder, event),
            (WholeFile(script(options.executable, event), executable=True),),
            is_optional=True,
        )
        for event in EVENTS
    ]


def _steps(options: SetupOptions) -> tuple[str, ...]:
    if options.scope == USER:
        return ("Restart Cline. In the extension, enable hooks in the settings.",)
    return (
        "Restart Cline. In the extension, enable hooks in the settings.",
        "Cline has no per-project MCP servers. For the memory tools, run `loremark install cline --scope user`.",
    )


AGENT = Agent(
    name=NAME,
    title="Cline",
    aliases=("cline-cli",),
    binaries=("cline",),
    detection_folders=lambda locations: (_folder(locations), _documents(locations), _extension(locations)),
    files=_files,
    steps=_steps,
    supports_http=False,
)
