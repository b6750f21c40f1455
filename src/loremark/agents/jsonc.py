"""Parse JSON with comments and trailing commas, keeping the position of every value for text edits."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 100

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_TRIVIA_THIS_LINE = re.compile(r"(?:[ \t]+|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x08\x0a-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_LITERAL = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_CLOSING = {"{": "}", "[": "]"}


def _refuse(constant: str) -> None:
    raise ValueError(constant)


# Much faster than our parser; used for strict JSON, with ours as the fallback.
_STRICT = json.JSONDecoder(parse_constant=_refuse)


class JsonError(Exception):
    """The text is not valid JSON, even with comments. The message includes the position."""

    def __init__(self, text: str, at: int, problem: str) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(f"line {line}, column {column}: {problem}")


@dataclass
class Item:
    """A member of an object or an element of an array, from its key (or value) to the end of its value."""

    start: int
    value: Node
    key: str | None = None
    comma: int | None = None
    """The position of the comma after it, if any."""

    @property
    def end(self) -> int:
        return self.value.end


@dataclass
class Node:
    """A value and its position in the text. Its items are parsed on demand."""

    text: str
    start: int
    end: int
    kind: str
    depth: int
    _items: list[Item] | None = None

    @property
    def items(self) -> list[Item]:
        if self._items is None:
            self._items = _container(self.text, self.start, self.depth)._items
        return self._items or []

    def plain(self) -> Any:
        """Return the Python value. For duplicate keys the last one wins, as in most parsers."""
        if self.kind == "object":
            return {item.key: item.value.plain() for item in self.items}
        if self.kind == "array":
            return [item.value.plain() for item in self.items]
        return _scalar(self.text, self.start, self.text[self.start : self.end])

    def find(self, key: str) -> Item | None:
        """Return the member with this key (the last one, if duplicated), or None."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def parse(text: str) -> Node:
    """Parse the text. Raises :class:`JsonError`."""
    at = skip(text, 0)
    node = _container(text, at, 0) if text[at : at + 1] in _CLOSING else _value(text, at, 0)
    end = skip(text, node.end)
    if end != len(text):
        raise JsonError(text, end, "unexpected text after the value")
    return node


def is_blank(text: str) -> bool:
    """Return whether the text is only whitespace and comments."""
    try:
        return skip(text, 0) == len(text)
    except JsonError:
        return False


def skip(text: str, at: int, *, this_line: bool = False) -> int:
    """Return the position after whitespace and comments; with ``this_line``, at most the end of the line."""
    found = (_TRIVIA_THIS_LINE if this_line else _TRIVIA).match(text, at)
    end = found.end() if found else at
    if text.startswith("/*", end):
        raise JsonError(text, end, "unclosed comment")
    return end


def line_end(text: str, at: int) -> int:
    """Return the position of the end of the line."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise JsonError(text, at, "nested too deeply")
    first = text[at : at + 1]
    if first and first in _CLOSING:
        try:
            end = _STRICT.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            return _container(text, at, depth)
        return Node(text, at, end, "object" if first == "{" else "array", depth)
    found = (_STRING if first == '"' else _LITERAL).match(text, at)
    if found is None:
        raise JsonError(text, at, "unclosed string" if first == '"' else "expected a value")
    return Node(text, at, found.end(), "scalar", depth)


def _scalar(text: str, at: int, raw: str) -> Any:
    try:
        return json.loads(raw, strict=False)
    except ValueError:
        raise JsonError(text, at, "invalid value") from None


def _container(text: str, at: int, depth: int) -> Node:
    opening = text[at]
    node = Node(text, at, at, "object" if opening == "{" else "array", depth)
    items: list[Item] = []
    at = skip(text, at + 1)
    while not text.startswith(_CLOSING[opening], at):
        if items and items[-1].comma is None:
            raise JsonError(text, at, f"expected a comma or {_CLOSING[opening]}")
        item = _member(text, at, depth) if opening == "{" else Item(at, _value(text, at, depth + 1))
        items.append(item)
        at = skip(text, item.end)
        if text.startswith(",", at):
            item.comma = at
            at = skip(text, at + 1)
    node.end, node._items = at + 1, items
    return node


def _member(text: str, at: int, depth: int) -> Item:
    found = _STRING.match(text, at)
    if found is None:
        raise JsonError(text, at, "expected a quoted name")
    colon = skip(text, found.end())
    if not text.startswith(":", colon):
        raise JsonError(text, colon, "expected a colon")
    return Item(at, _value(text, skip(text, colon + 1), depth + 1), str(_scalar(text, at, found.group())))
