"""One built-in embedder per worker process: loading its model costs more than most tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.ports.embeddings.embedder import Embedder, EmbeddingResult

_shared: dict[str, Embedder] = {}


class SharedEmbedder:
    """The embedder of this process, which stays open when a service closes it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.dimensions = embedder.dimensions

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        return await self._embedder.embed(texts)

    async def close(self) -> None:
        """Do nothing, because other services use it too."""


def share(patch: pytest.MonkeyPatch) -> None:
    """Let every service in this process use the same built-in embedder."""
    open_embedder = engines.open_embedder

    def open_shared(settings: Settings) -> Embedder:
        if not settings.embeddings.startswith("builtin"):
            return open_embedder(settings)
        if settings.embeddings not in _shared:
            _shared[settings.embeddings] = open_embedder(settings)
        return SharedEmbedder(_shared[settings.embeddings])

    patch.setattr(engines, "open_embedder", open_shared)
