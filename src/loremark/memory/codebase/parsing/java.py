"""Parses Java types and their imports, services and data models."""

from __future__ import annotations

from tree_sitter import Node

from loremark.memory.codebase.parsing import java_programs
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.comments import of_comments
from loremark.memory.codebase.parsing.java_annotations import annotated, modifiers
from loremark.memory.codebase.parsing.java_services import read_services
from loremark.memory.codebase.parsing.syntax import text
from loremark.memory.codebase.parsing.test_detection import is_test

_TYPES = {
    "class_declaration": "class",
    "record_declaration": "class",
    "interface_declaration": "type",
    "enum_declaration": "type",
    "annotation_type_declaration": "type",
}
_MAX_TYPES = 400


def read(root: Node, into: Collector) -> None:
    """Collects all facts of a file, including nested types."""
    comments: list[Node] = []
    stack: list[Node] = []
    for node in root.named_children:
        if node.type in ("block_comment", "line_comment") and not stack:
            comments.append(node)
        elif node.type == "import_declaration":
            into.imported(_imported(node), node)
        elif node.type in _TYPES:
            stack.append(node)
        elif node.type == "package_declaration" and not into.path.endswith("package-info.java"):
            comments = []
    into.doc = of_comments(comments[-4:])
    stack.reverse()
    for _ in range(_MAX_TYPES):
        if not stack:
            break
        node = stack.pop()
        stack.extend(reversed(_type(node, into)))
    if not is_test(into.path):
        read_services(root, into)


def _imported(node: Node) -> str:
    words = text(node, 300).rstrip("; \t").split()
    return "".join(words[2:] if words[1:2] == ["static"] else words[1:])


def _type(node: Node, into: Collector) -> list[Node]:
    """Adds a type with its members; returns its nested types."""
    name = text(node.child_by_field_name("name"))
    into.symbol(name, "class" if _TYPES[node.type] == "class" else "type", node)
    body = node.child_by_field_name("body")
    members = list(body.named_children) if body is not None else []
    for part in [each for each in members if each.type == "enum_body_declarations"][:1]:
        members.extend(part.named_children)
    within = []
    for member in members:
        if member.type in _TYPES:
            within.append(member)
        elif member.type == "method_declaration":
            _method(member, into)
        elif member.type in ("field_declaration", "constant_declaration"):
            _field(member, into)
    java_programs.read(node, name, annotated(node), members, into)
    return within


def _method(member: Node, into: Collector) -> None:
    name = text(member.child_by_field_name("name"))
    into.symbol(name, "method", member)
    if name == "main" and "static" in modifiers(member):
        into.entry("main", "main", member)


def _field(member: Node, into: Collector) -> None:
    words = modifiers(member)
    declarator = member.child_by_field_name("declarator")
    name = text(declarator.child_by_field_name("name")) if declarator is not None else ""
    is_constant = member.type == "constant_declaration" or {"static", "final"} <= words
    if is_constant and name != "serialVersionUID":
        into.symbol(name, "constant", member)
