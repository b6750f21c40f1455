"""Splits passages and answers into sentences. The pieces of a line concatenate to the line."""

from __future__ import annotations

import re
from functools import lru_cache

from loremark.memory.emphasis import strip_emphasis

MAX_PASSAGE_CHARS = 12_000
"""Characters read of one passage. The rest of a long document rarely answers a question better."""

_MAX_SENTENCES = 80
_MAX_SENTENCE_CHARS = 600
_STOP = re.compile(r"(?<![.!?])[.!?]++[\"')\]`*_]{0,4}(?=\s)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|dr|mr|ms|st|ca|al|[A-Z])\.$", re.IGNORECASE
)
_LEAD = re.compile(r"[ \t]{0,40}(?:(?:[-*+•–]|\d{1,2}[.)])[ \t]+|#{1,6}[ \t]+|>{1,3}[ \t]*)?(?:\[[ xX]\][ \t]+)?")
_FENCE = re.compile(r"[ \t]{0,8}(?:```|~~~)")
_IMAGE = re.compile(r"!\[([^\[\]]{0,200})\]\([^()]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{1,500}\)")
_MARK = re.compile(r"\[(\^?\d{1,4}(?:\s*,\s*\d{1,4}){0,9})\]")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_SPACE = re.compile(r"\s+")


def split_line(line: str) -> list[str]:
    """Split a line into sentences, each with the whitespace that follows it."""
    pieces = []
    start = 0
    for stop in _STOP.finditer(line):
        after = line[stop.end() : stop.end() + 20].lstrip()[:1]
        if after.islower() or _ABBREVIATION.search(line[max(start, stop.start() - 12) : stop.start() + 1]):
            continue
        end = stop.end()
        while end < len(line) and line[end].isspace():
            end += 1
        pieces.append(line[start:end])
        start = end
    if start < len(line):
        pieces.append(line[start:])
    return pieces


@lru_cache(maxsize=512)
def passage_sentences(content: str) -> tuple[str, ...]:
    """The sentences of a passage as plain text, safe to display: no links, images, tags or citations."""
    found: list[str] = []
    for line in _UNPRINTABLE.sub("", content[:MAX_PASSAGE_CHARS]).splitlines():
        if _FENCE.match(line):
            continue
        lead = _LEAD.match(line)
        for piece in split_line(strip_emphasis(line[lead.end() :] if lead else line)):
            text = sanitize_line(piece)
            if text:
                found.append(text)
        if len(found) >= _MAX_SENTENCES:
            break
    return tuple(found[:_MAX_SENTENCES])


def sanitize_line(text: str) -> str:
    """One line that is safe to display: anything that looks like a citation, tag, image or link is neutralized."""
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", strip_emphasis(text))).replace("](", "] (")
    text = escape_citation_marks(_SPACE.sub(" ", text).strip())
    return escape_tags(text if len(text) <= _MAX_SENTENCE_CHARS else text[: _MAX_SENTENCE_CHARS - 1].rstrip() + "…")


def escape_citation_marks(text: str) -> str:
    """Replace the square brackets of text that looks like our citations by round ones."""
    return _MARK.sub(r"(\1)", text)


def escape_tags(text: str) -> str:
    """Escape tags outside code spans."""
    parts = text.split("`")
    # With an odd number of backticks the last one opens nothing.
    return "`".join(part if at % 2 and at < len(parts) - 1 else _TAG.sub("&lt;", part) for at, part in enumerate(parts))
