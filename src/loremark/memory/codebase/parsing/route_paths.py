"""Joins route paths from their parts."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from loremark.memory.codebase.parsing.literals import words

METHODS = words("get post put patch delete head options")


def joined(*parts: str) -> str:
    """Joins path parts with a leading slash: ``/api`` and ``users/`` make ``/api/users/``."""
    path = ""
    for part in parts:
        clean = part.removeprefix("^")
        if clean:
            path = f"{path.rstrip('/')}/{clean.lstrip('/')}"
    return path.removesuffix("$") or "/"


def add(into: Collector, methods: Iterable[str], path: str, node: Node) -> None:
    """Adds a route per method, or one without a method if unknown."""
    named = list(dict.fromkeys(method.upper() for method in methods if method))
    for method in named[:8] or [""]:
        into.entry("route", f"{method} {path}".strip(), node)


class Spans:
    """Ranges of a file in which routes have a prefix."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int, str]] = []
        self._places: set[tuple[int, int]] = set()

    def add(self, node: Node, prefix: str) -> None:
        """Adds a prefix for a range; the first one wins, because a list may be mounted several times (v1, v2)."""
        place = (node.start_byte, node.end_byte)
        if prefix and len(self._spans) < MAX_FACTS_PER_KIND and place not in self._places:
            self._places.add(place)
            self._spans.append((*place, prefix))

    def prefix(self, node: Node) -> str:
        """All prefixes that apply at a node, the outermost first."""
        start, end = node.start_byte, node.end_byte
        around = sorted((first, -last, prefix) for first, last, prefix in self._spans if first <= start and end <= last)
        return joined(*(prefix for _, _, prefix in around[:8])) if around else ""
