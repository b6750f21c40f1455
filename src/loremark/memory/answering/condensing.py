"""A question that leans on what was said before is made to stand alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.answering.evidence import words_in
from loremark.memory.answering.records import Turn

LONGEST_QUESTION = 2_000
_MOST_TURNS = 6
_OPENING = re.compile(
    r"\s*(?:and|but|so|or|also|then|what about|how about|what if|same|likewise|ok|okay|yes|no|else)\b", re.IGNORECASE
)
_POINTING = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|their|there|such|one|ones|he|she|him|her|then|instead|so|the same"
    r"|the other|another|former|latter|above)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 2


def condense(question: str, earlier: Sequence[Turn]) -> str:
    """The question with the topic of the last turns; one that stands alone is left as it is."""
    asked = question[:LONGEST_QUESTION].strip()
    topic = topic_of(asked, earlier)
    return f"{topic} {asked}" if topic else asked


def topic_of(question: str, earlier: Sequence[Turn]) -> str:
    """The question before that the talk is about; empty if this one needs none."""
    if not leans(question):
        return ""
    for turn in reversed(earlier[-_MOST_TURNS:]):
        before = turn.question[:LONGEST_QUESTION].strip()
        if before and not leans(before):
            return before
    return earlier[0].question[:LONGEST_QUESTION].strip() if earlier else ""


def leans(question: str) -> bool:
    """Whether a question points back: it opens like a reply, points at something, or hardly says anything."""
    words = set(words_in(question))
    return bool(_OPENING.match(question) or _POINTING.search(question)) or len(words) < _FEW_WORDS
