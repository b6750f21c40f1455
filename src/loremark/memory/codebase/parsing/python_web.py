"""Finds servers and routes of Python web frameworks."""

from __future__ import annotations

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.python_calls import (
    PythonNodes,
    arguments,
    called,
    decorators,
    first_string,
    receiver,
    strings,
)
from loremark.memory.codebase.parsing.route_paths import METHODS, Spans, add, joined
from loremark.memory.codebase.parsing.syntax import child_at, text

_SERVERS = {
    "Flask": "flask",
    "APIFlask": "apiflask",
    "OpenAPI": "flask_openapi3",
    "FastAPI": "fastapi",
    "Starlette": "starlette",
    "Sanic": "sanic",
    "Bottle": "bottle",
    "Quart": "quart",
    "Litestar": "litestar",
    "Robyn": "robyn",
    "BlackSheep": "blacksheep",
    "Dash": "dash",
    "Application": "aiohttp tornado",
    "App": "falcon",
    "API": "falcon responder",
}
_MADE = {
    "get_wsgi_application": "Django WSGI application",
    "get_asgi_application": "Django ASGI application",
    "get_default_application": "Django ASGI application",
}
_PREFIXED = words("Blueprint APIRouter APIBlueprint Router SimpleRouter DefaultRouter RouteTableDef")
_MOUNTING = words("include_router register_blueprint blueprint")
_DECORATING = METHODS | {"route", "websocket", "api_route", "view"}
_DJANGO = frozenset(("path", "re_path", "url"))
_BY_CALL = words(
    "add_url_rule add_api_route add_api_websocket_route add_route add_websocket_route Route WebSocketRoute "
    "add_resource add_get add_post add_put add_patch add_delete add_head add_view"
)


def read(found: PythonNodes, into: Collector) -> None:
    """Finds servers first, then routes in source order."""
    _servers(found, into)
    prefixes = _prefixes(found)
    for decorated in found.decorated:
        for owner, name, call, node in decorators(decorated):
            if name in _DECORATING and call is not None:
                _decorated(name, call, prefixes.get(owner, ""), node, into)
    if found.uses("django"):
        _django(found, into)
    mounts = _mounts(found)
    for name, call in found.calls:
        if name in _BY_CALL or (name.startswith("add_") and name.endswith("_resource")):
            _called(name, call, joined_or_empty(mounts.prefix(call), prefixes.get(receiver(call), "")), into)
        elif name in METHODS | {"view"} and receiver(call) == "web" and found.uses("aiohttp"):
            _path(name if name != "view" else "", first_string(call), "", call, into)
        elif name == "Application" and found.uses("tornado"):
            _tornado(call, into)


def joined_or_empty(*parts: str) -> str:
    return joined(*parts) if any(parts) else ""


def _servers(found: PythonNodes, into: Collector) -> None:
    for _, name, call in found.assigned:
        packages = _SERVERS.get(name, "").split()
        if packages and found.uses(*packages):
            into.entry("server", f"{_title(name, packages, found)}", call)
    for name, call in found.calls:
        if name in _MADE:
            into.entry("server", _MADE[name], call)
        elif name == "server" and receiver(call) in ("grpc", "aio") and found.uses("grpc"):
            into.entry("server", "gRPC server", call)
    if into.has_entry("server"):
        return
    for name, call in found.calls:
        if name == "run" and receiver(call) in ("uvicorn", "hypercorn", "waitress"):
            into.entry("server", receiver(call), call)


def _title(name: str, packages: list[str], found: PythonNodes) -> str:
    if name in ("Application", "App", "API"):
        name = next(package for package in packages if package in found.packages)
    return f"{name} app"


def _prefixes(found: PythonNodes) -> dict[str, str]:
    """The prefix of each router variable, including the prefix where it is mounted."""
    prefixes: dict[str, str] = {}
    for variable, name, call in found.assigned:
        if name in _PREFIXED or name in _SERVERS:
            _, named = arguments(call)
            own = plain(named.get("url_prefix")) or plain(named.get("prefix")) or plain(named.get("root_path")) or ""
            prefixes[variable] = own if name not in _SERVERS else ""
    for name, call in found.calls:
        if name in _MOUNTING:
            plainly, named = arguments(call)
            outer = plain(named.get("url_prefix")) or plain(named.get("prefix"))
            variable = text(plainly[0]) if plainly else ""
            if outer and variable in prefixes:
                # In Flask the later prefix replaces the first; in FastAPI they are combined.
                prefixes[variable] = outer if name != "include_router" else joined(outer, prefixes[variable])
    return prefixes


