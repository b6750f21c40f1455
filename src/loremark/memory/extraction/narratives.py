"""Narrative paragraphs, in which findings are mixed with what was tried and who asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from loremark.memory.extraction import durability, salience
from loremark.memory.extraction.sentence_splitter import Sentence, strip_markdown
from loremark.memory.extraction.type_rules import explicit_type, is_anaphoric
from loremark.memory.extraction.word_patterns import content_terms
from loremark.memory.paths import find_paths

Group = list[Sentence]
_TELLER = re.compile(r"\b(?:I|I['’](?:d|ve|m|ll)|[Yy]ou|[Yy]ou['’](?:d|ve|re|ll)|[Yy]our|[Mm]y|me)\b")
# Minimum first- or second-person sentences in a narrative paragraph.
_MIN_FIRST_PERSON = 2
_MIN_SENTENCES = 3
_LASTING = 2.0
_TOLD_LASTING = 3.0
_PLACE_TERMS = 9
_LEAD_IN = re.compile(r"^(?P<lead>[^:`]{8,160}): (?P<told>.{30,})$", re.DOTALL)
_SOMEBODY = re.compile(r"\b(?:he|she|they|we|us|him|her|them)\b", re.IGNORECASE)


def mark_narratives(sentences: Iterable[Sentence]) -> Iterator[tuple[bool, Sentence]]:
    """Yield each sentence and whether its paragraph is a narrative."""
    for _, run in groupby(sentences, key=lambda one: one.block):
        paragraph = list(run)
        first_person = is_narrative(paragraph)
        yield from ((first_person, one) for one in paragraph)


def is_narrative(paragraph: list[Sentence]) -> bool:
    if len(paragraph) < _MIN_SENTENCES or any(one.is_bullet for one in paragraph):
        return False
    return sum(is_first_person(one.raw) for one in paragraph) >= _MIN_FIRST_PERSON


def group_narrative(paragraphs: list[Sentence]) -> list[Group]:
    """Durable statements, each with the explanation right after it. Mere events are left out."""
    groups: list[Group] = []
    last: Group | None = None
    for one in map(_without_lead_in, paragraphs):
        first_person = is_first_person(one.raw)
        durability_score = explicit_type(one.text) is not None or durability.durability_score(one.text) >= (
            _TOLD_LASTING if first_person else _LASTING
        )
        near = groups[-1] if groups and groups[-1][-1].block == one.block else None
        leans = near is last and is_anaphoric(one.text) and (durability_score or not first_person)
        if near is not None and (leans or _is_place(one)):
            near.append(one)
        elif durability_score:
            last = [one]
            groups.append(last)
        else:
            last = None
    return groups


def is_first_person(text: str) -> bool:
    """Whether the text mentions its author or addresses a reader."""
    return _TELLER.search(text) is not None


def _is_place(one: Sentence) -> bool:
    """It says little more than where something is."""
    return len(content_terms(one.text)) <= _PLACE_TERMS and bool(find_paths(one.raw))


def _without_lead_in(one: Sentence) -> Sentence:
    """Drop an introduction such as "you came back with the rule:"."""
    found = _LEAD_IN.match(one.raw)
    if found is None or not salience.is_substantial(strip_markdown(found["told"])):
        return one
    if not (is_first_person(found["lead"]) or _SOMEBODY.search(found["lead"])):
        return one
    return replace(one, raw=found["told"], text=strip_markdown(found["told"]))
