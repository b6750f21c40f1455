"""Finds Python data models: ORM classes, tables and migrations."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import last_part, plain, stem, words
from loremark.memory.codebase.parsing.python_calls import PythonNodes, arguments, called, first_string, receiver
from loremark.memory.codebase.parsing.syntax import child_at, text

_RELATIONS = words(
    "ForeignKey OneToOneField ManyToManyField ForeignKeyField ManyToManyRelation OneToOneRel ParentalKey "
    "GenericRelation ReferenceField DeferredForeignKey relationship Relationship relation backref Link BackLink "
    "ParentalManyToManyField TreeForeignKey"
)
_COLUMNS = frozenset(("Column", "mapped_column", "relationship", "column_property", "deferred"))
_IN_QUOTES = re.compile(r"[\"']([A-Za-z_][\w.]{0,80})[\"']")
_MAPPED = re.compile(r"Mapped\[.{0,60}?[\"']?\b([A-Z]\w{0,80})[\"']?\]{1,4}$")
_NOT_MODELS = words(
    "int str float bool bytes Any Optional List Decimal UUID JSON LargeBinary None Dict Enum Literal Path"
)


def read(classes: list[Node], found: PythonNodes, into: Collector) -> None:
    """Finds models and migrations; both may declare fields."""
    if _is_migration(classes, found):
        changed = dict.fromkeys(
            table
            for name, call in found.calls
            if name in ("CreateModel", "create_table", "AddField", "add_column", "rename_table")
            for table in [first_string(call, "model_name" if name == "AddField" else "name") or ""]
            if table
        )
        into.model(stem(into.path), "migration", _place(classes, found), (), tuple(changed))
        return
    kinds = _kinds(found)
    if not kinds:
        return
    tables = _tables(classes)
    known: set[str] = set()
    for node in classes[:400]:
        model = _Model(node, kinds, known)
        if model.is_model:
            known.add(model.name)
            refers = (tables.get(each, each) for each in model.refers_to)
            into.model(model.name, "orm", node, tuple(model.fields), tuple(dict.fromkeys(refers)))
    if "sqlalchemy" in kinds:
        _core_tables(found, into)


def _is_migration(classes: list[Node], found: PythonNodes) -> bool:
    if any(text(node.child_by_field_name("name")) == "Migration" for node in classes) and found.uses("django"):
        return True
    return found.uses("alembic") and any(receiver(call) == "op" for _, call in found.calls)


def _place(classes: list[Node], found: PythonNodes) -> Node:
    return classes[0] if classes else found.calls[0][1]


def _kinds(found: PythonNodes) -> frozenset[str]:
    """The ORMs that a file may use; a project's own base classes hide SQLAlchemy best."""
    kinds = set()
    for kind, packages in (
        ("django", ("django", "mptt", "wagtail", "polymorphic", "model_utils")),
        ("sqlalchemy", ("sqlalchemy", "flask_sqlalchemy", "sqlmodel", "advanced_alchemy")),
        ("peewee", ("peewee", "playhouse", "mongoengine", "pony", "odmantic", "umongo", "pynamodb")),
        ("tortoise", ("tortoise",)),
        ("beanie", ("beanie",)),
    ):
        if found.uses(*packages):
            kinds.add(kind)
    if not kinds and any(name in ("Column", "mapped_column", "relationship") for _, name, _ in found.assigned):
        kinds.add("sqlalchemy")
    return frozenset(kinds)


def _tables(classes: list[Node]) -> dict[str, str]:
    """Classes by table name."""
    tables = {}
    for node in classes[:400]:
        for name, _, right in _assignments(node):
            if name == "__tablename__" and plain(right):
                tables[plain(right) or ""] = text(node.child_by_field_name("name"))
    return tables


def _assignments(node: Node) -> list[tuple[str, str, Node | None]]:
    """Name, type and value of a class's assignments."""
    body = node.child_by_field_name("body")
    found = []
    for statement in body.named_children[:300] if body is not None else ():
        inner = child_at(statement) if statement.type == "expression_statement" else None
        if inner is not None and inner.type == "assignment":
            left = inner.child_by_field_name("left")
            if left is not None and left.type == "identifier":
                found.append((text(left), text(inner.child_by_field_name("type")), inner.child_by_field_name("right")))
    return found


