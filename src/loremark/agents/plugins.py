"""A plugin in Claude's format with its marketplace, read unchanged by Codex and Copilot CLI; and Gemini's extension."""

from __future__ import annotations

import json
import os
from importlib import metadata, resources
from typing import Any

from loremark.agents import files, gemini, merging_json, shapes
from loremark.agents.agent import Places, Wish
from loremark.agents.changes import Change, Element
from loremark.agents.refusal import Refused

NAME = "loremark"
_ABOUT = "Project memory: captures sessions, briefs the next one, and answers questions about the project."
_HOME = "plugins/loremark"
STEPS = (
    "Claude Code: claude plugin marketplace add {folder} && claude plugin install loremark@loremark",
    "Codex:       codex plugin marketplace add {folder} && codex plugin add loremark@loremark (trust it in /hooks)",
    "Copilot:     copilot plugin marketplace add {folder} && copilot plugin install loremark@loremark",
    "Gemini CLI:  gemini extensions install {folder}/gemini --consent",
)


def contents(executable: str) -> dict[str, str]:
    """Every file of the folder, by its path in it."""
    wish = Wish(Places("", ""), "user", executable)
    server = {"mcpServers": {NAME: {"command": executable, "args": ["mcp"]}}}
    about = {
        "name": NAME,
        "version": metadata.version("loremark"),
        "description": _ABOUT,
        "author": {"name": "Loremark"},
        "license": "Apache-2.0",
        "keywords": ["memory", "context", "mcp"],
    }
    entry = {"name": NAME, "source": f"./{_HOME}", "description": _ABOUT, "category": "productivity"}
    marketplace = {"name": NAME, "description": _ABOUT, "owner": {"name": "Loremark"}, "plugins": [entry]}
    # Codex refuses a whole hooks file over one kind of hook it does not know: it has its own, named by its manifest.
    codex = {**about, "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/codex.json"}
    extension = {"name": NAME, "version": about["version"], "description": _ABOUT, **server}
    documents: dict[str, Any] = {
        ".claude-plugin/marketplace.json": marketplace,
        f"{_HOME}/.claude-plugin/plugin.json": about,
        f"{_HOME}/.codex-plugin/plugin.json": codex,
        f"{_HOME}/.mcp.json": server,
        f"{_HOME}/hooks/hooks.json": _hooks(shapes.grouped_hooks(wish.hook("claude-code"), shapes.EVENTS)),
        f"{_HOME}/hooks/codex.json": _hooks(shapes.grouped_hooks(wish.hook("codex"), shapes.EVENTS)),
        "gemini/gemini-extension.json": extension,
        "gemini/hooks/hooks.json": _hooks(gemini.hooks(wish.hook("gemini"))),
    }
    written = {path: json.dumps(document, indent=2) + "\n" for path, document in documents.items()}
    for target, source in (
        ("skills/loremark/SKILL.md", "skill-loremark.md"),
        ("skills/save/SKILL.md", "skill-save.md"),
    ):
        written[f"{_HOME}/{target}"] = _text(source)
    written["README.md"] = written[f"{_HOME}/README.md"] = _text("README.md")
    return written


def write(folder: str, executable: str, dry_run: bool = False) -> list[str]:
    """Write the folder; other files that are in it are never replaced."""
    made = contents(executable)
    for path in made:
        found = files.find(os.path.join(folder, path), folder)
        if found.content is not None and not _is_earlier(path, found.content):
            raise Refused(f"{os.path.join(folder, path)} is already there and not ours; name an empty folder")
    if not dry_run:
        for path, text in made.items():
            files.write(files.resolve(os.path.join(folder, path), folder), text.encode(), None)
    return sorted(made)


def _is_earlier(path: str, content: bytes) -> bool:
    """Whether it is the file we wrote there before, maybe for another executable or by an earlier version."""
    text = content.decode(errors="replace")
    if not path.endswith(".json"):
        return "Loremark" in text[:2_000]
    try:
        found = merging_json.root_of(text).plain()
    except Refused:
        return False
    return found.get("name") == NAME or "loremark" in str(found)[:2_000]


def _hooks(changes: list[Change]) -> dict[str, Any]:
    entries = [change for change in changes if isinstance(change, Element)]
    return {"hooks": {change.path[-1]: [change.value] for change in entries}}


def _text(name: str) -> str:
    return resources.files("loremark.agents").joinpath("plugin", name).read_text()
