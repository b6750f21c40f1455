"""Finds C# calls that start, map or register something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing import route_paths, syntax
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector

# Method bodies have many nodes, so calls are found in the text and only then looked up in the tree.
_CALLS = re.compile(
    rb"\b(?:(?P<http>Map(?:Get|Post|Put|Delete|Patch|Group|Hub|GrpcService|Fallback))\b"
    rb"|(?P<server>WebApplication|WebHost|UseStartup|ConfigureWebHostDefaults|ConfigureWebHost|UseKestrel)\b"
    rb"|(?P<host>Host)\s{0,20}\.\s{0,20}Create\w{1,30}Builder\b"
    rb"|(?P<command>RootCommand|Command|AddCommand|ParseArguments)\b\s{0,20}[(<]|(?P<job>AddOrUpdate)\b)"
)
_HTTP_CALL = re.compile(r"Map(Get|Post|Put|Delete|Patch)")
FIRST_STRING = re.compile(r'\(\s{0,20}[@$]{0,2}"([^"\\]{0,200})"')


def read_calls(root: Node, into: Collector) -> None:
    groups: dict[str, str] = {}
    for node, match in _calls(root):
        _read_call(node, match, into, groups)


def _calls(root: Node) -> Iterator[tuple[Node, re.Match[bytes]]]:
    """Relevant calls, excluding matches in comments and strings."""
    for count, match in enumerate(_CALLS.finditer(root.text or b"")):
        # A file may start with a byte order mark or empty lines, before the root node.
        at = root.start_byte + match.start()
        node = root.descendant_for_byte_range(at, at + 1) if count < 2 * MAX_FACTS_PER_KIND else None
        if node is not None and node.type == "identifier":
            yield node, match


def _read_call(node: Node, match: re.Match[bytes], into: Collector, groups: dict[str, str]) -> None:
    if match["server"] or match["host"]:
        # A call that starts a server is followed by a dot or a call; a type or parameter of that name is not.
        is_started = node.parent is not None and node.parent.type in ("member_access_expression", "generic_name")
        if is_started and not into.has_entry("server"):
            into.entry("server", syntax.text(node), node)
        return
    call = _call_of(node)
    if call is None:
        return
    after = (call.text or b"")[node.end_byte - call.start_byte :][:400]
    found = FIRST_STRING.search(after.decode(errors="replace"))
    value = found.group(1) if found else None
    if match["http"]:
        _read_mapping(node, call, value, into, groups)
    elif match["job"]:
        into.entry("job", value or "", node)
    elif syntax.text(node) == "ParseArguments":
        kinds = re.search(r"ParseArguments<([\w.]{1,100})", syntax.text(node.parent))
        into.entry("cli", kinds.group(1) if kinds else "", node)
    else:
        into.entry("cli", "main" if syntax.text(node) == "RootCommand" else value or "", node)


def _call_of(node: Node) -> Node | None:
    """The call of a name: ``a.MapGet<T>(…)``, ``new Command(…)``."""
    above = node.parent
    for _ in range(3):
        if above is None or above.type in ("invocation_expression", "object_creation_expression"):
            return above
        if above.type not in ("member_access_expression", "generic_name", "conditional_access_expression"):
            return None
        above = above.parent
    return None


def _read_mapping(node: Node, call: Node, value: str | None, into: Collector, groups: dict[str, str]) -> None:
    function = call.child_by_field_name("function")
    receiver = function.child_by_field_name("expression") if function is not None else None
    prefix = groups.get(syntax.text(receiver), "")
    if receiver is not None and receiver.type == "invocation_expression":
        found = re.search(r'MapGroup\(\s{0,20}"([^"\\]{0,200})"', syntax.text(receiver, 400))
        prefix = found.group(1) if found else ""
    name = syntax.text(node)
    http = _HTTP_CALL.fullmatch(name)
    if name == "MapGroup" and value is not None:
        variable = call.parent
        if variable is not None and variable.type == "variable_declarator":
            groups[syntax.text(variable.child_by_field_name("name"))] = route_paths.joined(prefix, value)
    elif http and (value is not None or prefix):
        route_paths.add(into, [http.group(1)], route_paths.joined(prefix, value or ""), node)
    elif name == "MapHub" and value is not None:
        into.entry("route", f"HUB {route_paths.joined(prefix, value)}", node)
    elif name == "MapGrpcService":
        kind = re.search(r"<([\w.]{1,100})>", syntax.text(function))
        into.entry("route", f"gRPC {kind.group(1)}" if kind else "", node)