class _Model:
    """A class that may be a model."""

    def __init__(self, node: Node, kinds: frozenset[str], known: set[str]) -> None:
        self.name = text(node.child_by_field_name("name"))
        self.fields: list[str] = []
        self.refers_to: list[str] = []
        bases = node.child_by_field_name("superclasses")
        self._bases = [text(base) for base in (bases.named_children[:10] if bases is not None else ())]
        self._kinds = kinds
        self._has_columns = False
        self.is_model = bool(self._bases) and self._is_derived(known)
        for name, kind, right in _assignments(node):
            if name == "__tablename__":
                self.is_model = self.is_model or "sqlalchemy" in kinds
            elif not name.startswith("__") and name != "output_field":
                self._field(name, kind, right)
        self.is_model = self.is_model or (self._has_columns and bool(self._bases))

    def _is_derived(self, known: set[str]) -> bool:
        if known.intersection(self._bases):
            return True
        lasts = {last_part(base) for base in self._bases}
        return any(
            (
                "django" in self._kinds and not lasts.isdisjoint(("Model", "MPTTModel", "TimeStampedModel")),
                "sqlalchemy" in self._kinds and "table=True" in "".join("".join(self._bases).split()),
                "sqlalchemy" in self._kinds and "db.Model" in self._bases,
                "peewee" in self._kinds
                and not lasts.isdisjoint(("Model", "BaseModel", "Document", "EmbeddedDocument", "DynamicDocument")),
                "tortoise" in self._kinds and "Model" in lasts,
                "beanie" in self._kinds and "Document" in lasts,
            )
        )

    def _field(self, name: str, kind: str, right: Node | None) -> None:
        callee = called(right) if right is not None and right.type == "call" else ""
        owner = receiver(right) if right is not None and callee else ""
        is_column = callee in _COLUMNS or kind.startswith(("Mapped[", "orm.Mapped["))
        if "sqlalchemy" in self._kinds and is_column:
            self._has_columns = True
        elif self._is_field(callee, owner):
            self._has_columns = self._has_columns or owner in ("models", "orm")
        elif not (self.is_model and kind and "ClassVar" not in kind):
            return
        self.fields.append(name)
        if right is not None and callee:
            self._relation(callee, right)
        mapped = _MAPPED.search(kind)
        if mapped is not None and mapped.group(1) not in _NOT_MODELS and callee in ("relationship", ""):
            self.refers_to.append(mapped.group(1))

    def _is_field(self, callee: str, owner: str) -> bool:
        if not callee.endswith(("Field", "ForeignKey", "ParentalKey", "Attribute", "Relation")):
            return False
        if owner in ("forms", "serializers", "filters", "ma", "fields") and "tortoise" not in self._kinds:
            return False
        return owner == "models" or self.is_model

    def _relation(self, callee: str, right: Node) -> None:
        if callee in ("Column", "mapped_column", "Field"):
            quoted = [target for target in _foreign_tables(right) if target]
            self.refers_to.extend(quoted)
        elif callee in _RELATIONS:
            plainly, named = arguments(right)
            target = next((named[key] for key in ("to", "model", "argument") if key in named), None)
            target = target or (plainly[0] if plainly else None)
            if target is not None and target.type in ("string", "identifier", "attribute"):
                name = last_part(plain(target) or text(target))
                self.refers_to.append({"self": self.name, "AUTH_USER_MODEL": "User"}.get(name, name))


def _foreign_tables(call: Node) -> list[str]:
    """``users`` of ``Column(ForeignKey("users.id"))`` and of ``Field(foreign_key="users.id")``."""
    plainly, named = arguments(call)
    places = [each for each in plainly if each.type == "call" and called(each) == "ForeignKey"]
    if "foreign_key" in named:
        places.append(named["foreign_key"])
    found = []
    for place in places:
        match = _IN_QUOTES.search(text(place))
        if match is not None:
            found.append(match.group(1).split(".")[-2] if "." in match.group(1) else match.group(1))
    return found


def _core_tables(found: PythonNodes, into: Collector) -> None:
    for _, name, call in found.assigned:
        table = first_string(call) if name == "Table" else None
        if table:
            plainly, _ = arguments(call)
            columns = [each for each in plainly if each.type == "call" and called(each) == "Column"]
            refers = [target for column in columns for target in _foreign_tables(column)]
            fields = tuple(first_string(column) or "" for column in columns)
            into.model(table, "table", call, tuple(filter(None, fields)), tuple(dict.fromkeys(refers)))
