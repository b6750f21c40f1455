"""The places of a Python file where something may be declared, found in one walk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from cairn.memory.codebase.parsing.literals import is_string, plain, words
from cairn.memory.codebase.parsing.syntax import child_at, text, walk

_MOST = 3_000
_NOT_ENTERED = words(
    "string comment identifier parameters dotted_name integer float true false none type binary_operator "
    "comparison_operator import_statement import_from_statement subscript lambda boolean_operator return_statement "
    "raise_statement assert_statement delete_statement global_statement pass_statement"
)
_CALLS = words(
    "path re_path url add_url_rule add_api_route add_api_websocket_route add_route add_routes add_websocket_route "
    "Route WebSocketRoute Mount include_router register_blueprint blueprint mount register add_get add_post add_put "
    "add_patch add_delete add_head add_view include add_typer add_parser add_subparsers ArgumentParser add_job "
    "add_command Fire docopt add_resource get post put patch delete view route run run_app serve_forever "
    "HTTPServer ThreadingHTTPServer server get_wsgi_application get_asgi_application get_default_application "
    "create_table add_column CreateModel AddField rename_table Application schedule add_periodic_task"
)
_MAY_DECLARE = re.compile(
    rb"^[ \t]*@|^[ \t]+(?:import|from) |_route|[Rr]oute\(|Mount\(|path\(|url|\.register|parser|add_|Flask|FastAPI|"
    rb"Starlette|Sanic|Bottle|Quart|Litestar|App|_application|HTTPServer|\bop\.|migrations\.|Fire\(|docopt|\.run\(|"
    rb"grpc|Blueprint|Router|Table\(",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """Nodes in the order of the text."""

    imports: list[Node]
    decorated: list[Node]
    calls: list[tuple[str, Node]]
    """The last part of what is called, for names that may declare something."""
    assigned: list[tuple[str, str, Node]]
    """A variable, the last part of what is called to make it, the call."""
    packages: frozenset[str] = frozenset()
    """The first parts of what is imported."""

    def uses(self, *packages: str) -> bool:
        return not self.packages.isdisjoint(packages)


def find(root: Node) -> Found:
    """One walk for everything."""
    found = Found([], [], [], [])
    source = root.text or b""
    if _MAY_DECLARE.search(source) is None:
        found.imports.extend(
            node for node in walk(root, _enter_blocks) if node.type in ("import_statement", "import_from_statement")
        )
        return found
    for node in walk(root, lambda node: node.type not in _NOT_ENTERED):
        kind = node.type
        if kind in ("import_statement", "import_from_statement"):
            found.imports.append(node)
        elif kind == "decorated_definition":
            found.decorated.append(node)
        elif kind == "call" and len(found.calls) < _MOST:
            name = called(node)
            if name in _CALLS or (name.startswith("add_") and name.endswith("_resource")):
                found.calls.append((name, node))
        elif kind == "assignment" and len(found.assigned) < _MOST:
            right = node.child_by_field_name("right")
            if right is not None and right.type == "call":
                variable = text(node.child_by_field_name("left"))
                found.assigned.append((variable.rpartition(".")[2], called(right), right))
    return found


def _enter_blocks(node: Node) -> bool:
    return node.type in ("module", "if_statement", "try_statement", "block", "except_clause", "else_clause")


def called(call: Node) -> str:
    """``get`` of ``app.router.get(...)``."""
    function = call.child_by_field_name("function")
    if function is None:
        return ""
    if function.type == "attribute":
        return text(function.child_by_field_name("attribute"))
    return text(function) if function.type == "identifier" else ""


def receiver(call: Node) -> str:
    """``router`` of ``app.router.get(...)``; empty for a plain function."""
    function = call.child_by_field_name("function")
    if function is None or function.type != "attribute":
        return ""
    return text(function.child_by_field_name("object")).rpartition(".")[2]


def arguments(call: Node) -> tuple[list[Node], dict[str, Node]]:
    """Those by place and those by name."""
    plainly: list[Node] = []
    named: dict[str, Node] = {}
    given = call.child_by_field_name("arguments")
    for child in given.named_children[:60] if given is not None else ():
        if child.type == "keyword_argument":
            value = child.child_by_field_name("value")
            if value is not None:
                named[text(child.child_by_field_name("name"))] = value
        elif child.type != "comment":
            plainly.append(child)
    return plainly, named


def first_string(call: Node, *names: str) -> str | None:
    """The first argument, or one of these names, where it is a literal."""
    plainly, named = arguments(call)
    for name in names:
        if name in named:
            return plain(named[name])
    return plain(plainly[0]) if plainly else None


def strings(node: Node | None) -> list[str]:
    """A literal, or those of a list, tuple or set."""
    if node is None:
        return []
    nodes = [node] if is_string(node) else node.named_children[:20]
    return [value for value in map(plain, nodes) if value]


def decorators(decorated: Node) -> Iterator[tuple[str, str, Node | None, Node]]:
    """For each: whose it is, its name, the call if it is one, the decorator."""
    for child in decorated.named_children:
        if child.type != "decorator":
            continue
        inner = child_at(child)
        if inner is None:
            continue
        call = inner if inner.type == "call" else None
        dotted = text(inner.child_by_field_name("function") if call is not None else inner)
        owner, _, name = dotted.rpartition(".")
        yield owner.rpartition(".")[2], name, call, child


def defined(decorated: Node) -> tuple[str, Node]:
    """The name of what is decorated, and its definition."""
    definition = decorated.child_by_field_name("definition") or decorated
    return text(definition.child_by_field_name("name")), definition
