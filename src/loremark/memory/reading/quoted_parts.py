"""Whether a model's items quote what a rule's item quotes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loremark.memory.items import Item

_MIN_OVERLAP = 0.6


def is_quoted_by(item: Item, others: Sequence[Item]) -> bool:
    """Return whether one of the others quotes mostly the same words."""
    words = _words(item)
    return any(_overlaps(words, _words(other)) for other in others)


def _words(item: Item) -> frozenset[str]:
    return frozenset(_split(quote.quote for quote in item.evidence))


def _split(texts: Iterable[str]) -> Iterable[str]:
    return (word for text in texts for word in text.lower().split() if len(word) > 2)


def _overlaps(a: frozenset[str], b: frozenset[str]) -> bool:
    smaller = min(len(a), len(b))
    return smaller > 0 and len(a & b) >= _MIN_OVERLAP * smaller
