"""Makes a table of words near in meaning for the ranking: the words the built-in model knows, one by one.

The table in the package was made in this way by all-MiniLM-L6-v2, the built-in model of before: one by the present
model is a little worse on the first half of LoCoMo (docs/decisions/0018). What is made here takes its place.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.memory import ranking
from loremark.memory.ranking.nearby import NEIGHBOURS, NOBODY, WHOLE
from loremark.memory.ranking.stems import root
from loremark.memory.ranking.terms import STOPPED, term_hash
from loremark.ports.embeddings.embedder import open_embedder
from loremark.ports.embeddings.weights import read_pack

_LEAST = 0.5
"""The cosine of two words from which on the one says something of the other."""

_ROWS_AT_ONCE = 1000
_SPACE = "\u0120"
"""How a piece begins that begins a word."""


def run() -> None:
    """Write the table into the package."""
    words = _common_words()
    roots, near, share = nearest(words, asyncio.run(_embed(list(words.values()))))
    path = Path(ranking.__path__[0]) / "nearby.npz"
    np.savez_compressed(path, roots=roots, near=near, share=share)
    print(f"{len(roots)} roots, {np.count_nonzero(near != NOBODY)} neighbours, {path.stat().st_size / 1e3:.0f} KB")


def _common_words() -> dict[int, str]:
    """Of each root the word that comes first in the model's list, which begins with the commonest."""
    words: dict[int, str] = {}
    for piece in read_pack().pieces:
        word = piece.removeprefix(_SPACE).lower()
        if piece != word and word.isascii() and word.isalpha() and len(word) > 2 and word not in STOPPED:
            words.setdefault(term_hash(root(word)), word)
    return words


def nearest(
    words: dict[int, str], vectors: NDArray[np.float32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint8]]:
    """Roots in the order of their hashes; of each the places of its nearest ones, and their shares."""
    roots = np.array(list(words), dtype=np.uint32)
    order = np.argsort(roots)
    roots, vectors = roots[order], vectors[order]
    near = np.full((len(roots), NEIGHBOURS), NOBODY, dtype=np.uint16)
    share = np.zeros((len(roots), NEIGHBOURS), dtype=np.uint8)
    for start in range(0, len(roots), _ROWS_AT_ONCE):
        cosines = vectors[start : start + _ROWS_AT_ONCE] @ vectors.T
        for row, alike in enumerate(cosines, start=start):
            alike[row] = -1.0
            best = np.argsort(-alike, kind="stable")[:NEIGHBOURS]
            shares = np.rint((alike[best] - _LEAST) / (1 - _LEAST) * WHOLE).clip(0, WHOLE).astype(np.uint8)
            near[row] = np.where(shares > 0, best, NOBODY)
            share[row] = shares
    return roots, near, share


async def _embed(words: list[str]) -> NDArray[np.float32]:
    embedder = open_embedder("builtin")
    try:
        return (await embedder.embed(words)).vectors
    finally:
        await embedder.close()
