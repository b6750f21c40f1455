"""Collects the JavaScript syntax nodes that may declare something, in one walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from loremark.memory.codebase.parsing.literals import is_string, plain, words
from loremark.memory.codebase.parsing.syntax import child_at, text, walk

_MAX = 5_000
_NOT_ENTERED = words(
    "string comment identifier property_identifier formal_parameters type_annotation type_arguments type_parameters "
    "template_string regex number interface_declaration type_alias_declaration enum_declaration import_statement "
    "jsx_opening_element jsx_text type_identifier binary_expression decorator"
)
_CALLS = frozenset(("call_expression", "new_expression"))


@dataclass(frozen=True, slots=True)
class JavaScriptNodes:
    """Relevant nodes in source order."""

    calls: list[tuple[str, str, Node]] = field(default_factory=list)
    """Receiver variable, last part of the callee, and the call, including ``new``."""
    made: dict[str, tuple[str, Node]] = field(default_factory=dict)
    """Variables with the callee that creates them, and the call."""
    classes: list[tuple[Node, list[Node]]] = field(default_factory=list)
    """Classes with their decorators."""
    packages: frozenset[str] = frozenset()
    """Imported modules as written."""

    def uses(self, *packages: str) -> bool:
        return not self.packages.isdisjoint(packages)


def find(root: Node, packages: frozenset[str], classes: list[tuple[Node, list[Node]]]) -> JavaScriptNodes:
    """Collects the nodes in one walk."""
    found = JavaScriptNodes(classes=classes, packages=packages)
    for node in walk(root, lambda node: node.type not in _NOT_ENTERED):
        kind = node.type
        if kind in _CALLS and len(found.calls) < _MAX:
            owner, name = called(node)
            if name:
                found.calls.append((owner, name, node))
        elif kind == "variable_declarator" and len(found.made) < _MAX:
            value = unwrapped(node.child_by_field_name("value"))
            if value is not None and value.type in _CALLS:
                found.made[text(node.child_by_field_name("name"))] = (called(value)[1], value)
    return found


def unwrapped(node: Node | None) -> Node | None:
    """The expression inside ``await``, type assertions or parentheses."""
    for _ in range(4):
        if node is None or node.type not in (
            "await_expression",
            "as_expression",
            "satisfies_expression",
            "non_null_expression",
            "parenthesized_expression",
        ):
            return node
        node = child_at(node)
    return node


def called(call: Node) -> tuple[str, str]:
    """``app`` and ``get`` of ``app.get(...)``; the receiver is empty if it is not a plain name."""
    function = call.child_by_field_name("function" if call.type == "call_expression" else "constructor")
    if function is None:
        return "", ""
    if function.type == "member_expression":
        target = function.child_by_field_name("object")
        owner = ""
        if target is not None and target.type in ("identifier", "this"):
            owner = text(target)
        elif target is not None and target.type == "member_expression":
            owner = text(target.child_by_field_name("property"))
        return owner, text(function.child_by_field_name("property"))
    return "", text(function) if function.type in ("identifier", "import") else ""


def arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return [child for child in given.named_children[:20] if child.type != "comment"] if given is not None else []


def first_string(call: Node) -> str | None:
    given = arguments(call)
    return plain(given[0]) if given else None


_FUNCTIONS = words(
    "arrow_function function_expression function function_declaration method_definition generator_function class_body"
)
_MAX_DEPTH = 40


def is_top_level(node: Node) -> bool:
    """Whether the node runs when the file is loaded, outside any function."""
    at = node.parent
    for _ in range(_MAX_DEPTH):
        if at is None or at.type == "program":
            return True
        if at.type in _FUNCTIONS:
            return False
        at = at.parent
    return False


def pairs(node: Node | None) -> Iterator[tuple[str, Node]]:
    """Keys and values of an object."""
    if node is None or node.type != "object":
        return
    for child in node.named_children[:200]:
        if child.type == "pair":
            key = child.child_by_field_name("key")
            value = child.child_by_field_name("value")
            if key is not None and value is not None:
                yield (plain(key) or "") if is_string(key) else text(key), value
        elif child.type == "method_definition":
            yield text(child.child_by_field_name("name")), child


def decorator(node: Node) -> tuple[str, Node | None]:
    """The decorator's name, and the call if it is one."""
    inner = child_at(node)
    if inner is None:
        return "", None
    call = inner if inner.type == "call_expression" else None
    name = text(inner.child_by_field_name("function") if call is not None else inner)
    return name.rpartition(".")[2], call


def members(node: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Class members with their decorators."""
    body = node.child_by_field_name("body")
    waiting: list[Node] = []
    for child in body.named_children[:400] if body is not None else ():
        if child.type == "decorator":
            waiting.append(child)
        elif child.type != "comment":
            own = [each for each in child.named_children[:12] if each.type == "decorator"]
            yield child, waiting + own
            waiting = []
