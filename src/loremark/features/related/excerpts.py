"""Where a quote stands in an event, and the text around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

EXCERPT_CHARS = 600
_BREAK = re.compile(r"\n\s*|(?<=[.!?])\s")


def find_excerpt(payload: Any, quote: str) -> str | None:
    """The first text of a payload that holds the quote, cut to what is around it; None when there is none."""
    if not quote:
        return None
    for text in _texts(payload):
        at = text.find(quote)
        if at >= 0:
            return _around(text, at, at + len(quote))
    return None


def _texts(payload: Any) -> Iterator[str]:
    """All texts in the payload's order."""
    waiting = [payload]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)


def _around(text: str, start: int, end: int) -> str:
    """The quote with whole sentences or lines before and after it, as far as there is room; else whole words."""
    spare = max(0, EXCERPT_CHARS - (end - start))
    first = max(0, start - spare + min(spare // 2, len(text) - end))
    before = text[first:start]
    if first > 0:
        before = before[_first_break(before) :]
    after = text[end : end + spare - len(before)]
    if end + len(after) < len(text):
        after = after[: _last_break(after)]
    return (before.lstrip() + text[start:end] + after.rstrip())[:EXCERPT_CHARS]


def _first_break(text: str) -> int:
    """Where the first whole sentence or line begins, else the first whole word."""
    found = _BREAK.search(text)
    return found.end() if found else text.find(" ") + 1


def _last_break(text: str) -> int:
    """Where the last whole sentence or line ends, else the last whole word."""
    breaks = [found.start() for found in _BREAK.finditer(text)]
    return breaks[-1] if breaks else max(0, text.rfind(" "))
