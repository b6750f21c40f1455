"""Finds Rust commands, servers, routes and jobs."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import rust_servers
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import last_part, plain, words
from loremark.memory.codebase.parsing.route_paths import METHODS, Spans, add, joined
from loremark.memory.codebase.parsing.rust_items import Item, quoted
from loremark.memory.codebase.parsing.syntax import text, walk

_ATTRIBUTE = re.compile(r"#\[(?:\w{1,30}::)?(get|post|put|patch|delete|head|options|route)\(")
_METHOD = re.compile(r"method\s{0,4}=\s{0,4}\"(\w{1,10})\"")
_NAME = re.compile(r"(?:command|clap)\([^\"]{0,200}?\bname\s{0,4}=\s{0,4}\"([^\"]{1,80})\"")
_VERB = re.compile(r"\b(get|post|put|patch|delete|head|options|any)(?:_service|_with)?\(")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMES = re.compile(r"\w{1,80}")
_MAY_CALL = re.compile(
    rb"\.route\(|\.nest\(|\.mount\(|scope\(|resource\(|serve|HttpServer|Command::new|App::new|path!|"
    rb"rocket::|Server::builder|\.at\(|Job::new|warp::path|#\[launch\]"
)
_SERVERS = {
    "HttpServer::new": "Actix server",
    "axum::serve": "Axum server",
    "axum::Server::bind": "Axum server",
    "warp::serve": "warp server",
    "rocket::build": "Rocket server",
    "rocket::ignite": "Rocket server",
    "Server::builder": "gRPC server",
    "hyper::Server::bind": "HTTP server",
    "poem::Server::new": "Poem server",
    "Server::bind": "HTTP server",
}
_NOT_ENTERED = words(
    "use_declaration line_comment block_comment string_literal identifier attribute_item parameters struct_item "
    "enum_item type_arguments macro_definition binary_expression raw_string_literal"
)


def read(root: Node, items: list[Item], tests: list[Node], into: Collector) -> None:
    """Finds entries from attributes, then from calls; calls in inline tests are ignored."""
    prefixes: dict[str, str] = {}
    calls: list[tuple[str, Node, list[Node]]] = []
    may_serve = rust_servers.MAY_SERVE.search(root.text or b"") is not None
    if may_serve or _MAY_CALL.search(root.text or b"") is not None:
        calls = _calls(root, frozenset((node.start_byte, node.end_byte) for node in tests))
        prefixes = _mounted(root, calls)
    for item in items:
        if item.node.type == "function_item":
            _attributes(item, prefixes, into)
            rust_servers.read_attributes(item, into)
        elif item.node.type in ("struct_item", "enum_item"):
            _derived(item, into)
    spans = _spans(calls)
    has_server = False
    uses_clap = any(each.target.split("::")[0] == "clap" for each in into.imports)
    takes_process = any(each.target == "std::process" and "Command" in each.names for each in into.imports)
    for name, call, given in calls:
        title = _SERVERS.get(name)
        if title and not has_server and (name != "Server::builder" or b"tonic" in (root.text or b"")):
            has_server = True
            into.entry("server", title, call)
        elif name in ("App::new", "clap::Command::new", "clap::App::new") or (
            name == "Command::new" and uses_clap and not takes_process
        ):
            into.entry("cli", plain(given[0]) or "" if given and uses_clap else "", call)
        elif name in ("Job::new", "Job::new_async") and given and plain(given[0]):
            into.entry("job", f"cron {plain(given[0])}", call)
        else:
            _route(name, call, given, spans, into)
    if may_serve:
        rust_servers.read(root, calls, into)


def _attributes(item: Item, prefixes: dict[str, str], into: Collector) -> None:
    name = text(item.node.child_by_field_name("name"))
    for written in item.attributes:
        match = _ATTRIBUTE.match(written)
        path = quoted(written) if match else None
        if match is not None and path is not None and path.startswith("/"):
            methods = [match.group(1)] if match.group(1) != "route" else _METHOD.findall(written)
            add(into, methods, joined(prefixes.get(name, ""), path), item.node)


def _derived(item: Item, into: Collector) -> None:
    """``Parser`` is a program, ``Subcommand`` its commands."""
    derives = item.derives()
    if "Parser" in derives and item.node.type == "struct_item":
        named = next((m.group(1) for each in item.attributes for m in [_NAME.search(each)] if m), None)
        into.entry("cli", named or _kebab(text(item.node.child_by_field_name("name"))), item.node)
    elif "Subcommand" in derives and item.node.type == "enum_item":
        body = item.node.child_by_field_name("body")
        named = None
        for child in body.named_children[:100] if body is not None else ():
            if child.type == "attribute_item":
                match = _NAME.search(text(child, 600))
                named = match.group(1) if match else named
            elif child.type == "enum_variant":
                into.entry("cli", named or _kebab(text(child.child_by_field_name("name"))), child)
                named = None


def _kebab(name: str) -> str:
    return _HUMP.sub("-", name).lower()


def _calls(root: Node, left_out: frozenset[tuple[int, int]]) -> list[tuple[str, Node, list[Node]]]:
    """Callee (``.route`` for a method, ``Command::new`` for a path), call and arguments."""
    found: list[tuple[str, Node, list[Node]]] = []
    for node in walk(
        root, lambda node: node.type not in _NOT_ENTERED and (node.start_byte, node.end_byte) not in left_out
    ):
        if node.type != "call_expression" or len(found) >= 5_000:
            continue
        function = node.child_by_field_name("function")
        if function is None:
            continue
        if function.type == "field_expression":
            name = "." + text(function.child_by_field_name("field"))
        else:
            name = text(function) if function.type in ("scoped_identifier", "identifier") else ""
        given = node.child_by_field_name("arguments")
        if name and given is not None:
            found.append((name, node, [each for each in given.named_children[:12] if "comment" not in each.type]))
    return found


def _mounted(root: Node, calls: list[tuple[str, Node, list[Node]]]) -> dict[str, str]:
    """Rocket: ``.mount("/api", routes![a, b])`` gives its functions a prefix."""
    prefixes = {}
    for name, _, given in calls:
        if name == ".mount" and len(given) > 1 and given[1].type == "macro_invocation" and plain(given[0]):
            for function in _NAMES.findall(text(given[1], 2_000).partition("!")[2]):
                prefixes[function] = plain(given[0]) or ""
    return {function: prefix for function, prefix in prefixes.items() if prefix != "/"}


def _spans(calls: list[tuple[str, Node, list[Node]]]) -> Spans:
    spans = Spans()
    for name, call, given in calls:
        path = plain(given[0]) if given else None
        if not path:
            continue
        if name in (".nest", ".nest_service") and len(given) > 1:
            spans.add(given[-1], path)
        elif last_part(name) in ("scope", "resource") and not name.startswith("."):
            spans.add(_whole_chain(call), path)
    return spans


def _whole_chain(call: Node) -> Node:
    """``scope("/x").service(a).service(b)`` as one chain."""
    at = call
    for _ in range(120):
        above = at.parent
        if above is None or above.type not in ("field_expression", "call_expression"):
            break
        if above.type == "call_expression" and above.child_by_field_name("function") != at:
            break
        at = above
    return at


def _route(name: str, call: Node, given: list[Node], spans: Spans, into: Collector) -> None:
    path = plain(given[0]) if given else None
    if name in (".route", ".at", ".route_service") and path is not None and path.startswith("/") and len(given) > 1:
        methods = [method for method in _VERB.findall(text(given[1], 1_000)) if method != "any"]
        add(into, methods, joined(spans.prefix(call), path), call)
    elif name == ".route" and given and given[0].type == "call_expression" and spans.prefix(call):
        methods = [method for method in _VERB.findall(text(given[0], 400)) if method in METHODS]
        if methods:
            add(into, methods[:1], spans.prefix(call), call)
    elif name == "warp::path" and path:
        add(into, [], joined(path), call)
