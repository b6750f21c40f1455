"""Finds JavaScript data models: entities, schemas, tables and migrations of common libraries."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.javascript_calls import (
    JavaScriptNodes,
    arguments,
    decorator,
    first_string,
    members,
    pairs,
)
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.syntax import text

_ENTITIES = {
    "Entity": ("typeorm", "@mikro-orm/core", "@mikro-orm/decorators"),
    "ViewEntity": ("typeorm",),
    "Table": ("sequelize-typescript",),
    "Schema": ("@nestjs/mongoose",),
    "modelOptions": ("@typegoose/typegoose",),
}
_RELATIONS = words("ManyToOne OneToMany OneToOne ManyToMany BelongsTo HasMany HasOne BelongsToMany ForeignKey")
_DRIZZLE = re.compile(r"(?:pg|mysql|sqlite|singlestore|gel)Table(?:Creator)?")
_NAME = re.compile(r"=>\s{0,20}\(?([A-Z]\w{0,80})|^['\"]?([A-Z]\w{0,80})")
_REFERENCES = re.compile(r"\.references\(\s{0,40}\(\)[^=]{0,40}=>\s{0,20}(\w{1,80})\.")
_REF = re.compile(r"\bref:\s{0,8}['\"`]?(\w{1,80})")
_ASSOCIATIONS = frozenset(("hasMany", "hasOne", "belongsTo", "belongsToMany"))
_MIGRATION = re.compile(r"(?:^|/)(?:[\w-]{0,40}migrations?)/(?:.{1,200}/)?([\w.-]{1,120})\.[cm]?[jt]s$")
_MAX_CHARS = 4_000


def read(found: JavaScriptNodes, into: Collector) -> None:
    """Finds class models first, then models declared by calls."""
    if _migration(found, into):
        return
    for node, decorators in found.classes:
        if any(found.uses(*_ENTITIES.get(decorator(each)[0], ())) for each in decorators):
            _entity(node, into)
    is_drizzle = any(package.startswith("drizzle-orm") for package in found.packages)
    for variable, (name, call) in found.made.items():
        if is_drizzle and _DRIZZLE.fullmatch(name):
            _drizzle(call, into)
        elif name == "Schema" and found.uses("mongoose"):
            _mongoose(variable, call, found, into)
    if found.uses("sequelize") or any(owner == "sequelize" for owner, _, _ in found.calls):
        _sequelize(found, into)


def _migration(found: JavaScriptNodes, into: Collector) -> bool:
    match = _MIGRATION.search(into.path)
    if match is None:
        return False
    changes = [
        (name, call)
        for _, name, call in found.calls
        if name in ("createTable", "alterTable", "addColumn", "dropTable", "renameTable", "createCollection", "query")
    ]
    if not changes:
        return False
    tables = dict.fromkeys(first_string(call) or "" for name, call in changes if name != "query")
    into.model(match.group(1), "migration", changes[0][1], (), tuple(table for table in tables if table))
    return True


def _entity(node: Node, into: Collector) -> None:
    fields, refers = [], []
    for member, decorators in members(node):
        names = [decorator(each) for each in decorators]
        if not names or "field" not in member.type:
            continue
        fields.append(text(member.child_by_field_name("name") or member.child_by_field_name("property")))
        for name, call in names:
            if name in _RELATIONS and call is not None and arguments(call):
                match = _NAME.search(text(arguments(call)[0]))
                if match is not None:
                    refers.append(match.group(1) or match.group(2))
    name = text(node.child_by_field_name("name"))
    into.model(name, "orm", node, tuple(fields), tuple(dict.fromkeys(refers)))


def _drizzle(call: Node, into: Collector) -> None:
    given = arguments(call)
    name = plain(given[0]) if given else None
    if name is None or len(given) < 2:
        return
    columns = dict(pairs(given[1]))
    refers = (_REFERENCES.search(text(value, 400)) for value in columns.values())
    into.model(name, "table", call, tuple(columns), tuple(dict.fromkeys(m.group(1) for m in refers if m)))


def _mongoose(variable: str, call: Node, found: JavaScriptNodes, into: Collector) -> None:
    name = re.sub(r"_?[sS]chema$", "", variable) or variable
    for _, function, other in found.calls:
        given = arguments(other) if function == "model" else []
        if len(given) > 1 and text(given[1]) == variable:
            name = plain(given[0]) or name
    given = arguments(call)
    fields = dict(pairs(given[0])) if given else {}
    refers = _REF.findall(text(given[0], _MAX_CHARS)) if given else []
    into.model(name, "orm", call, tuple(fields), tuple(dict.fromkeys(refers)))


def _sequelize(found: JavaScriptNodes, into: Collector) -> None:
    relations: dict[str, list[str]] = {}
    for owner, name, call in found.calls:
        if name in _ASSOCIATIONS and arguments(call):
            relations.setdefault(owner, []).append(text(arguments(call)[0]).rpartition(".")[2])
    for owner, name, call in found.calls:
        given = arguments(call)
        if name == "define" and len(given) > 1 and plain(given[0]):
            model, fields = plain(given[0]) or "", dict(pairs(given[1]))
        elif name == "init" and given and given[0].type == "object" and owner[:1].isupper():
            model, fields = owner, dict(pairs(given[0]))
        else:
            continue
        into.model(model, "orm", call, tuple(fields), tuple(dict.fromkeys(relations.get(model, ()))))
