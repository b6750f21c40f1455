"""Finds Python CLI commands."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain, stem
from loremark.memory.codebase.parsing.python_calls import (
    PythonNodes,
    arguments,
    decorators,
    defined,
    first_string,
    receiver,
)
from loremark.memory.codebase.parsing.syntax import text

_MANAGEMENT = re.compile(r"(?:^|/)management/commands/([a-z]\w{0,80})\.py$")
_COMMAND_LIBRARIES = ("click", "typer", "flask", "asyncclick", "rich_click", "cyclopts", "cloup", "quart")
_TOGETHER = 2
"""A file that registers this many commands of other files is where they are combined."""


def read(found: PythonNodes, into: Collector) -> None:
    """Finds argument parsers, decorated commands, then commands of other files."""
    management = _MANAGEMENT.search(into.path)
    if management is not None:
        if found.imports:
            into.entry("cli", management.group(1), found.imports[0])
    else:
        _argparse(found, into)
    groups = _groups(found)
    for decorated in found.decorated:
        name, _ = defined(decorated)
        for owner, decorator, call, node in decorators(decorated):
            if decorator == "command" and _is_command(owner, found, groups):
                given = first_string(call, "name") if call is not None else None
                command = given or name.replace("_", "-")
                into.entry("cli", f"{groups.get(owner, '')} {command}".strip(), node)
    if management is None:
        _put_together(found, into)


def _is_command(owner: str, found: PythonNodes, groups: dict[str, str]) -> bool:
    if found.uses("discord", "telegram", "aiogram"):
        return False
    return found.uses(*_COMMAND_LIBRARIES) or owner in groups or owner in ("cli", "click")


def _groups(found: PythonNodes) -> dict[str, str]:
    """The command prefixes by group variable."""
    groups: dict[str, str] = {}
    for decorated in found.decorated:
        name, _ = defined(decorated)
        for owner, decorator, call, _ in decorators(decorated):
            if decorator == "group":
                given = first_string(call, "name") if call is not None else None
                is_root = owner in ("", *_COMMAND_LIBRARIES)
                groups[name] = "" if is_root else f"{groups.get(owner, '')} {given or name}".strip()
    for name, call in found.calls:
        if name in ("add_typer", "add_command"):
            plainly, named = arguments(call)
            given = plain(named.get("name"))
            if plainly and given:
                groups[text(plainly[0])] = given
    return groups


def _argparse(found: PythonNodes, into: Collector) -> None:
    parsers: list[Node] = []
    before = len(into.entries)
    for name, call in found.calls:
        if name == "ArgumentParser" and found.uses("argparse"):
            parsers.append(call)
        elif name == "add_parser" and receiver(call):
            into.entry("cli", first_string(call, "name") or "", call)
        elif name in ("Fire", "docopt") and found.uses("fire", "docopt"):
            into.entry("cli", stem(into.path), call)
        elif _reads_options(name, call, found):
            parsers.append(call)
    if parsers and len(into.entries) == before:
        into.entry("cli", plain(arguments(parsers[0])[1].get("prog")) or stem(into.path), parsers[0])


def _reads_options(name: str, call: Node, found: PythonNodes) -> bool:
    """Older argument parsing libraries."""
    if name.endswith("OptionParser"):
        return found.uses("optparse")
    return name == "getopt" and found.uses("getopt") and "sys.argv" in text(call)


def _put_together(found: PythonNodes, into: Collector) -> None:
    """``cli.add_command(user.manager, "users")``: the commands of other files, if this one has none."""
    if not found.uses("click", "typer", "asyncclick", "rich_click") or into.has_entry("cli"):
        return
    added = [call for name, call in found.calls if name in ("add_command", "add_typer") and arguments(call)[0]]
    if len(added) < _TOGETHER:
        return
    for call in added:
        plainly, named = arguments(call)
        given = plain(named.get("name")) or (plain(plainly[1]) if len(plainly) > 1 else None)
        into.entry("cli", given or text(plainly[0]), call)
