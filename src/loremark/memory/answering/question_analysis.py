"""Analyzes a question: its weighted words, its subjects, its type and the codes it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loremark.memory.answering.common_words import COMMON_WORDS
from loremark.memory.answering.follow_ups import MAX_QUESTION_CHARS, find_topic
from loremark.memory.answering.question_types import QuestionType, classify_question
from loremark.memory.answering.records import Turn
from loremark.memory.answering.search_synonyms import normalize_query_word
from loremark.memory.answering.word_overlap import find_codes, possible_codes, sole_identifier, words_in

_MAX_WORDS = 40
_GENERIC_WEIGHT = 0.4
_FOLLOW_UP_WEIGHT = 2.0
_NUMBER_WEIGHT = 2.0
_MIN_NUMBER_DIGITS = 3
# Too common in questions to say much about their topic.
_GENERIC_TEXT = """
number type kind way part stuff thing time name rule word folder file directory list place value people happen mean
work use go look see try help know want like long often many much first big max min default exact simple quick already
ever anywhere anyway around really today yesterday tomorrow now old wrong good bad right problem issue cause reason
change take give put keep set allow support call come run two not no after before without
"""
_GENERIC_WORDS = frozenset(map(normalize_query_word, _GENERIC_TEXT.split()))


@dataclass(frozen=True, slots=True)
class AnalyzedQuestion:
    """``words`` maps each word to its weight; ``subjects`` are the words that are not common: the topic."""

    text: str
    words: Mapping[str, float]
    subjects: tuple[str, ...]
    codes: frozenset[str]
    possible_codes: frozenset[str]
    kind: QuestionType


def analyze_question(question: str, earlier: Sequence[Turn]) -> AnalyzedQuestion:
    """Analyze a question together with the topic of the conversation if it is a follow-up."""
    text = question[:MAX_QUESTION_CHARS]
    topic = find_topic(text, earlier)
    own = list(dict.fromkeys(words_in(text)))[:_MAX_WORDS]
    words = {word: _weight(word) for word in list(dict.fromkeys(words_in(topic)))[:_MAX_WORDS]}
    # The words of a follow-up itself matter most: "and for email?" is about email.
    words |= {word: _weight(word) * (_FOLLOW_UP_WEIGHT if topic else 1.0) for word in own}
    return AnalyzedQuestion(
        text=f"{topic} {text}".strip(),
        words=words,
        subjects=_subjects(f"{topic} {text}"),
        codes=find_codes(text) or sole_identifier(text) or find_codes(topic),
        possible_codes=possible_codes(text) or possible_codes(topic),
        kind=classify_question(text),
    )


def _weight(word: str) -> float:
    if word in _GENERIC_WORDS:
        return _GENERIC_WEIGHT
    return _NUMBER_WEIGHT if word.isdigit() and len(word) >= _MIN_NUMBER_DIGITS else 1.0


def _subjects(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(words_in(text, COMMON_WORDS))
    return tuple(word for word in found if word not in _GENERIC_WORDS)[:_MAX_WORDS]
