"""Finds regular expression matches in source text and their syntax nodes, which is faster than walking the tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND

_WORDS_ONLY = re.compile(r"comment|string|heredoc|^text$|character_literal")
_MAX_UP = 60


def in_code(pattern: re.Pattern[bytes], root: Node) -> Iterator[tuple[Node, re.Match[bytes]]]:
    """Matches outside comments and strings, each with its smallest node."""
    for _, match in zip(range(2 * MAX_FACTS_PER_KIND), pattern.finditer(root.text or b""), strict=False):
        at = root.start_byte + match.start()
        node = root.descendant_for_byte_range(at, at + 1)
        if node is not None and not _WORDS_ONLY.search(node.type):
            yield node, match


def around(node: Node, kinds: frozenset[str]) -> Node | None:
    """The nearest ancestor of these kinds."""
    above = node.parent
    for _ in range(_MAX_UP):
        if above is None or above.type in kinds:
            return above
        above = above.parent
    return None


def name_around(node: Node, kinds: frozenset[str], otherwise: str) -> str:
    """The name of the nearest enclosing definition of these kinds."""
    holder = around(node, kinds)
    name = syntax.text(holder.child_by_field_name("name")) if holder is not None else ""
    return name or otherwise
