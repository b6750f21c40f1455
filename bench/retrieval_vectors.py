"""Embeds texts with the built-in embedder, cached by content between runs, and times questions."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.base.folders import cache_folder
from loremark.ports.embeddings.embedder import Embedder, open_embedder

CACHE = Path(cache_folder()) / "bench"
"""A folder of the user rather than a temporary one, because programs are run from it."""

_AT_ONCE = 512
_KEPT_AFTER = 4_096
_TIMED = 50
"""Questions per project that are embedded again, to time them."""


class Vectors:
    """Vectors cached on disk. Call ``learn`` before ``of``."""

    def __init__(self) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        self._embedder: Embedder = open_embedder("builtin", cache_dir=CACHE)
        self.model = self._embedder.name
        self._path = CACHE / "retrieval-vectors.npz"
        self._rows: dict[str, NDArray[np.float32]] = {}
        if self._path.exists():
            with np.load(self._path) as kept:
                self._rows = dict(zip(kept["names"].tolist(), kept["rows"], strict=True))

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._rows[self._name(text)] for text in texts])

    async def learn(self, texts: Sequence[str]) -> None:
        """Embed new texts in batches; an interrupted run loses little."""
        new = [text for text in dict.fromkeys(texts) if self._name(text) not in self._rows]
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            self._rows.update(zip(map(self._name, some), (await self._embedder.embed(some)).vectors, strict=True))
            if (start + _AT_ONCE) % _KEPT_AFTER == 0 or start + _AT_ONCE >= len(new):
                self._keep()

    async def time_questions(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        """Wall and CPU milliseconds to embed each of the first questions on its own."""
        took = []
        await self._embedder.embed(texts[:1])
        for text in texts[:_TIMED]:
            wall, cpu = time.perf_counter(), time.process_time()
            await self._embedder.embed([text])
            took.append(((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000))
        return took

    async def close(self) -> None:
        await self._embedder.close()

    def _keep(self) -> None:
        """Written atomically, since another run may read it at the same time."""
        fresh = self._path.with_suffix(f".{os.getpid()}.npz")
        np.savez(fresh, names=np.array(list(self._rows)), rows=np.stack(list(self._rows.values())))
        fresh.replace(self._path)

    def _name(self, text: str) -> str:
        return hashlib.sha256(f"{self.model}\n{text}".encode()).hexdigest()[:32]
