"""Merges the items a model extracted from an event with those the rules extracted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from loremark.memory.items import Item

_MIN_OVERLAP = 0.6


def merge_rule_and_model_items(by_rule: Sequence[Item], by_model: Sequence[Item]) -> list[Item]:
    """Return the model's items plus the rule-based items that quote other parts of the event.

    A model can only add: a rule-based item is dropped only where a model's item quotes the same words. The model's item
    then has at least its confidence, which depends on the source.
    """
    quoted = [_words(item) for item in by_rule]
    dropped: set[int] = set()
    merged: list[Item] = []
    for item in by_model:
        words = _words(item)
        same = [place for place, others in enumerate(quoted) if _overlaps(words, others)]
        dropped.update(same)
        merged.append(replace(item, confidence=max([item.confidence, *(by_rule[place].confidence for place in same)])))
    return merged + [item for place, item in enumerate(by_rule) if place not in dropped]


def _words(item: Item) -> frozenset[str]:
    return frozenset(_split(quote.quote for quote in item.evidence))


def _split(texts: Iterable[str]) -> Iterable[str]:
    return (word for text in texts for word in text.lower().split() if len(word) > 2)


def _overlaps(a: frozenset[str], b: frozenset[str]) -> bool:
    smaller = min(len(a), len(b))
    return smaller > 0 and len(a & b) >= _MIN_OVERLAP * smaller
