"""Finds Rust data models: Diesel, SeaORM, SQLx."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.rust_items import Item
from loremark.memory.codebase.parsing.syntax import child_at, text

_STORED = words("Queryable Insertable Identifiable Selectable AsChangeset QueryableByName FromRow")
_TABLE = re.compile(r"(\w{1,80})\s{0,40}\([^)]{0,200}\)\s{0,40}\{")
_COLUMN = re.compile(r"\b(\w{1,80}+)\s{0,8}->")
_JOIN = re.compile(r"(\w{1,80})\s{0,8}->\s{0,8}(\w{1,80})")
_BELONGS = re.compile(r"belongs_to\(\s{0,8}(\w{1,80})|\bbelongs_to\s{0,4}=\s{0,4}\"(?:super::)?(\w{1,80})")
_RELATION = re.compile(
    r"(?:has_many|has_one|belongs_to)\s{0,4}=\s{0,4}\"(?:(?:super|crate|\w{1,60})::){0,6}(\w{1,80})::Entity"
)
_TABLE_NAME = re.compile(r"table_name\s{0,4}=\s{0,4}\"?(?:\w{1,60}::){0,6}(\w{1,80})")
_MAX_CHARS = 20_000


def read(items: list[Item], into: Collector) -> None:
    """Finds tables declared by macros and structs by their derives."""
    joins: dict[str, list[str]] = {}
    tables: list[tuple[str, Node, tuple[str, ...]]] = []
    related = _relations(items)
    for item in items:
        node = child_at(item.node) if item.node.type == "expression_statement" else item.node
        if node is None:
            continue
        if node.type == "macro_invocation":
            _macro(node, tables, joins)
        elif node.type == "struct_item":
            _struct(item, related, into)
    for name, node, columns in tables:
        into.model(name, "table", node, columns, tuple(dict.fromkeys(joins.get(name, ()))))


def _macro(node: Node, tables: list[tuple[str, Node, tuple[str, ...]]], joins: dict[str, list[str]]) -> None:
    name = text(node.child_by_field_name("macro")).rpartition("::")[2]
    if name == "table":
        written = text(node, _MAX_CHARS)
        match = _TABLE.search(written)
        if match is not None:
            tables.append((match.group(1), node, tuple(_COLUMN.findall(written, match.end())[:100])))
    elif name == "joinable":
        match = _JOIN.search(text(node, 400))
        if match is not None:
            joins.setdefault(match.group(1), []).append(match.group(2))


def _relations(items: list[Item]) -> tuple[str, ...]:
    """The targets of a SeaORM entity's relations."""
    found: dict[str, None] = {}
    for item in items:
        if item.node.type == "enum_item" and "DeriveRelation" in item.derives():
            for name in _RELATION.findall(text(item.node, _MAX_CHARS)):
                found.setdefault(name)
    return tuple(found)


def _struct(item: Item, related: tuple[str, ...], into: Collector) -> None:
    derives = item.derives()
    is_entity = "DeriveEntityModel" in derives
    if not is_entity and derives.isdisjoint(_STORED):
        return
    written = "\n".join(item.attributes)
    name = text(item.node.child_by_field_name("name"))
    body = item.node.child_by_field_name("body")
    fields = tuple(
        text(child.child_by_field_name("name"))
        for child in (body.named_children[:200] if body is not None else ())
        if child.type == "field_declaration"
    )
    if is_entity:
        match = _TABLE_NAME.search(written)
        into.model(match.group(1) if match else name, "orm", item.node, fields, related)
        return
    refers = (first or second for first, second in _BELONGS.findall(written))
    into.model(name, "orm", item.node, fields, tuple(dict.fromkeys(refers)))
