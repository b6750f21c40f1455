"""Keeps what people and agents say, and leaves out what machines printed: tool output, code, diffs, logs and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

# Markup that harnesses put around tool calls, reasoning and context: the block starts a line.
_TAG = re.compile(r"^<([A-Za-z][\w:-]{0,40})(?: [^>\n]{0,200})?>", re.MULTILINE)
_PATCH = re.compile(r"^\*\*\* Begin Patch$.*?(?:^\*\*\* End Patch$|\Z)", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_SHORT_FENCE_LINES = 4
"""A command or a setting is worth keeping; a file is not."""
_DIFF = re.compile(r"^(?:@@ |\+\+\+ |--- |diff --git )", re.MULTILINE)
_LOGGED = re.compile(r"^[\[(]?(?:\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d)")
_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$")
_WORD = re.compile(r"[^\W\d_]+(?:['’/-][^\W\d_]+)*")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_LETTERLESS = re.compile(r"[\W\d_]+")
_EDGES = "()[]{}\"'*_~,.;:!?…“”‘’«»"
_LEAST_WORDS = 0.5
"""The share of a line's tokens that are words. Sentences have nearly all, code and logs less than half."""
_CODE_END = re.compile(r"(?:[;{}]|=>)\s*$")
_FEW_TOKENS = 4
_LISTING_LINES = 6
"""This many short lines in a row are a listing rather than sentences."""
_KEPT_CHARS = 300


def spoken_text(text: str) -> str:
    """The part of a message that was written for a reader; its beginning if there is none."""
    found = _PATCH.sub("\n", _without_markup(text))
    found = _FENCE.sub(lambda fence: fence[0] if _is_short(fence[2]) else "\n", found)
    kept = "\n".join(_without_listings(line for line in found.split("\n") if not line.strip() or _is_sentence(line)))
    return re.sub(r"\n{3,}", "\n\n", kept).strip() or text.strip()[:_KEPT_CHARS]


def _without_markup(text: str) -> str:
    parts: list[str] = []
    unclosed: set[str] = set()
    at = 0
    while tag := _TAG.search(text, at):
        closing = f"</{tag[1]}>"
        end = -1 if closing in unclosed else text.find(closing, tag.end())
        if end < 0:
            unclosed.add(closing)  # it is not further on either: looking again for each tag would take quadratic time
            end = tag.end()
            parts.append(text[at:end])
        else:
            parts.append(text[at : tag.start()])
            end += len(closing)
        at = end
    return "".join((*parts, text[at:]))


def _is_short(code: str) -> bool:
    return len(code.strip().split("\n")) <= _SHORT_FENCE_LINES and not _DIFF.search(code)


def _is_sentence(line: str) -> bool:
    if line.startswith(("```", "~~~", "#")) or not line.isascii():
        return True
    if _LOGGED.match(line) or _TABLE_ROW.match(line) or _DIFF.match(line) or _CODE_END.search(line):
        return False
    tokens = [token for token in _CODE_SPAN.sub("code", line).split() if not _LETTERLESS.fullmatch(token)]
    words = sum(_WORD.fullmatch(token.strip(_EDGES)) is not None for token in tokens)
    return words >= _LEAST_WORDS * len(tokens)


def _without_listings(lines: Iterable[str]) -> Iterator[str]:
    for is_brief, run in groupby(lines, lambda line: 0 < len(line.split()) < _FEW_TOKENS):
        found = list(run)
        if not is_brief or len(found) < _LISTING_LINES:
            yield from found
