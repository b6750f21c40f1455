"""Words of similar meaning, so that a question about hobbies finds someone who paints.

A table of about ten thousand common stems, each with its nearest neighbors, generated once (``python -m bench
similar-words``) with all-MiniLM-L6-v2. It is the same for every embedding model and contains no text: stems are hashes.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

MAX_SIMILAR_WORDS = 8
NO_WORD = 65_535
SHARE_SCALE = 255


class _Table:
    def __init__(self, stems: NDArray[np.uint32], near: NDArray[np.uint16], share: NDArray[np.uint8]) -> None:
        self._stems, self._near, self._share = stems, near, share

    def of(self, word: int) -> list[tuple[int, float]]:
        place = int(np.searchsorted(self._stems, word))
        if place == len(self._stems) or self._stems[place] != word:
            return []
        return [
            (int(self._stems[other]), int(share) / SHARE_SCALE)
            for other, share in zip(self._near[place], self._share[place], strict=True)
            if other != NO_WORD
        ]


@lru_cache(maxsize=1)
def _table() -> _Table:
    with (
        resources.files("loremark.memory.ranking").joinpath("similar_words.npz").open("rb") as file,
        np.load(file) as kept,
    ):
        return _Table(kept["roots"], kept["near"], kept["share"])


@lru_cache(maxsize=8192)
def find_similar_words(word: int) -> tuple[tuple[int, float], ...]:
    """The hashes of the most similar stems, each with its weight relative to the word (below 1)."""
    return tuple(_table().of(word))
