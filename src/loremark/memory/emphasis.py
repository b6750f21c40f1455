"""Finds and strips Markdown's strong emphasis (``**text**``) without touching literals that contain asterisks.

A delimiter counts only if CommonMark's flanking rules make it one. Three cases that CommonMark renders as emphasis stay
literal, because in notes about code they are nearly always literals: delimiters inside a word (``2**8 + 2**16``), next
to a slash (``src/**/*.py``) and between quotes (``'***'``). Code spans and escaped asterisks are never touched.
"""

from __future__ import annotations

import re
import unicodedata

_RUN = re.compile(r"(?<!\*)\*{2,3}(?!\*)")
_BACKTICKS = re.compile(r"(?<!\\)`+")
_QUOTES = "\"'“”‘’«»"
_WIDTH = 2


def strip_emphasis(text: str) -> str:
    """Return the text without its strong emphasis delimiters."""
    return remove_spans(text, find_emphasis(text)) if "**" in text else text


def find_emphasis(text: str) -> list[tuple[int, int]]:
    """Return start and end of each ``**`` that opens or closes strong emphasis, in order."""
    openers: list[int] = []
    found: list[tuple[int, int]] = []
    spans = iter(_code_spans(text))
    span = next(spans, None)
    for run in _RUN.finditer(text):
        start, end = run.span()
        while span is not None and span[1] <= start:
            span = next(spans, None)
        if (span is not None and span[0] < start) or _is_escaped(text, start):
            continue
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        if openers and _can_close(before, after):
            opener = openers.pop()
            found += [(opener - _WIDTH, opener), (start, start + _WIDTH)]
        elif _can_open(before, after):
            openers.append(end)
    return sorted(found)


def remove_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text without these spans, which must be in order."""
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        at = end
    return "".join([*parts, text[at:]])


def _can_open(before: str, after: str) -> bool:
    """Whether a delimiter is left-flanking and not part of a literal."""
    if after.isspace() or after == "/" or _is_literal(before, after):
        return False
    if before.isspace() or _is_punctuation(before):
        return before not in "/)]}."
    return not before.isascii() and not _is_punctuation(after)


def _can_close(before: str, after: str) -> bool:
    """Whether a delimiter is right-flanking and not part of a literal."""
    if before.isspace() or before == "/" or _is_literal(before, after):
        return False
    if after.isspace() or _is_punctuation(after):
        return after != "/"
    return not after.isascii() and not _is_punctuation(before)


def _is_literal(before: str, after: str) -> bool:
    return before in _QUOTES and after in _QUOTES


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _is_escaped(text: str, at: int) -> bool:
    first = at
    while first > 0 and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each code span: between two backtick runs of the same length."""
    runs = [found.span() for found in _BACKTICKS.finditer(text)]
    next_of_length: dict[int, int] = {}
    partners = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partners[index] = next_of_length.get(length, -1)
        next_of_length[length] = index
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        partner = partners[index]
        if partner < 0:
            index += 1
            continue
        spans.append((runs[index][0], runs[partner][1]))
        index = partner + 1
    return spans
