"""Finds Go data models: structs with database tags or embedded model types."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.syntax import child_at, text

_STORED = re.compile(r"\b(?:gorm|bun|xorm|pg|db|bson|firestore|dynamodbav):\"")
_SURE = re.compile(r"\b(?:gorm|bun|xorm):\"")
_BASES = frozenset(("gorm.Model", "bun.BaseModel", "ent.Schema", "models.Model"))
_NAMED = re.compile(r"(?:\[\]|\*|\[\d{1,6}\]){0,4}([A-Z]\w{0,80})")
_ENT = re.compile(r"(?:field|edge)\.\w{1,30}\(\s{0,20}\"(\w{1,80})\"(?:,\s{0,20}(\w{1,80})\.Type)?")
_MAX_CHARS = 8_000


def read(specs: list[Node], methods: list[Node], into: Collector) -> None:
    """Finds models: two database tags or one ORM tag make a struct a model."""
    structs = {
        text(spec.child_by_field_name("name")): kind
        for spec in specs[:400]
        if (kind := spec.child_by_field_name("type")) is not None and kind.type == "struct_type"
    }
    for name, struct in structs.items():
        body = child_at(struct)
        declarations = body.named_children[:200] if body is not None else []
        bases = {
            text(each.child_by_field_name("type")) for each in declarations if each.child_by_field_name("name") is None
        }
        if "ent.Schema" in bases:
            _ent(name, struct, methods, into)
            continue
        tags = [text(each.child_by_field_name("tag"), 400) for each in declarations]
        stored = sum(_STORED.search(tag) is not None for tag in tags)
        if not bases.isdisjoint(_BASES) or stored >= 2 or any(map(_SURE.search, tags)):
            _model(name, struct, declarations, structs, into)


def _model(name: str, struct: Node, declarations: list[Node], structs: dict[str, Node], into: Collector) -> None:
    fields, refers = [], []
    for each in declarations:
        names = [text(field) for field in each.children_by_field_name("name")]
        fields.extend(names)
        target = _NAMED.fullmatch(text(each.child_by_field_name("type")))
        if names and target is not None and (target.group(1) in structs or "gorm" in text(each, 400)):
            refers.append(target.group(1))
    into.model(name, "orm", struct, tuple(fields), tuple(dict.fromkeys(refers)))


def _ent(name: str, struct: Node, methods: list[Node], into: Collector) -> None:
    """Fields and edges are in methods of the schema."""
    fields, refers = [], []
    for method in methods:
        if name in text(method.child_by_field_name("receiver")) and text(method.child_by_field_name("name")) in (
            "Fields",
            "Edges",
        ):
            for field, target in _ENT.findall(text(method.child_by_field_name("body"), _MAX_CHARS)):
                fields.append(field)
                if target:
                    refers.append(target)
    into.model(name, "orm", struct, tuple(fields), tuple(dict.fromkeys(refers)))
