"""A question, read: its words by their weight, what it is after, and the codes that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loremark.memory.answering.condensing import LONGEST_QUESTION, topic_of
from loremark.memory.answering.everyday import EVERYDAY
from loremark.memory.answering.evidence import codes_in, loose_codes, only_name, words_in
from loremark.memory.answering.kinds import Kind, kind_of
from loremark.memory.answering.phrasing import plain_word
from loremark.memory.answering.records import Turn

_MOST_WORDS = 40
_GENERAL = 0.4
_OWN = 2.0
_FIGURE = 2.0
_FIGURE_DIGITS = 3
# They stand in every second question, and say little about what it is about.
_GENERAL_TEXT = """
number type kind way part stuff thing time name rule word folder file directory list place value people happen mean
work use go look see try help know want like long often many much first big max min default exact simple quick already
ever anywhere anyway around really today yesterday tomorrow now old wrong good bad right problem issue cause reason
change take give put keep set allow support call come run two not no after before without
"""
_GENERAL_WORDS = frozenset(map(plain_word, _GENERAL_TEXT.split()))


@dataclass(frozen=True, slots=True)
class Asked:
    """``words`` by weight; ``subjects`` are those that are not everyday words: what it is about."""

    text: str
    words: Mapping[str, float]
    subjects: tuple[str, ...]
    codes: frozenset[str]
    loose_codes: frozenset[str]
    kind: Kind


def read_question(question: str, earlier: Sequence[Turn]) -> Asked:
    """The question with its topic, if it leans on one."""
    text = question[:LONGEST_QUESTION]
    topic = topic_of(text, earlier)
    own = list(dict.fromkeys(words_in(text)))[:_MOST_WORDS]
    words = {word: _weight(word) for word in list(dict.fromkeys(words_in(topic)))[:_MOST_WORDS]}
    # What a follow-up says itself is what is new: "and for e-mail?" is about e-mail.
    words |= {word: _weight(word) * (_OWN if topic else 1.0) for word in own}
    return Asked(
        text=f"{topic} {text}".strip(),
        words=words,
        subjects=_subjects(f"{topic} {text}"),
        codes=codes_in(text) or only_name(text) or codes_in(topic),
        loose_codes=loose_codes(text) or loose_codes(topic),
        kind=kind_of(text),
    )


def _weight(word: str) -> float:
    if word in _GENERAL_WORDS:
        return _GENERAL
    return _FIGURE if word.isdigit() and len(word) >= _FIGURE_DIGITS else 1.0


def _subjects(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(words_in(text, EVERYDAY))
    return tuple(word for word in found if word not in _GENERAL_WORDS)[:_MOST_WORDS]
