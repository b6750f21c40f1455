"""Words near in meaning, so that a question about hobbies finds who paints.

A table of some ten thousand common roots, each with its nearest others, made once (``python -m bench nearby``) with
the vectors of all-MiniLM-L6-v2. It is the same whichever embedder is used, and it holds no text: roots are hashes.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

NEIGHBOURS = 8
NOBODY = 65_535
WHOLE = 255


class _Table:
    def __init__(self, roots: NDArray[np.uint32], near: NDArray[np.uint16], share: NDArray[np.uint8]) -> None:
        self._roots, self._near, self._share = roots, near, share

    def of(self, word: int) -> list[tuple[int, float]]:
        place = int(np.searchsorted(self._roots, word))
        if place == len(self._roots) or self._roots[place] != word:
            return []
        return [
            (int(self._roots[other]), int(share) / WHOLE)
            for other, share in zip(self._near[place], self._share[place], strict=True)
            if other != NOBODY
        ]


@lru_cache(maxsize=1)
def _table() -> _Table:
    with resources.files("loremark.memory.ranking").joinpath("nearby.npz").open("rb") as file, np.load(file) as kept:
        return _Table(kept["roots"], kept["near"], kept["share"])


@lru_cache(maxsize=8192)
def near(word: int) -> tuple[tuple[int, float], ...]:
    """The hashes of the roots nearest in meaning, and how much of the word each is worth (under 1)."""
    return tuple(_table().of(word))
