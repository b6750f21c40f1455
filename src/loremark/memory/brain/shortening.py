"""Texts cut politely: at the end of a sentence where there is one, and so that one sees it."""

from __future__ import annotations

import re
from collections.abc import Callable

_ENDS = re.compile(r"[.!?。！？](?=\s)|\n")
# No text of sense has fewer tokens than one to so many characters; what is longer need not be tried.
_CHARS_PER_TOKEN = 12


def longest(text: str, fits: Callable[[str], bool], most_tokens: int) -> str:
    """The longest beginning of a text that fits, with an ellipsis where something was cut; or nothing."""
    window = text[: max(0, most_tokens) * _CHARS_PER_TOKEN]
    if len(window) == len(text) and fits(text):
        return text
    low, high = 0, len(window)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_marked(window[:middle])):
            low = middle
        else:
            high = middle - 1
    if not low:
        return ""
    ends = [found.end() for found in _ENDS.finditer(window, 0, low)]
    polite = _marked(window[: ends[-1]]) if ends and 2 * ends[-1] > low else ""
    return polite if polite and fits(polite) else _marked(window[:low])


def _marked(text: str) -> str:
    return f"{text.rstrip()} …"
