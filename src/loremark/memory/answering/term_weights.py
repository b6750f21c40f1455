"""Weights a question's words by how rare they are among the passages, like IDF."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from loremark.memory.answering.word_overlap import WordBag

MAX_PASSAGES_READ = 8
"""Passages that are read. With fewer, the missing ones count as not containing any word."""


def idf_weights(words: Mapping[str, float], bags: Sequence[WordBag]) -> dict[str, float]:
    """Each word's weight times its rarity among the passages. A word in none of them is the rarest."""
    return {word: weight * _rarity(sum(word in bag for bag in bags)) for word, weight in words.items()}


def matched_weight(weights: Mapping[str, float], bag: WordBag) -> float:
    """The total weight of the words in the bag."""
    return math.fsum(weight for word, weight in weights.items() if word in bag)


def _rarity(having: int) -> float:
    return math.log(1 + (MAX_PASSAGES_READ - having + 0.5) / (having + 0.5))
