"""What a model found and what the rules found in the same event, as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loremark.memory.items import Item

_SHARED = 0.6


def combine(by_rule: Sequence[Item], by_model: Sequence[Item]) -> list[Item]:
    """The model's items, and those of the rules that rest on other words of the event.

    A model may only add: what the rules found stays, unless the model says it from the same words.
    """
    told = [_words(item) for item in by_model]
    left = [item for item in by_rule if not any(_overlap(_words(item), words) for words in told)]
    return [*by_model, *left]


def _words(item: Item) -> frozenset[str]:
    return frozenset(_split(quote.quote for quote in item.evidence))


def _split(texts: Iterable[str]) -> Iterable[str]:
    return (word for text in texts for word in text.lower().split() if len(word) > 2)


def _overlap(one: frozenset[str], another: frozenset[str]) -> bool:
    smaller = min(len(one), len(another))
    return smaller > 0 and len(one & another) >= _SHARED * smaller
