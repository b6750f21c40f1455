"""Syntax trees: grammars are loaded with their first use, and every walk is bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from tree_sitter import Language, Node, Parser, Tree

MAX_CHARS = 262_144
MAX_NODES = 400_000
MAX_NAME_CHARS = 120
_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
}


def is_known(language: str) -> bool:
    return language in _GRAMMARS


@cache
def grammar(language: str) -> Language:
    module, function = _GRAMMARS[language]
    made: Callable[[], Any] = getattr(import_module(module), function)
    return Language(made())


def parse(language: str, source: bytes) -> Tree:
    """A parser of its own for each call: a shared one is not safe between threads."""
    return Parser(grammar(language)).parse(source)


def text(node: Node | None, most: int = MAX_NAME_CHARS) -> str:
    """The source of a node, cut."""
    if node is None or node.text is None:
        return ""
    return node.text[: most * 4].decode(errors="replace")[:most]


def child_at(node: Node, index: int = 0) -> Node | None:
    """A named child, or None where there are fewer: some versions of the library raise then."""
    return node.named_child(index) if index < node.named_child_count else None


def line(node: Node) -> int:
    """Counted from 1."""
    return int(node.start_point[0]) + 1


def walk(root: Node, enter: Callable[[Node], bool] = lambda node: True) -> Iterator[Node]:
    """All named nodes in the order of the text, without recursion; ``enter`` says whether to look inside one."""
    stack = [root]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        yield node
        if enter(node):
            stack.extend(reversed(node.named_children))
