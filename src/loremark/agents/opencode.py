"""opencode: a server in its configuration, and a plugin in JavaScript that feeds the hook."""

from __future__ import annotations

import json
import os
from importlib import resources

from loremark.agents.agent import KEY_VARIABLE, USER, Agent, FileWish, Places, Wish
from loremark.agents.changes import Member, Whole

NAME = "opencode"
_CONFIGURATIONS = ("opencode.jsonc", "opencode.json")


def _folder(places: Places) -> str:
    return (
        places.folder("OPENCODE_CONFIG_DIR")
        if "OPENCODE_CONFIG_DIR" in places.variables
        else os.path.join(places.config, "opencode")
    )


def _configuration(folder: str) -> str:
    """The file that is there; else the plain one."""
    there = (os.path.join(folder, name) for name in _CONFIGURATIONS)
    return next((path for path in there if os.path.exists(path)), os.path.join(folder, "opencode.json"))


def plugin(executable: str) -> str:
    """The plugin's source, with our executable in it as a JavaScript string."""
    source = resources.files("loremark.agents").joinpath("plugin", "opencode.js").read_text()
    told = json.dumps(executable).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return source.replace('"%LOREMARK%"', told)


def _files(wish: Wish) -> list[FileWish]:
    if wish.scope == USER:
        base = plugins = _folder(wish.places)
    else:
        base, plugins = wish.places.project, os.path.join(wish.places.project, ".opencode")
    if wish.server.url is None:
        entry: dict[str, object] = {"type": "local", "command": [wish.executable, "mcp"], "enabled": True}
    else:
        headers = wish.bearer("{env:" + KEY_VARIABLE + "}")
        entry = {"type": "remote", "url": wish.server.url, "headers": headers, "enabled": True}
    return [
        FileWish(_configuration(base), (Member(("mcp", "loremark"), entry),)),
        FileWish(os.path.join(plugins, "plugins", "loremark.js"), (Whole(plugin(wish.executable)),)),
    ]


AGENT = Agent(
    name=NAME,
    title="opencode",
    aliases=("open-code",),
    binaries=("opencode",),
    signs=lambda places: (_folder(places),),
    files=_files,
    steps=lambda wish: ("Start opencode anew.",),
    roots=lambda places: (_folder(places), places.config),
)
