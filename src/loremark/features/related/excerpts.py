"""Excerpts of event payloads around a quote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

EXCERPT_CHARS = 600
_BREAK = re.compile(r"\n\s*|(?<=[.!?])\s")


def find_excerpt(payload: Any, quote: str) -> str | None:
    """Return the text around the first occurrence of the quote in the payload, or None."""
    if not quote:
        return None
    for text in _texts(payload):
        at = text.find(quote)
        if at >= 0:
            return _around(text, at, at + len(quote))
    return None


def _texts(payload: Any) -> Iterator[str]:
    """Yield all strings in the payload, in order."""
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
    """Return the quote with the sentences or lines around it that fit, or else whole words."""
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
    """Return the start of the first whole sentence or line, or else of the first whole word."""
    found = _BREAK.search(text)
    return found.end() if found else text.find(" ") + 1


def _last_break(text: str) -> int:
    """Return the end of the last whole sentence or line, or else of the last whole word."""
    breaks = [found.start() for found in _BREAK.finditer(text)]
    return breaks[-1] if breaks else max(0, text.rfind(" "))
