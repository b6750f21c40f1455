"""How much a word of a question tells, by the passages at hand: what all of them have, tells none apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from loremark.memory.answering.evidence import Bag

MOST_READ = 8
"""Passages that are read. Fewer count as if the others had none of the words."""


def rarities(words: Mapping[str, float], bags: Sequence[Bag]) -> dict[str, float]:
    """Each word's weight, times its rarity among the passages. What stands in none of them is the rarest."""
    return {word: weight * _rarity(sum(word in bag for bag in bags)) for word, weight in words.items()}


def held(weights: Mapping[str, float], bag: Bag) -> float:
    """The weight of the words that stand in it."""
    return math.fsum(weight for word, weight in weights.items() if word in bag)


def _rarity(having: int) -> float:
    return math.log(1 + (MOST_READ - having + 0.5) / (having + 0.5))
