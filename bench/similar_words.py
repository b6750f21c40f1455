"""Generates the table of similar words for the ranking from the built-in model's vocabulary.

The shipped table was generated with all-MiniLM-L6-v2, the previous built-in model: the current model's table is
slightly worse on the first half of LoCoMo (docs/research/ranking.md). Running this replaces it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.memory import ranking
from loremark.memory.ranking.similar_words import MAX_SIMILAR_WORDS, NO_WORD, SHARE_SCALE
from loremark.memory.ranking.stems import stem
from loremark.memory.ranking.terms import STOP_WORDS, term_hash
from loremark.ports.embeddings.embedder import open_embedder
from loremark.ports.embeddings.weights import read_pack

_MIN_COSINE = 0.5
"""The minimum cosine of two similar words."""

_ROWS_AT_ONCE = 1000
_SPACE = "\u0120"
"""The prefix of tokens that start a word."""


def run() -> None:
    """Write the table into the package."""
    words = _common_words()
    roots, near, share = nearest(words, asyncio.run(_embed(list(words.values()))))
    path = Path(ranking.__path__[0]) / "similar_words.npz"
    np.savez_compressed(path, roots=roots, near=near, share=share)
    print(f"{len(roots)} stems, {np.count_nonzero(near != NO_WORD)} similar words, {path.stat().st_size / 1e3:.0f} KB")


def _common_words() -> dict[int, str]:
    """For each stem its first word in the model's vocabulary, which starts with the most common words."""
    words: dict[int, str] = {}
    for piece in read_pack().pieces:
        word = piece.removeprefix(_SPACE).lower()
        if piece != word and word.isascii() and word.isalpha() and len(word) > 2 and word not in STOP_WORDS:
            words.setdefault(term_hash(stem(word)), word)
    return words


def nearest(
    words: dict[int, str], vectors: NDArray[np.float32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint8]]:
    """Stems ordered by hash, with the positions and shares of their nearest neighbors."""
    roots = np.array(list(words), dtype=np.uint32)
    order = np.argsort(roots)
    roots, vectors = roots[order], vectors[order]
    near = np.full((len(roots), MAX_SIMILAR_WORDS), NO_WORD, dtype=np.uint16)
    share = np.zeros((len(roots), MAX_SIMILAR_WORDS), dtype=np.uint8)
    for start in range(0, len(roots), _ROWS_AT_ONCE):
        cosines = vectors[start : start + _ROWS_AT_ONCE] @ vectors.T
        for row, similarities in enumerate(cosines, start=start):
            similarities[row] = -1.0
            best = np.argsort(-similarities, kind="stable")[:MAX_SIMILAR_WORDS]
            shares = (
                np.rint((similarities[best] - _MIN_COSINE) / (1 - _MIN_COSINE) * SHARE_SCALE)
                .clip(0, SHARE_SCALE)
                .astype(np.uint8)
            )
            near[row] = np.where(shares > 0, best, NO_WORD)
            share[row] = shares
    return roots, near, share


async def _embed(words: list[str]) -> NDArray[np.float32]:
    embedder = open_embedder("builtin")
    try:
        return (await embedder.embed(words)).vectors
    finally:
        await embedder.close()
