"""Truncates text at the end of a sentence where possible, with an ellipsis."""

from __future__ import annotations

import re
from collections.abc import Callable

_SENTENCE_END = re.compile(r"[.!?。！？](?=\s)|\n")
# No meaningful text has fewer tokens per character, so longer prefixes need not be tried.
_CHARS_PER_TOKEN = 12
_PRECISION = 50


def truncate_to_fit(text: str, fits: Callable[[str], bool], most_tokens: int) -> str:
    """The longest prefix that fits, give or take 2 %, with an ellipsis if truncated; empty if none fits."""
    window = text[: max(0, most_tokens) * _CHARS_PER_TOKEN]
    if len(window) == len(text) and fits(text):
        return text
    low, high = 0, len(window)
    while low < high and (not low or high - low > len(window) // _PRECISION):
        middle = (low + high + 1) // 2
        if fits(_with_ellipsis(window[:middle])):
            low = middle
        else:
            high = middle - 1
    if not low:
        return ""
    ends = [found.end() for found in _SENTENCE_END.finditer(window, 0, low)]
    at_sentence_end = _with_ellipsis(window[: ends[-1]]) if ends and 2 * ends[-1] > low else ""
    return at_sentence_end if at_sentence_end and fits(at_sentence_end) else _with_ellipsis(window[:low])


def _with_ellipsis(text: str) -> str:
    return f"{text.rstrip()} …"
