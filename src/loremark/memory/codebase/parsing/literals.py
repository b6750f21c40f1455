"""Converts literals in source code to plain values."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax

_STRINGS = frozenset(
    (
        "string",
        "template_string",
        "interpreted_string_literal",
        "raw_string_literal",
        "string_literal",
    )
)
_OPENING = re.compile(r"[A-Za-z]{0,2}#{0,4}(\"{3}|'{3}|[\"'`])")


def words(text: str) -> frozenset[str]:
    """A table of names from plain text."""
    return frozenset(text.split())


def is_string(node: Node | None) -> bool:
    return node is not None and node.type in _STRINGS


def plain(node: Node | None) -> str | None:
    """The text between the quotes; None if the node is not a string."""
    if node is None or node.type not in _STRINGS:
        return None
    raw = syntax.text(node)
    opening = _OPENING.match(raw)
    if opening is None:
        return None
    inner = raw[opening.end() :].rstrip("#")
    return inner.removesuffix(opening.group(1))


def last_part(dotted: str) -> str:
    """``c`` of ``a.b.c`` and of ``a::b::c``."""
    return dotted.replace("::", ".").rpartition(".")[2]


def stem(path: str) -> str:
    """The file name without extension, or the folder name if the file name is generic."""
    folder, _, name = path.rpartition("/")
    word = name.partition(".")[0] if not name.startswith(".") else name
    if word in ("index", "main", "__main__", "__init__", "mod", "cli") and folder:
        parent = folder.rpartition("/")[2]
        return word if parent in ("src", "bin", "lib", "cmd") else parent
    return word