def _methods(named: dict[str, Node]) -> list[str]:
    return strings(named.get("methods")) or strings(named.get("method"))


def _decorated(name: str, call: Node, prefix: str, node: Node, into: Collector) -> None:
    plainly, named = arguments(call)
    places = [plainly[0]] if plainly else [named[key] for key in ("path", "rule", "uri") if key in named][:1]
    path = plain(places[0]) if places else None
    if path is None or not (path.startswith(("/", "<", "{")) or (prefix and not path)):
        return
    methods = [name] if name in METHODS else ["WS"] if name == "websocket" else _methods(named)
    add(into, methods or (["GET"] if name == "route" else []), joined(prefix, path), node)


def _called(name: str, call: Node, prefix: str, into: Collector) -> None:
    plainly, named = arguments(call)
    values = [plain(each) for each in (*plainly[:3], *(named[key] for key in ("path", "rule") if key in named))]
    path = next((value for value in values if value is not None and value.startswith(("/", "^/"))), None)
    method = name.removeprefix("add_")
    methods = [method] if method in METHODS else _methods(named)
    if not methods and values and values[0] and values[0].lower() in METHODS:
        methods = [values[0]]
    if "ebsocket" in name or "ebSocket" in name:
        methods = ["WS"]
    if path is not None:
        add(into, methods, joined(prefix, path), call)
    elif name == "Route" and values and values[0] == "":
        add(into, methods, joined(prefix, ""), call)


def _path(method: str, path: str | None, prefix: str, node: Node, into: Collector) -> None:
    if path is not None and path.startswith("/"):
        add(into, [method], joined(prefix, path), node)


def _mounts(found: PythonNodes) -> Spans:
    spans = Spans()
    for name, call in found.calls:
        if name in ("Mount", "mount"):
            spans.add(call, first_string(call, "path") or "")
    return spans


def _django(found: PythonNodes, into: Collector) -> None:
    """``path()`` and similar; a list included elsewhere in the same file gets the prefix from there."""
    lists = _url_lists(found)
    spans = Spans()
    routers: dict[str, str] = {}
    for name, call in found.calls:
        included = _included(call) if name in _DJANGO else None
        if included is None:
            continue
        prefix = first_string(call, "route") or ""
        spans.add(call, prefix)
        if included in lists:
            spans.add(lists[included], prefix)
        routers[included.removesuffix(".urls")] = prefix
    for name, call in found.calls:
        if name in _DJANGO and not receiver(call) and _included(call) is None:
            plainly, named = arguments(call)
            path = first_string(call, "route")
            if path is not None and len(plainly) + len(named) >= 2:
                add(into, [], joined(spans.prefix(call), path), call)
        elif name == "register" and found.uses("rest_framework", "rest_framework_nested", "rest_framework_extensions"):
            path = first_string(call, "prefix")
            plainly, _ = arguments(call)
            if path is not None and len(plainly) >= 2:
                add(into, [], joined(routers.get(receiver(call), ""), path), call)


def _included(call: Node) -> str | None:
    """The name that a Django route includes; None if it refers to a view."""
    plainly, named = arguments(call)
    target = plainly[1] if len(plainly) > 1 else named.get("view")
    if target is None or target.type != "call" or called(target) != "include":
        return None
    inner, _ = arguments(target)
    return text(inner[0]) if inner else ""


def _url_lists(found: PythonNodes) -> dict[str, Node]:
    """Route lists by variable: the lists that contain a ``path()``."""
    lists: dict[str, Node] = {}
    for name, call in found.calls[:400]:
        if name in _DJANGO:
            around = call.parent
            owner = around.parent if around is not None and around.type == "list" else None
            if around is not None and owner is not None and owner.type == "assignment":
                lists.setdefault(text(owner.child_by_field_name("left")), around)
    return lists


def _tornado(call: Node, into: Collector) -> None:
    plainly, _ = arguments(call)
    for pair in plainly[0].named_children[:100] if plainly else ():
        first = child_at(pair) if pair.type == "tuple" else None
        _path("", plain(first), "", pair, into)
