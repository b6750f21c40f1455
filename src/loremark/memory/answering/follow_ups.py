"""Resolves follow-up questions by adding the topic of the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.answering.records import Turn
from loremark.memory.ranking.terms import read_question

MAX_QUESTION_CHARS = 2_000
_MAX_TURNS = 6
_REPLY_START = re.compile(
    r"\s*(?:and|but|so|or|also|then|what about|how about|what if|same|likewise|ok|okay|yes|no|else)\b", re.IGNORECASE
)
_BACK_REFERENCE = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|their|there|such|one|ones|he|she|him|her|then|instead|so|the same"
    r"|the other|another|former|latter|above)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 2


def resolve_follow_up(question: str, earlier: Sequence[Turn]) -> str:
    """Prefix a follow-up with the question it refers to; leave other questions as they are."""
    asked = question[:MAX_QUESTION_CHARS].strip()
    topic = _find_topic(asked, earlier)
    return f"{topic} {asked}" if topic else asked


def _find_topic(question: str, earlier: Sequence[Turn]) -> str:
    """The earlier question that the conversation is about; empty if this one is not a follow-up."""
    if not _is_follow_up(question):
        return ""
    for turn in reversed(earlier[-_MAX_TURNS:]):
        before = turn.question[:MAX_QUESTION_CHARS].strip()
        if before and not _is_follow_up(before):
            return before
    return earlier[0].question[:MAX_QUESTION_CHARS].strip() if earlier else ""


def _is_follow_up(question: str) -> bool:
    """Whether a question starts like a reply, refers back to something, or has hardly any words."""
    return bool(_REPLY_START.match(question) or _BACK_REFERENCE.search(question)) or (
        len(read_question(question).words) < _FEW_WORDS
    )
