"""Makes one item of two that tell the same fact, keeping the sources of both."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from loremark.memory.contradiction import find_clashes
from loremark.memory.dedup import canonical_key
from loremark.memory.items import Item, Quote
from loremark.memory.parts import sentences_of
from loremark.memory.provenance import rests_on_scans
from loremark.memory.reading import read

MAX_FILES = 50
MAX_TAGS = 20
MAX_EVIDENCE = 20
MAX_CONFIDENCE = 0.98
# Each further event that tells the same makes it a little surer.
AGREEMENT_STEP = 0.02
# Sentences of the other item are taken over up to this length; what is stated twice as long is read half as often.
MAX_JOINED_CHARS = 800
_COVERED_SHARE = 0.5
_MIN_WORDS = 3
_POINT = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s")


def merge(a: Item, b: Item) -> Item:
    """One item of two. But for its identity, which is ``a``'s if it has one, it does not matter which comes first."""
    better, other = sorted((a, b), key=_standing, reverse=True)
    if _said(a) == _said(b):
        better = other = a
    kept = a if a.id else b
    absorbed = {each.id for each in (a, b) if each.id} - {kept.id}
    return replace(
        better,
        content=joined(better, other),
        confidence=_confidence(a, b),
        files=union(a.files, b.files, MAX_FILES),
        tags=union(a.tags, b.tags, MAX_TAGS),
        evidence=_evidence(a, b),
        flags=tuple(sorted({*a.flags, *b.flags})),
        branch=a.branch if a.branch == b.branch else None,
        tier=min(a.tier, b.tier),
        id=kept.id,
        status=kept.status,
        merged_from=tuple(sorted({*a.merged_from, *b.merged_from, *absorbed} - {kept.id})),
        origins=tuple(sorted({*a.origins, *b.origins})) if a.origins and b.origins else (),
    )


def _standing(item: Item) -> tuple[bool, float, int, int, tuple[str, ...]]:
    """How well an item states its fact: told before found, the surer, the better proven, the fuller; then any order."""
    fullness = len(item.title) + len(item.content)
    said = canonical_key(replace(item, id=""))
    return not rests_on_scans(item), item.confidence, len(item.evidence), fullness, said


def _said(item: Item) -> tuple[object, ...]:
    return item.title, item.content, item.type, item.schema_key


def joined(better: Item, other: Item) -> str:
    """The better content, and what the other adds to it without contradicting it."""
    content = better.content
    for sentence in sentences_of(other.content):
        told, more = read(content, better.title), read(sentence)
        new = more.words - told.words
        if len(more.words) < _MIN_WORDS or len(new) <= len(more.words) * _COVERED_SHARE:
            continue
        longer = _with(content.rstrip(), sentence)
        clash = find_clashes(told, more).gravest
        if len(longer) <= MAX_JOINED_CHARS and (clash is None or clash.grade == "loose"):
            content = longer
    return content


def with_sentences(content: str, sentences: Iterable[str]) -> str:
    """The content, and after it those of the sentences that it does not have."""
    for sentence in sentences:
        if sentence not in content:
            content = _with(content.rstrip(), sentence)
    return content


def _with(content: str, sentence: str) -> str:
    """A sentence goes on in its line; points of a list stand in lines of their own."""
    before, now = _POINT.match(content.rpartition("\n")[2]), _POINT.match(sentence)
    if now:
        return f"{content}\n{sentence}" if before else f"{content}\n\n{sentence}"
    return f"{content}\n\n{sentence}" if before else f"{content} {sentence}"


def _confidence(a: Item, b: Item) -> float:
    """The higher one; a little more for each event that is new to the better proven item."""
    events_a, events_b = ({quote.event_id for quote in item.evidence} for item in (a, b))
    further = len(events_a | events_b) - max(len(events_a), len(events_b))
    surer = max(a.confidence, b.confidence)
    return max(surer, min(MAX_CONFIDENCE, round(surer + AGREEMENT_STEP * further, 4)))


def _evidence(a: Item, b: Item) -> tuple[Quote, ...]:
    return tuple(sorted({*a.evidence, *b.evidence}))[:MAX_EVIDENCE]


def union(a: Iterable[str], b: Iterable[str], at_most: int) -> tuple[str, ...]:
    """What stands in either, in order, so many at most."""
    return tuple(sorted({*a, *b})[:at_most])
