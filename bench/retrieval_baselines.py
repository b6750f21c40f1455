"""Baseline searches: words alone (BM25), and vectors alone."""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from bench.retrieval_sets import EmbeddedBy, Project


class VectorSearch:
    """Compares every vector with that of the question."""

    name = "plain dense"
    embedding: EmbeddedBy = "bench"

    def cpu_seconds(self) -> float:
        return time.process_time()

    def add(self, project: Project, vectors: NDArray[np.float32]) -> None:
        self._vectors = np.ascontiguousarray(vectors)

    def search(self, question: str, vector: NDArray[np.float32], limit: int) -> list[int]:
        return [int(place) for place in np.argsort(-(self._vectors @ vector), kind="stable")[:limit]]


class Bm25:
    """Textbook BM25: lowercase words, k1 1.2, b 0.75, no stop words, no stemming, no vectors."""

    name = "plain BM25"
    embedding: EmbeddedBy = "nobody"

    def cpu_seconds(self) -> float:
        return time.process_time()

    def add(self, project: Project, vectors: NDArray[np.float32]) -> None:
        counts = [Counter(_words(one.text)) for one in project.documents]
        lengths = np.array([sum(one.values()) for one in counts], dtype=np.float64)
        self._damping = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
        self._places: dict[str, list[tuple[int, int]]] = {}
        for place, one in enumerate(counts):
            for word, count in one.items():
                self._places.setdefault(word, []).append((place, count))

    def search(self, question: str, vector: NDArray[np.float32], limit: int) -> list[int]:
        scores = np.zeros(len(self._damping))
        for word in _words(question):
            found = self._places.get(word, [])
            if found:
                places, counts = np.array(found).T
                rarity = math.log(1 + (len(scores) - len(found) + 0.5) / (len(found) + 0.5))
                scores[places] += rarity * counts * 2.2 / (counts + self._damping[places])
        return [int(place) for place in np.argsort(-scores, kind="stable")[:limit]]


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
