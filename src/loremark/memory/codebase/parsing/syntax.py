"""Syntax trees: grammars load on first use, and every walk has a node limit."""

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


def load_grammars() -> None:
    """Loads all grammars now. Parsing then opens no file."""
    for language in _GRAMMARS:
        grammar(language)


def parse(language: str, source: bytes) -> Tree:
    """Parses with a new parser per call, because parsers are not thread-safe."""
    return Parser(grammar(language)).parse(source)


def text(node: Node | None, most: int = MAX_NAME_CHARS) -> str:
    """The source of a node, truncated."""
    if node is None or node.text is None:
        return ""
    return node.text[: most * 4].decode(errors="replace")[:most]


def child_at(node: Node, index: int = 0) -> Node | None:
    """A named child, or None if out of range; some library versions raise instead."""
    return node.named_child(index) if index < node.named_child_count else None


def line(node: Node) -> int:
    """The 1-based line of a node."""
    return int(node.start_point[0]) + 1


def walk(root: Node, enter: Callable[[Node], bool] = lambda node: True) -> Iterator[Node]:
    """All named nodes in source order, without recursion; ``enter`` decides whether to descend into a node."""
    stack = [root]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        yield node
        if enter(node):
            stack.extend(reversed(node.named_children))
