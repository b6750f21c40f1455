"""opencode: an MCP server in its configuration, and a JavaScript plugin that calls the hook."""

from __future__ import annotations

import json
import os
from importlib import resources

from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FilePlan, Locations, SetupOptions
from loremark.agents.changes import Member, WholeFile

NAME = "opencode"
_CONFIG_NAMES = ("opencode.jsonc", "opencode.json")


def _folder(locations: Locations) -> str:
    return (
        locations.folder("OPENCODE_CONFIG_DIR")
        if "OPENCODE_CONFIG_DIR" in locations.variables
        else os.path.join(locations.config, "opencode")
    )


def _config_file(folder: str) -> str:
    """Return the existing configuration file, or opencode.json."""
    candidates = (os.path.join(folder, name) for name in _CONFIG_NAMES)
    return next((path for path in candidates if os.path.exists(path)), os.path.join(folder, "opencode.json"))


def plugin(executable: str) -> str:
    """Return the plugin's source with the path of our executable filled in."""
    source = resources.files("loremark.agents").joinpath("plugin", "opencode.js").read_text()
    literal = json.dumps(executable).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return source.replace('"%LOREMARK%"', literal)


def _files(options: SetupOptions) -> list[FilePlan]:
    if options.scope == USER:
        base = plugins = _folder(options.locations)
    else:
        base, plugins = options.locations.project, os.path.join(options.locations.project, ".opencode")
    if options.server.url is None:
        entry: dict[str, object] = {"type": "local", "command": [options.executable, "mcp"], "enabled": True}
    else:
        headers = options.bearer("{env:" + KEY_VARIABLE + "}")
        entry = {"type": "remote", "url": options.server.url, "headers": headers, "enabled": True}
    return [
        FilePlan(_config_file(base), (Member(("mcp", "loremark"), entry),)),
        FilePlan(os.path.join(plugins, "plugins", "loremark.js"), (WholeFile(plugin(options.executable)),)),
    ]


AGENT = Agent(
    name=NAME,
    title="opencode",
    aliases=("open-code",),
    binaries=("opencode",),
    detection_folders=lambda locations: (_folder(locations),),
    files=_files,
    steps=lambda options: ("Restart opencode.",),
    roots=lambda locations: (_folder(locations), locations.config),
)
