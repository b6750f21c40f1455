"""Paragraphs in which somebody tells how it went: what was found out stands between what was tried and who asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from loremark.memory.extraction import durability, worth
from loremark.memory.extraction.sentences import Sentence, plain
from loremark.memory.extraction.typing_rules import is_anaphoric, outright_type
from loremark.memory.extraction.words import terms
from loremark.memory.paths import paths_in

Group = list[Sentence]
_TELLER = re.compile(r"\b(?:I|I['’](?:d|ve|m|ll)|[Yy]ou|[Yy]ou['’](?:d|ve|re|ll)|[Yy]our|[Mm]y|me)\b")
# Who tells how it went speaks of himself or to somebody this often in a paragraph, at least.
_FEWEST_TELLINGS = 2
_FEWEST_SENTENCES = 3
_LASTING = 2.0
_TOLD_LASTING = 3.0
_PLACE_TERMS = 9
_LEAD_IN = re.compile(r"^(?P<lead>[^:`]{8,160}): (?P<told>.{30,})$", re.DOTALL)
_SOMEBODY = re.compile(r"\b(?:he|she|they|we|us|him|her|them)\b", re.IGNORECASE)


def marked(sentences: Iterable[Sentence]) -> Iterator[tuple[bool, Sentence]]:
    """Each sentence, and whether its paragraph is a story."""
    for _, run in groupby(sentences, key=lambda one: one.block):
        paragraph = list(run)
        told = is_story(paragraph)
        yield from ((told, one) for one in paragraph)


def is_story(paragraph: list[Sentence]) -> bool:
    if len(paragraph) < _FEWEST_SENTENCES or any(one.is_bullet for one in paragraph):
        return False
    return sum(speaks_of_the_teller(one.raw) for one in paragraph) >= _FEWEST_TELLINGS


def facts_of(paragraphs: list[Sentence]) -> list[Group]:
    """What lasts, each with what explains it right behind it; what was merely lived through is left out."""
    groups: list[Group] = []
    last: Group | None = None
    for one in map(_without_lead_in, paragraphs):
        told = speaks_of_the_teller(one.raw)
        lasting = outright_type(one.text) is not None or durability.lasting(one.text) >= (
            _TOLD_LASTING if told else _LASTING
        )
        near = groups[-1] if groups and groups[-1][-1].block == one.block else None
        leans = near is last and is_anaphoric(one.text) and (lasting or not told)
        if near is not None and (leans or _is_place(one)):
            near.append(one)
        elif lasting:
            last = [one]
            groups.append(last)
        else:
            last = None
    return groups


def speaks_of_the_teller(text: str) -> bool:
    """Of whoever tells it, or to whoever hears it."""
    return _TELLER.search(text) is not None


def _is_place(one: Sentence) -> bool:
    """It tells little but where the thing is that was spoken of."""
    return len(terms(one.text)) <= _PLACE_TERMS and bool(paths_in(one.raw))


def _without_lead_in(one: Sentence) -> Sentence:
    """What stands behind "you came back with the rule:" is the fact."""
    found = _LEAD_IN.match(one.raw)
    if found is None or not worth.says_something(plain(found["told"])):
        return one
    if not (speaks_of_the_teller(found["lead"]) or _SOMEBODY.search(found["lead"])):
        return one
    return replace(one, raw=found["told"], text=plain(found["told"]))
