"""Merges two items that state the same fact, keeping the sources of both."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from loremark.memory.contradiction import find_contradictions
from loremark.memory.dedup import canonical_key
from loremark.memory.items import Item, Quote
from loremark.memory.provenance import is_from_scans
from loremark.memory.statement_overlap import split_statements
from loremark.memory.text_parser import parse_text

MAX_FILES = 50
MAX_TAGS = 20
MAX_EVIDENCE = 20
# Each additional event that supports an item raises its confidence a little, but not to the default threshold for
# automatic approval: one sender can repeat itself.
AGREEMENT_STEP = 0.02
MAX_AGREED_CONFIDENCE = 0.89
# Sentences of the other item are appended up to this length: readers skip long items.
MAX_JOINED_CHARS = 800
_COVERED_SHARE = 0.5
_MIN_WORDS = 3
_LIST_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s")


def merge(a: Item, b: Item) -> Item:
    """Merge two items. Apart from the identity, which is ``a``'s if it has one, the order does not matter."""
    better, other = sorted((a, b), key=_quality, reverse=True)
    if _wording(a) == _wording(b):
        better = other = a
    kept = a if a.id else b
    absorbed = {each.id for each in (a, b) if each.id} - {kept.id}
    return replace(
        better,
        content=merge_contents(better, other),
        confidence=_confidence(a, b),
        files=union(a.files, b.files, MAX_FILES),
        tags=union(a.tags, b.tags, MAX_TAGS),
        evidence=_evidence(a, b),
        flags=tuple(sorted({*a.flags, *b.flags})),
        branch=a.branch if a.branch == b.branch else None,
        tier=min(a.tier, b.tier),
        id=kept.id,
        status=kept.status,
        reviewed=a.reviewed and b.reviewed,
        merged_from=tuple(sorted({*a.merged_from, *b.merged_from, *absorbed} - {kept.id})),
        origins=tuple(sorted({*a.origins, *b.origins})) if a.origins and b.origins else (),
    )


def _quality(item: Item) -> tuple[bool, float, int, int, tuple[str, ...]]:
    """How well an item states its fact: people before scans, then confidence, evidence and length."""
    fullness = len(item.title) + len(item.content)
    said = canonical_key(replace(item, id=""))
    return not is_from_scans(item), item.confidence, len(item.evidence), fullness, said


def _wording(item: Item) -> tuple[object, ...]:
    return item.title, item.content, item.type, item.schema_key


def merge_contents(better: Item, other: Item) -> str:
    """Return the better content plus what the other adds without contradicting it."""
    content = better.content
    for sentence in split_statements(other.content):
        current, addition = parse_text(content, better.title), parse_text(sentence)
        new = addition.words - current.words
        if len(addition.words) < _MIN_WORDS or len(new) <= len(addition.words) * _COVERED_SHARE:
            continue
        longer = _append(content.rstrip(), sentence)
        clash = find_contradictions(current, addition).most_severe
        if len(longer) <= MAX_JOINED_CHARS and (clash is None or clash.severity == "loose"):
            content = longer
    return content


def append_sentences(content: str, sentences: Iterable[str]) -> str:
    """Append those sentences that the content does not have yet."""
    for sentence in sentences:
        if sentence not in content:
            content = _append(content.rstrip(), sentence)
    return content


def _append(content: str, sentence: str) -> str:
    """Append a sentence on the same line, or a list item on its own line."""
    before, now = _LIST_ITEM.match(content.rpartition("\n")[2]), _LIST_ITEM.match(sentence)
    if now:
        return f"{content}\n{sentence}" if before else f"{content}\n\n{sentence}"
    return f"{content}\n\n{sentence}" if before else f"{content} {sentence}"


def _confidence(a: Item, b: Item) -> float:
    """The higher confidence, raised a little for each event that only the other item quotes."""
    events_a, events_b = ({quote.event_id for quote in item.evidence} for item in (a, b))
    additional = len(events_a | events_b) - max(len(events_a), len(events_b))
    higher = max(a.confidence, b.confidence)
    return max(higher, min(MAX_AGREED_CONFIDENCE, round(higher + AGREEMENT_STEP * additional, 4)))


def _evidence(a: Item, b: Item) -> tuple[Quote, ...]:
    return tuple(sorted({*a.evidence, *b.evidence}))[:MAX_EVIDENCE]


def union(a: Iterable[str], b: Iterable[str], at_most: int) -> tuple[str, ...]:
    """Return the sorted union, limited to ``at_most`` values."""
    return tuple(sorted({*a, *b})[:at_most])
