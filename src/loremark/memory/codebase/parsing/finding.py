"""Words of a source that matter, found in its text and then looked up in its tree: bodies are many nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.collecting import MOST

_WORDS_ONLY = re.compile(r"comment|string|heredoc|^text$|character_literal")
_MOST_UP = 60


def in_code(pattern: re.Pattern[bytes], root: Node) -> Iterator[tuple[Node, re.Match[bytes]]]:
    """Matches that begin in code, with the smallest node there; none of comments and strings."""
    for _, match in zip(range(2 * MOST), pattern.finditer(root.text or b""), strict=False):
        at = root.start_byte + match.start()
        node = root.descendant_for_byte_range(at, at + 1)
        if node is not None and not _WORDS_ONLY.search(node.type):
            yield node, match


def around(node: Node, kinds: frozenset[str]) -> Node | None:
    """The nearest node of these kinds that holds one."""
    above = node.parent
    for _ in range(_MOST_UP):
        if above is None or above.type in kinds:
            return above
        above = above.parent
    return None


def name_around(node: Node, kinds: frozenset[str], otherwise: str) -> str:
    """The name of the class, say, in which a node stands."""
    holder = around(node, kinds)
    name = syntax.text(holder.child_by_field_name("name")) if holder is not None else ""
    return name or otherwise
