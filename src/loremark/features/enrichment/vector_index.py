"""Exact nearest-neighbor search over a project's item vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from loremark.base.caller import Scope
from loremark.features.enrichment import vectors
from loremark.ports.embeddings.vector_packing import unpack
from loremark.storage.database import Tx

_PAGE_ROWS = 4_096
_OVERLAP = 256
"""Rows read again on refresh, because ids created on other machines may arrive slightly out of order."""


class VectorIndex:
    """A project's vectors in memory, stored compactly in blocks and extended on refresh."""

    def __init__(self, scope: Scope, project_id: str, model: str) -> None:
        self._scope = scope
        self._project_id = project_id
        self._model = model
        self._ids: list[str] = []
        self._known: set[str] = set()
        self._blocks: list[NDArray[np.float16]] = []
        self._cursor = ""

    def __len__(self) -> int:
        return len(self._ids)

    async def refresh(self, tx: Tx) -> None:
        """Load vectors added since the last refresh."""
        after = self._cursor
        while True:
            rows = await vectors.list_vectors(
                tx, self._scope, self._project_id, self._model, after=after, take=_PAGE_ROWS
            )
            new = [row for row in rows if row["item_id"] not in self._known]
            if new:
                self._add([row["item_id"] for row in new], unpack([row["vector"] for row in new]))
            if len(rows) < _PAGE_ROWS:
                break
            after = rows[-1]["item_id"]
        self._cursor = self._ids[-_OVERLAP] if len(self._ids) > _OVERLAP else ""

    def _add(self, item_ids: Sequence[str], found: NDArray[np.float32]) -> None:
        self._ids += item_ids
        self._known.update(item_ids)
        compact = found.astype(np.float16)
        if self._blocks and len(self._blocks[-1]) + len(compact) <= _PAGE_ROWS:
            self._blocks[-1] = np.concatenate([self._blocks[-1], compact])
        else:
            self._blocks.append(compact)

    def nearest(self, queries: NDArray[np.float32], count: int) -> list[list[tuple[str, float]]]:
        """Return the nearest items of each query with their cosine similarity, best first."""
        found: list[list[tuple[float, int]]] = [[] for _ in queries]
        start = 0
        for block in self._blocks:
            cosines = queries @ block.astype(np.float32).T
            take = min(count, len(block))
            for number, row in enumerate(cosines):
                best = np.argpartition(row, -take)[-take:]
                found[number] += [(-float(row[place]), start + int(place)) for place in best]
            start += len(block)
        return [
            [(self._ids[place], min(1.0, -negative)) for negative, place in sorted(entries)[:count]]
            for entries in found
        ]
