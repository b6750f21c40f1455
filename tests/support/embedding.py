"""One built-in embedder and reader per worker process: loading a model costs more than most tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.ports.embeddings.embedder import Embedder, EmbeddingResult, open_embedder
from loremark.ports.reader.reader import Reader, Reading

_shared: dict[str, Embedder] = {}
_readers: list[Reader] = []


class SharedEmbedder:
    """The embedder of this process, which stays open when a service closes it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.address = embedder.address
        self.dimensions = embedder.dimensions

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        return await self._embedder.embed(texts)

    async def close(self) -> None:
        """Do nothing, because other services use it too."""


class SharedReader:
    """The reader of this process, which stays open when a service closes it."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.name = reader.name

    async def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        return await self._reader.read(pairs)

    def prepare(self) -> None:
        self._reader.prepare()

    async def close(self) -> None:
        """Do nothing, because other services use it too."""


def builtin() -> Embedder:
    """The built-in embedder that the services of this process use."""
    if "builtin" not in _shared:
        _shared["builtin"] = open_embedder("builtin")
    return _shared["builtin"]


def share(patch: pytest.MonkeyPatch) -> None:
    """Let every service in this process use the same built-in embedder and reader."""
    open_unshared, open_reader = engines.open_embedder, engines.open_reader

    def open_shared(settings: Settings) -> Embedder:
        if not settings.embeddings.startswith("builtin"):
            return open_unshared(settings)
        if settings.embeddings not in _shared:
            _shared[settings.embeddings] = open_unshared(settings)
        return SharedEmbedder(_shared[settings.embeddings])

    def open_shared_reader(settings: Settings) -> Reader:
        if not _readers:
            _readers.append(open_reader(settings))
        return SharedReader(_readers[0])

    patch.setattr(engines, "open_embedder", open_shared)
    patch.setattr(engines, "open_reader", open_shared_reader)
