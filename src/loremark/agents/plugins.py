"""Build a plugin and marketplace for Claude Code, Codex and Copilot CLI, and an extension for Gemini CLI."""

from __future__ import annotations

import json
import os
from importlib import metadata, resources
from typing import Any

from loremark.agents import config_entries, files, gemini, merging_json
from loremark.agents.agent import Locations, SetupOptions
from loremark.agents.changes import Change, Element
from loremark.agents.errors import EditError

NAME = "loremark"
_DESCRIPTION = "Shared project memory: captures sessions, briefs new ones, and answers questions about the project."
_PLUGIN_FOLDER = "plugins/loremark"
INSTALL_COMMANDS = (
    "Claude Code: claude plugin marketplace add {folder} && claude plugin install loremark@loremark",
    "Codex:       codex plugin marketplace add {folder} && codex plugin add loremark@loremark (trust it in /hooks)",
    "Copilot:     copilot plugin marketplace add {folder} && copilot plugin install loremark@loremark",
    "Gemini CLI:  gemini extensions install {folder}/gemini --consent",
)


def plugin_files(executable: str) -> dict[str, str]:
    """Return the files of the plugin folder by relative path."""
    options = SetupOptions(Locations("", ""), "user", executable)
    server = {"mcpServers": {NAME: {"command": executable, "args": ["mcp"]}}}
    manifest = {
        "name": NAME,
        "version": metadata.version("loremark"),
        "description": _DESCRIPTION,
        "author": {"name": "Loremark"},
        "license": "Apache-2.0",
        "keywords": ["memory", "context", "mcp"],
    }
    entry = {"name": NAME, "source": f"./{_PLUGIN_FOLDER}", "description": _DESCRIPTION, "category": "productivity"}
    marketplace = {"name": NAME, "description": _DESCRIPTION, "owner": {"name": "Loremark"}, "plugins": [entry]}
    # Codex rejects a hooks file with any unknown event, so it gets its own, named in its manifest.
    codex = {**manifest, "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/codex.json"}
    extension = {"name": NAME, "version": manifest["version"], "description": _DESCRIPTION, **server}
    documents: dict[str, Any] = {
        ".claude-plugin/marketplace.json": marketplace,
        f"{_PLUGIN_FOLDER}/.claude-plugin/plugin.json": manifest,
        f"{_PLUGIN_FOLDER}/.codex-plugin/plugin.json": codex,
        f"{_PLUGIN_FOLDER}/.mcp.json": server,
        f"{_PLUGIN_FOLDER}/hooks/hooks.json": _hooks(
            config_entries.grouped_hooks(options.hook("claude-code"), config_entries.CLAUDE_EVENTS)
        ),
        f"{_PLUGIN_FOLDER}/hooks/codex.json": _hooks(
            config_entries.grouped_hooks(options.hook("codex"), config_entries.EVENTS)
        ),
        "gemini/gemini-extension.json": extension,
        "gemini/hooks/hooks.json": _hooks(gemini.hooks(options.hook("gemini"))),
    }
    written = {path: json.dumps(document, indent=2) + "\n" for path, document in documents.items()}
    for target, source in (
        ("skills/loremark/SKILL.md", "skill-loremark.md"),
        ("skills/save/SKILL.md", "skill-save.md"),
    ):
        written[f"{_PLUGIN_FOLDER}/{target}"] = _text(source)
    written["README.md"] = written[f"{_PLUGIN_FOLDER}/README.md"] = _text("README.md")
    return written


def write(folder: str, executable: str, dry_run: bool = False) -> list[str]:
    """Write the plugin folder and return its paths. Never overwrites files of others."""
    contents = plugin_files(executable)
    for path in contents:
        found = files.read(os.path.join(folder, path), folder)
        if found.content is not None and not _is_ours(path, found.content):
            raise EditError(
                f"{os.path.join(folder, path)} already exists and was not created by Loremark; choose an empty folder"
            )
    if not dry_run:
        for path, text in contents.items():
            files.write(files.resolve(os.path.join(folder, path), folder), text.encode(), None)
    return sorted(contents)


def _is_ours(path: str, content: bytes) -> bool:
    """Return whether the file was written by us, possibly by another version or for another executable."""
    text = content.decode(errors="replace")
    if not path.endswith(".json"):
        return "Loremark" in text[:2_000]
    try:
        found = merging_json.parse_object(text).plain()
    except EditError:
        return False
    return found.get("name") == NAME or "loremark" in str(found)[:2_000]


def _hooks(changes: list[Change]) -> dict[str, Any]:
    entries = [change for change in changes if isinstance(change, Element)]
    return {"hooks": {change.path[-1]: [change.value] for change in entries}}


def _text(name: str) -> str:
    return resources.files("loremark.agents").joinpath("plugin", name).read_text()
