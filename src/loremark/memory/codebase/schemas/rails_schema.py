"""Reads tables from a Rails schema (``db/schema.rb``)."""

from __future__ import annotations

from itertools import takewhile

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.ruby_calls import arguments_of, method_of, word_of

_CONTAINERS = words("program call do_block block body_statement block_body ERROR")
_NO_COLUMNS = words("index check_constraint foreign_key unique_constraint exclusion_constraint")
_REFERENCES = frozenset(("references", "belongs_to"))


def read_tables(root: Node, into: Collector) -> None:
    """Reads every ``create_table`` with its columns and foreign keys."""
    tables: dict[str, tuple[Node, list[str], list[str]]] = {}
    for node in syntax.walk(root, lambda node: node.type in _CONTAINERS and method_of(node) != "create_table"):
        if node.type != "call":
            continue
        arguments = _names(node)
        if not arguments:
            continue
        if method_of(node) == "create_table":
            tables.setdefault(arguments[0], (node, *_columns(node)))
        elif method_of(node) == "add_foreign_key" and len(arguments) > 1 and arguments[0] in tables:
            tables[arguments[0]][2].append(arguments[1])
    for name, (node, fields, targets) in tables.items():
        into.model(name, "table", node, tuple(fields), tuple(dict.fromkeys(targets)))


def _columns(table: Node) -> tuple[list[str], list[str]]:
    """The columns of a table, and the references they declare."""
    fields: list[str] = []
    targets: list[str] = []
    block = table.child_by_field_name("block")
    body = block.child_by_field_name("body") if block is not None else None
    for call in body.named_children if body is not None else ():
        kind = method_of(call)
        names = _names(call) if call.type == "call" and kind not in _NO_COLUMNS else []
        if kind == "timestamps":
            names = ["created_at", "updated_at"]
        elif kind == "column":
            names = names[:1]
        elif kind in _REFERENCES:
            targets += names
            names = [f"{name}_id" for name in names]
        fields += names
    return fields, targets


def _names(call: Node) -> list[str]:
    """The string and symbol arguments of a call, up to its first option."""
    given = takewhile(lambda argument: argument.type in ("string", "simple_symbol"), arguments_of(call))
    return [word_of(argument) for argument in given]
