"""Finds JavaScript routes: Express and similar, Fastify, Hono, Koa, Nest."""

from __future__ import annotations

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.javascript_calls import (
    JavaScriptNodes,
    arguments,
    called,
    decorator,
    first_string,
    members,
    pairs,
)
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.route_paths import METHODS, add, joined
from loremark.memory.codebase.parsing.syntax import text

_VERBS = {**{method: method for method in METHODS}, "del": "delete", "all": "", "any": "", "ws": "WS"}
_MADE_BY = words("express Router fastify Fastify Hono OpenAPIHono Koa KoaRouter Elysia polka restify Oak")
_OWNERS = words("app router server fastify routes route")
_CONTROLLERS = frozenset(("Controller", "JsonController", "RestController"))
_MAX_CHAIN = 40


def read(found: JavaScriptNodes, into: Collector) -> None:
    """Finds routes declared by calls, then by controllers."""
    prefixes = _prefixes(found)
    for owner, name, call in found.calls:
        if name in _VERBS:
            _verb(owner, name, call, found, prefixes, into)
        elif name == "route" and (owner in _OWNERS or owner in prefixes):
            _described(call, prefixes.get(owner, ""), into)
    for node, decorators in found.classes:
        for each in decorators:
            name, given = decorator(each)
            if name in _CONTROLLERS:
                _controller(node, _argument(given), into)


def _prefixes(found: JavaScriptNodes) -> dict[str, str]:
    """Variables that hold an application or a router, with the prefix of each."""
    prefixes: dict[str, str] = {}
    for variable, (name, call) in found.made.items():
        if name in _MADE_BY:
            options = dict(pairs(arguments(call)[0])) if arguments(call) else {}
            prefixes[variable] = plain(options.get("prefix")) or ""
        elif name == "basePath":
            prefixes[variable] = first_string(call) or ""
    for _, name, call in found.calls:
        if name in ("use", "route"):
            given = arguments(call)
            mounted = text(given[-1]) if len(given) > 1 and given[-1].type == "identifier" else ""
            if mounted in prefixes and not prefixes[mounted]:
                prefixes[mounted] = plain(given[0]) or ""
    return prefixes


def _is_router(owner: str, prefixes: dict[str, str]) -> bool:
    return owner in prefixes or owner in _OWNERS or owner.endswith(("Router", "router", "andlers"))


def _verb(owner: str, name: str, call: Node, found: JavaScriptNodes, prefixes: dict[str, str], into: Collector) -> None:
    """``app.get("/x", handler)`` and ``router.route("/x").get(handler)``; HTTP clients have the same method names."""
    given = arguments(call)
    path = plain(given[0]) if given else None
    if path is None:
        chained = _chained(call) if not owner else None
        if chained is not None and _is_router(chained[0], prefixes):
            add(into, [_VERBS[name]], joined(prefixes.get(chained[0], ""), chained[1]), call)
        return
    if not path.startswith(("/", "*")) or len(given) < 2 or given[-1].type in ("object", "string", "await_expression"):
        return
    if not owner:
        owner = _first_of_chain(call)
    if _is_router(owner, prefixes):
        add(into, [_VERBS[name]], joined(prefixes.get(owner, ""), path), call)


def _chained(call: Node) -> tuple[str, str] | None:
    """The router and path of ``router.route("/x").post(a).get(b)``."""
    at: Node | None = call
    for _ in range(_MAX_CHAIN):
        function = at.child_by_field_name("function") if at is not None else None
        at = function.child_by_field_name("object") if function is not None else None
        if at is None or at.type != "call_expression":
            return None
        owner, name = called(at)
        if name == "route":
            path = first_string(at)
            return (owner, path) if path is not None else None
    return None


def _first_of_chain(call: Node) -> str:
    """The variable, or the call that creates it, at the start of ``new Hono().get(a).post(b)``."""
    at: Node | None = call
    for _ in range(_MAX_CHAIN):
        function = at.child_by_field_name("function") if at is not None else None
        inner = function.child_by_field_name("object") if function is not None else None
        if inner is None:
            return ""
        if inner.type == "identifier":
            return text(inner)
        if inner.type == "new_expression":
            return "router" if called(inner)[1] in _MADE_BY else ""
        at = inner
    return ""


def _described(call: Node, prefix: str, into: Collector) -> None:
    """``fastify.route({ method: "GET", url: "/x" })``."""
    given = arguments(call)
    options = dict(pairs(given[0])) if given else {}
    path = plain(options.get("url")) or plain(options.get("path"))
    method = options.get("method")
    if path is not None and method is not None:
        methods = [plain(method)] if plain(method) else [plain(each) for each in method.named_children[:8]]
        add(into, [each for each in methods if each], joined(prefix, path), call)


def _argument(call: Node | None) -> str:
    """The path of a decorator: its string, or that of its options."""
    given = arguments(call) if call is not None else []
    if not given:
        return ""
    return plain(given[0]) or plain(dict(pairs(given[0])).get("path")) or ""


def _controller(node: Node, prefix: str, into: Collector) -> None:
    for member, decorators in members(node):
        for each in decorators:
            name, call = decorator(each)
            verb = _VERBS.get(name.lower()) if name[:1].isupper() and call is not None else None
            if verb is not None:
                add(into, [verb], joined(prefix, _argument(call)), member)
