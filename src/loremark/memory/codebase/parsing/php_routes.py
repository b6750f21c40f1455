"""Finds PHP routes: Laravel and Slim calls, Symfony attributes and annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing import route_paths, syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import words

_MAX_PATH_CHARS = 200
_VERBS = words("get post put patch delete options any head")
_RESOURCES = frozenset(("resource", "apiResource", "singleton", "apiSingleton"))
_ROUTERS = frozenset(("$app", "$router", "$group", "$route", "$routes", "$r", "$api"))
_GROUND = words(
    "program namespace_definition compound_statement if_statement ERROR "
    "expression_statement else_clause foreach_statement class_declaration declaration_list method_declaration "
    "function_definition return_statement anonymous_function arrow_function colon_block"
)
HAS_ROUTES = re.compile(rb"\bRoute::[a-zA-Z]|\bSlim\\|\bRouteCollectorProxy\b|\$router->")
_ROUTE_PATH = re.compile(r"\(\s{0,99}(?:path\s{0,9}[:=]\s{0,9}|value\s{0,9}=\s{0,9})?['\"]([^'\"\n]{0,200})['\"]")
_ROUTE_METHODS = re.compile(r"methods?\s{0,9}[:=]\s{0,9}[\[{]?([^\]})]{1,80})")
_ANNOTATION = re.compile(r"@Route(\([^@]{0,400})")


def read_calls(root: Node, into: Collector) -> None:
    """Finds route calls with the prefixes of their enclosing groups."""
    stack = [(root, "/api" if into.path.endswith("routes/api.php") else "")]
    for _ in range(syntax.MAX_NODES):
        if not stack:
            return
        node, prefix = stack.pop()
        if node.type in ("member_call_expression", "scoped_call_expression"):
            below, inner = _read_chain(node, prefix, into)
            stack.extend((child, inner) for child in reversed(below))
        elif node.type in _GROUND:
            stack.extend((child, prefix) for child in reversed(node.named_children))


def _read_chain(node: Node, prefix: str, into: Collector) -> tuple[list[Node], str]:
    """Reads a call chain that starts at a router; returns its groups with their prefixes."""
    links: list[tuple[str, Node | None]] = []
    at: Node | None = node
    while at is not None and at.type == "member_call_expression" and len(links) < 40:
        links.append((syntax.text(at.child_by_field_name("name")), at.child_by_field_name("arguments")))
        at = at.child_by_field_name("object")
    if at is not None and at.type == "scoped_call_expression":
        is_router = syntax.text(at.child_by_field_name("scope")).rpartition("\\")[2] == "Route"
        links.append((syntax.text(at.child_by_field_name("name")), at.child_by_field_name("arguments")))
    else:
        is_router = syntax.text(at) in _ROUTERS
    below: list[Node] = []
    for method, arguments in reversed(links) if is_router else ():
        given = (
            [child.named_children[-1] for child in arguments.named_children[:10] if child.named_child_count]
            if arguments
            else []
        )
        first = _string(given[0]) if given else None
        if method == "prefix" and first:
            prefix = _joined(prefix, first)
        elif method == "group" and given:
            option = re.search(r"['\"]prefix['\"]\s{0,9}=>\s{0,9}['\"]([^'\"\n]{0,100})", syntax.text(given[0], 400))
            prefix = _joined(prefix, first or (option.group(1) if option and given[0].type.startswith("array") else ""))
            below += [child for child in given if child.type in ("anonymous_function", "arrow_function")]
        elif method in _VERBS and first is not None and len(given) > 1:
            route_paths.add(into, [method if method != "any" else ""], _joined(prefix, first), node)
        elif method in ("match", "map") and len(given) > 1 and _string(given[1]) is not None:
            verbs = re.findall(r"[A-Za-z]{3,7}", syntax.text(given[0]))
            route_paths.add(into, verbs, _joined(prefix, _string(given[1]) or ""), node)
        elif method in _RESOURCES and first:
            into.entry("route", f"resource {_joined(prefix, first)}", node)
        elif method in ("view", "redirect", "inertia", "livewire") and first is not None and is_router:
            into.entry("route", f"GET {_joined(prefix, first)}", node)
    return below, prefix


def read_attributes(node: Node, name: str, members: list[Node], into: Collector, *, has_annotations: bool) -> None:
    above = node.prev_named_sibling if has_annotations else None
    prefix = next((path for _, path in _routes_of(node, above if above and above.type == "comment" else None)), "")
    comment: Node | None = None
    has_routes = False
    for member in members:
        if member.type == "method_declaration":
            for verbs, path in _routes_of(member, comment if has_annotations else None):
                route_paths.add(into, verbs, _joined(prefix, path), member)
                has_routes = True
        comment = member if member.type == "comment" else None
    if not has_routes:  # a single-action controller
        for verbs, path in _routes_of(node, None):
            route_paths.add(into, verbs, _joined("", path), node)


def _routes_of(node: Node | None, comment: Node | None) -> Iterator[tuple[list[str], str]]:
    """Verbs and paths from attributes or comment annotations."""
    texts: list[str] = []
    attributes = node.child_by_field_name("attributes") if node is not None else None
    for group in attributes.named_children[:20] if attributes is not None else ():
        for attribute in group.named_children[:20]:
            kind, _, rest = syntax.text(attribute, 600).partition("(")
            if kind.rpartition("\\")[2] == "Route" and rest:
                texts.append("(" + rest)
    if comment is not None:
        texts += _ANNOTATION.findall(syntax.text(comment, 4000))
    for text in texts[:10]:
        path, methods = _ROUTE_PATH.match(text), _ROUTE_METHODS.search(text)
        verbs = re.findall(r"[A-Za-z]{3,7}", methods.group(1).rpartition("::")[2]) if methods else []
        yield verbs, path.group(1) if path else ""


def _string(node: Node) -> str | None:
    return syntax.text(node, 200).strip("'\"") if node.type in ("string", "encapsed_string") else None


def _joined(prefix: str, path: str) -> str:
    """Joins the prefixes, truncated because groups can be nested without limit."""
    return route_paths.joined(prefix, path.strip("/"))[:_MAX_PATH_CHARS]
