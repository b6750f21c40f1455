"""Finds Python handler tables: subcommands, message handlers, RPC methods."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain
from loremark.memory.codebase.parsing.python_calls import PythonNodes
from loremark.memory.codebase.parsing.route_paths import add
from loremark.memory.codebase.parsing.syntax import child_at, text

_COMMANDS = re.compile(r"(?:[A-Za-z]{1,30}_){0,3}(?:sub_?)?commands", re.IGNORECASE)
_HANDLERS = re.compile(
    r"_{0,2}(?:(?:message|request|command|rpc|packet|operation|action|dispatch|method|msg)_?)?"
    r"(?:handlers|dispatch|dispatch_table|dispatcher|rpc_methods)",
    re.IGNORECASE,
)
_FEWEST = 4
_MAX = 100
_FEWEST_METHODS = 6
_BY_NAME = re.compile(rb"getattr\([^()\n]{1,60}[\"']((?:cmd|do|handle|rpc|command|op)_)")
_ALLOWED = re.compile(
    r"_{0,2}(?:[a-z]{1,20}_){0,2}(?:rpc|remote|exposed|callable|public)_(?:methods|calls|functions|commands)",
    re.IGNORECASE,
)
_RUNNABLE = frozenset(("identifier", "attribute", "lambda"))


def read(classes: list[Node], found: PythonNodes, into: Collector) -> None:
    """Finds tables in source order, then classes with methods dispatched by name."""
    for variable, table in found.tables:
        if table.type == "list":
            _list(variable, table, found, into)
        elif table.type == "dictionary":
            _dictionary(variable, table, into)
    for node in classes:
        _by_name(node, into)
        _allowed(node, into)


def _list(variable: str, table: Node, found: PythonNodes, into: Collector) -> None:
    members = [child for child in table.named_children[:_MAX] if child.type != "comment"]
    if _COMMANDS.fullmatch(variable) and all(each.type in ("identifier", "attribute", "call") for each in members):
        if not into.has_entry("cli"):
            into.entry("cli", variable, table)
    elif found.uses("tornado"):
        for each in members:
            path = _path_of(each)
            if path is not None:
                add(into, [], path, each)


def _path_of(pair: Node) -> str | None:
    """The path of ``(r"/users/(.*)", UserHandler)``."""
    first, second = child_at(pair, 0), child_at(pair, 1)
    if pair.type != "tuple" or first is None or second is None or second.type not in ("identifier", "attribute"):
        return None
    path = plain(first)
    return path if path is not None and path.startswith("/") else None


def _dictionary(variable: str, table: Node, into: Collector) -> None:
    kind = "cli" if _COMMANDS.fullmatch(variable) else "route" if _HANDLERS.fullmatch(variable) else ""
    if not kind:
        return
    pairs = [child for child in table.named_children[:_MAX] if child.type == "pair"]
    tied = [(pair, _key(pair)) for pair in pairs if _is_runnable(pair)]
    if len(tied) < _FEWEST or len(tied) * 4 < len(pairs) * 3:
        return
    for pair, key in tied:
        into.entry("cli" if kind == "cli" else "route", key, pair)


def _key(pair: Node) -> str:
    key = pair.child_by_field_name("key")
    return plain(key) or text(key).rpartition(".")[2]


def _is_runnable(pair: Node) -> bool:
    value = pair.child_by_field_name("value")
    return value is not None and value.type in _RUNNABLE


def _by_name(node: Node, into: Collector) -> None:
    """``getattr(self, "cmd_" + word)`` in a class with many such methods."""
    asked = _BY_NAME.search(node.text or b"")
    if asked is None:
        return
    prefix = asked.group(1).decode()
    body = node.child_by_field_name("body")
    members = [child.child_by_field_name("definition") or child for child in body.named_children] if body else []
    named = [(text(each.child_by_field_name("name")), each) for each in members if each.type == "function_definition"]
    ours = [(name, each) for name, each in named if name.startswith(prefix)]
    if len(ours) >= _FEWEST_METHODS:
        for name, each in ours[:_MAX]:
            into.entry("route", name.removeprefix(prefix), each)


def _allowed(node: Node, into: Collector) -> None:
    """``rpc_methods = ("open", "close", …)`` in a class that looks up methods with ``getattr``."""
    body = node.child_by_field_name("body")
    if body is None or b"getattr(self" not in (node.text or b""):
        return
    for child in body.named_children[:200]:
        assignment = child_at(child) if child.type == "expression_statement" else None
        if assignment is None or assignment.type != "assignment":
            continue
        listed = assignment.child_by_field_name("right")
        if listed is None or not _ALLOWED.fullmatch(text(assignment.child_by_field_name("left"))):
            continue
        named = [(plain(each), each) for each in listed.named_children[:_MAX] if each.type == "string"]
        if listed.type in ("tuple", "list", "set") and len(named) >= _FEWEST_METHODS:
            for name, each in named:
                into.entry("route", name or "", each)
