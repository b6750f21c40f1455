"""Finds Rails, Sinatra and Grape routes with their enclosing scopes."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import route_paths, syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.ruby_calls import (
    arguments_of,
    first_key,
    inside,
    method_of,
    options_of,
    singular,
    word_of,
)

_VERBS = words("get post put patch delete options head match")
_MAX_PATH_CHARS = 200


def read_routes(root: Node, into: Collector, *, needs_block: bool) -> None:
    """Finds routes with their enclosing scopes; nested resources get the parent's path."""
    stack = [(node, "") for node in reversed(root.named_children)]
    for _ in range(syntax.MAX_NODES):
        if not stack:
            return
        node, prefix = stack.pop()
        method = method_of(node)
        arguments = arguments_of(node) if method else []
        options = options_of(arguments) if arguments else {}
        has_block = node.child_by_field_name("block") is not None if method else True
        if method in _VERBS and arguments:
            if not needs_block or has_block:
                _read_route(node, method, prefix, arguments, options, into)
            continue
        if method == "root":
            into.entry("route", f"GET {prefix or '/'}", node)
        elif method == "mount" and arguments:
            place = (
                word_of(options["at"]) if "at" in options else next((word_of(value) for value in options.values()), "")
            )
            into.entry("route", f"mount {_joined(prefix, place)}" if place else "", node)
        elif method in ("resources", "resource", "devise_for") and arguments and not needs_block:
            for argument in arguments[:20]:
                if argument.type in ("simple_symbol", "string"):
                    path = _joined(prefix, word_of(options["path"]) if "path" in options else word_of(argument))
                    into.entry("route", f"{method} {path}", node)
        if has_block:
            stack.extend((child, _below(method, prefix, arguments, options)) for child in reversed(inside(node)))


def _read_route(
    node: Node, method: str, prefix: str, arguments: list[Node], options: dict[str, Node], into: Collector
) -> None:
    verbs = [method]
    if method == "match":
        via = re.findall(r"[a-z]{3,7}", syntax.text(options["via"])) if "via" in options else []
        verbs = [word for word in via if word != "all"]
    if "on" in options and word_of(options["on"]) == "collection":
        prefix = re.sub(r"/:\w+$", "", prefix)
    for argument in arguments[:20]:
        if argument.type in ("simple_symbol", "string"):
            route_paths.add(into, verbs, _joined(prefix, word_of(argument)), node)
        elif argument.type == "pair" and argument is arguments[0]:
            route_paths.add(into, verbs, _joined(prefix, first_key(argument)), node)


def _below(method: str, prefix: str, arguments: list[Node], options: dict[str, Node]) -> str:
    """The path prefix inside the block of a call."""
    first = word_of(arguments[0]) if arguments and arguments[0].type in ("simple_symbol", "string") else ""
    place = word_of(options["path"]) if "path" in options else first
    if method in ("namespace", "scope", "resource", "route_param", "group") and place:
        return _joined(prefix, f":{place}" if method == "route_param" else place)
    if method == "resources" and place:
        return f"{_joined(prefix, place)}/:{singular(first)}_id"
    if method == "member":
        return re.sub(r"/:\w+$", "/:id", prefix)
    return re.sub(r"/:\w+$", "", prefix) if method == "collection" else prefix


def _joined(prefix: str, path: str) -> str:
    """Joins the path, truncated because blocks can be nested without limit."""
    return route_paths.joined(prefix, path.strip("/"))[:_MAX_PATH_CHARS]
