"""Rust items with their attributes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

_DERIVE = re.compile(r"derive\(([^)]{0,1000})\)")
_LAST = re.compile(r"(\w{1,60})\s{0,20}(?:,|$)")
_QUOTED = re.compile(r"r?#{0,2}\"([^\"]{0,200})\"")


@dataclass(frozen=True, slots=True)
class Item:
    """A definition and its attributes as written."""

    node: Node
    attributes: tuple[str, ...]

    def derives(self) -> frozenset[str]:
        """The last parts of the derived names."""
        lists = (match.group(1) for each in self.attributes for match in [_DERIVE.search(each)] if match)
        return frozenset(name for names in lists for name in _LAST.findall(names))


def quoted(written: str) -> str | None:
    """The first string of an attribute."""
    match = _QUOTED.search(written)
    return match.group(1) if match else None
