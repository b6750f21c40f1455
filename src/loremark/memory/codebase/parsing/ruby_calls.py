"""Reads Ruby method calls, which most frameworks use for declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.literals import words

_BLOCKS = words("do_block block body_statement block_body if unless then else elsif begin program class")
_PLURALS = (
    (re.compile(r"people$"), "person"),
    (re.compile(r"children$"), "child"),
    (re.compile(r"ies$"), "y"),
    (re.compile(r"(ss|x|ch|sh|[^oa]us)es$"), r"\1"),
    (re.compile(r"([^su])s$"), r"\1"),
)


def method_of(node: Node) -> str:
    return syntax.text(node.child_by_field_name("method")) if node.type == "call" else ""


def arguments_of(node: Node) -> list[Node]:
    arguments = node.child_by_field_name("arguments") if node.type == "call" else None
    return arguments.named_children[:40] if arguments is not None else []


def options_of(arguments: list[Node]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for argument in arguments:
        if argument.type == "pair":
            key, value = argument.child_by_field_name("key"), argument.child_by_field_name("value")
            if key is not None and value is not None:
                found[word_of(key)] = value
    return found


def first_key(node: Node) -> str:
    """The name of a task or route, also as a hash key (``build: :clean``)."""
    while node.type == "hash" and node.named_child_count:
        node = node.named_children[0]
    return word_of(node.child_by_field_name("key") or node) if node.type == "pair" else word_of(node)


def word_of(node: Node) -> str:
    return syntax.text(node, 200).strip("\"':")


def inside(node: Node) -> list[Node]:
    """The statements inside a block or its wrappers."""
    if node.type == "call":
        block = node.child_by_field_name("block")
        node = block if block is not None else node
    return node.named_children if node.type in _BLOCKS or node.type == "module" else []


def calls_in(root: Node) -> Iterator[Node]:
    return (
        node
        for node in syntax.walk(root, lambda node: node.type in _BLOCKS or node.type == "call")
        if node.type == "call"
    )


def singular(name: str) -> str:
    for plural, singular in _PLURALS:
        changed, count = plural.subn(singular, name)
        if count:
            return changed
    return name
