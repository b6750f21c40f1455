"""Sentences of a passage and of an answer. Cut so that the pieces of a line, put together, are the line again."""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST_PASSAGE = 12_000
"""Characters that are read of one passage: the rest of a document answers no question better than its beginning."""

_MOST_SENTENCES = 80
_LONGEST_SENTENCE = 600
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


def cut(line: str) -> list[str]:
    """One line in sentences, each with the space that follows it."""
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
def sentences_of(content: str) -> tuple[str, ...]:
    """The sentences of a passage, each in one plain line that is safe to show: no links, images, tags or marks."""
    found: list[str] = []
    for line in _UNPRINTABLE.sub("", content[:LONGEST_PASSAGE]).splitlines():
        if _FENCE.match(line):
            continue
        lead = _LEAD.match(line)
        for piece in cut(line[lead.end() :] if lead else line):
            text = harmless(piece)
            if text:
                found.append(text)
        if len(found) >= _MOST_SENTENCES:
            break
    return tuple(found[:_MOST_SENTENCES])


def harmless(text: str) -> str:
    """One line that a page can show: what looks like a citation, a tag, a picture or a link is no longer one."""
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text)).replace("](", "] (")
    text = unmarked(_SPACE.sub(" ", text).strip().replace("**", ""))
    return without_tags(text if len(text) <= _LONGEST_SENTENCE else text[: _LONGEST_SENTENCE - 1].rstrip() + "…")


def unmarked(text: str) -> str:
    """What looks like our citation marks stands in round brackets."""
    return _MARK.sub(r"(\1)", text)


def without_tags(text: str) -> str:
    """No tag begins outside of code."""
    parts = text.split("`")
    # Of an odd number of ticks the last one opens nothing.
    return "`".join(part if at % 2 and at < len(parts) - 1 else _TAG.sub("&lt;", part) for at, part in enumerate(parts))
