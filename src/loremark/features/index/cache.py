"""In-memory cache of ranking indexes, one per project, updated before each use and bounded in bytes.

Before each use the index version is checked and newer changes are loaded. So what one process removes disappears from
the next search in every other process.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from loremark.base import log
from loremark.base.caller import Scope
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry
from loremark.ports.embeddings.embedder import EmbedderFailed
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.embeddings.vector_packing import unpack
from loremark.storage.database import Database, Tx

_log = log.logger("search")

_LOADS_AT_ONCE = 2


@dataclass(frozen=True)
class IndexChanges:
    """Entries to add or replace, their vectors, and the ids to remove."""

    entries: Sequence[Entry]
    vectors: Mapping[str, bytes]
    removed: Sequence[str] = ()


class IndexSource(Protocol):
    """Where the entries of one kind of index are stored."""

    async def find_version(self, tx: Tx, scope: Scope, project_id: str) -> int | None:
        """Return the index version, or None if the project does not exist."""

    async def count_by_model(self, tx: Tx, scope: Scope, project_id: str) -> Mapping[str, int]:
        """Count the vectors by embedding model."""

    async def load(self, tx: Tx, scope: Scope, project_id: str, model: str) -> IndexChanges:
        """Load everything."""

    async def load_changes(self, tx: Tx, scope: Scope, project_id: str, since: int, model: str) -> IndexChanges | None:
        """Load what changed after a version, or return None if everything has to be loaded again."""


@dataclass(frozen=True)
class CachedIndex:
    """A project's entries at an index version, with vectors of one model."""

    corpus: Corpus
    version: int
    model: str


@dataclass(frozen=True)
class AskedIndex:
    """An index, and the vector of a question by the index's model; None if it could not be embedded."""

    index: CachedIndex
    vector: NDArray[np.float32] | None
    tokens: int


class IndexCache:
    """Least-recently-used cache of project indexes."""

    def __init__(self, database: Database, embedders: Embedders, source: IndexSource, limit_bytes: int) -> None:
        self._database = database
        self._embedders = embedders
        self._source = source
        self._limit_bytes = limit_bytes
        self._cached: OrderedDict[str, CachedIndex] = OrderedDict()
        self._bytes = 0
        # A lock exists only while a task holds or awaits it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._loads = asyncio.Semaphore(_LOADS_AT_ONCE)

    async def ask(self, scope: Scope, project_id: str, text: str) -> AskedIndex | None:
        """Return the project's index and the text's vector for it, or None if the project does not exist."""
        cached = self._cached.get(project_id)
        model = self._embedders.current.name if cached is None else cached.model
        while True:
            vector, tokens = await self._embed(model, text)
            index = await self.get(scope, project_id)
            if index is None:
                return None
            if index.model == model:
                return AskedIndex(index, vector, tokens)
            model = index.model  # the index has vectors of another embedder

    async def _embed(self, model: str, text: str) -> tuple[NDArray[np.float32] | None, int]:
        """Embed a question, or return None if the embedder fails, so that only words are matched."""
        if not text.strip():
            return None, 0
        try:
            embedded = await self._embedders.embed_question(model, text)
        except EmbedderFailed as failure:
            _log.warning("embedder failed, searching by words only", error=str(failure))
            return None, 0
        return embedded.vectors[0], embedded.tokens

    async def get(self, scope: Scope, project_id: str) -> CachedIndex | None:
        """Return the project's current index, or None if the project does not exist.

        A task that waits for another one's load holds no database connection.
        """
        async with self._database.read() as tx:
            version = await self._source.find_version(tx, scope, project_id)
        if version is None:
            return None
        cached = self._cached.get(project_id)
        if cached is not None and cached.version >= version:
            self._cached.move_to_end(project_id)
            return cached
        lock = self._locks.setdefault(project_id, asyncio.Lock())
        async with lock:  # concurrent requests load it once
            return await self._update(scope, project_id, version)

    async def _update(self, scope: Scope, project_id: str, version: int) -> CachedIndex:
        cached = self._cached.get(project_id)
        if cached is not None and cached.version >= version:
            return cached
        updated = None if cached is None else await self._refresh(scope, project_id, cached, version)
        if updated is None:
            async with self._loads:
                updated = await self._load(scope, project_id, version)
        self._store(project_id, updated)
        return updated

    async def _load(self, scope: Scope, project_id: str, version: int) -> CachedIndex:
        """Load the whole index. Changes made meanwhile have a later version and are picked up by the next update."""
        async with self._database.read() as tx:
            model = await self._choose_model(tx, scope, project_id)
            found = await self._source.load(tx, scope, project_id, model)
        corpus = await asyncio.to_thread(lambda: Corpus.build(found.entries, _aligned(found.entries, found.vectors, 0)))
        return CachedIndex(corpus, version, model)

    async def _choose_model(self, tx: Tx, scope: Scope, project_id: str) -> str:
        """Return the current embedder, or the previous one as long as it has more vectors."""
        counts = await self._source.count_by_model(tx, scope, project_id)
        known = [name for name in counts if self._embedders.knows(name)]
        current = self._embedders.current.name
        return max(known, key=lambda name: (counts[name], name == current), default=current)

    async def _refresh(self, scope: Scope, project_id: str, cached: CachedIndex, version: int) -> CachedIndex | None:
        """Apply the changes since the cached version, or return None if a full reload is needed."""
        async with self._database.read() as tx:
            found = await self._source.load_changes(tx, scope, project_id, cached.version, cached.model)
        if found is None:
            return None
        if cached.model != self._embedders.current.name and len(found.vectors) < len(found.entries):
            return None
        aligned = _aligned(found.entries, found.vectors, cached.corpus.width)
        if aligned.shape[1] != cached.corpus.width:
            return None  # no entry had a vector before
        corpus = await asyncio.to_thread(lambda: cached.corpus.changed(found.entries, aligned, found.removed))
        return CachedIndex(corpus, version, cached.model)

    def _store(self, project_id: str, updated: CachedIndex) -> None:
        before = self._cached.pop(project_id, None)
        self._bytes += updated.corpus.nbytes - (before.corpus.nbytes if before else 0)
        self._cached[project_id] = updated
        while self._bytes > self._limit_bytes and len(self._cached) > 1:
            _, dropped = self._cached.popitem(last=False)
            self._bytes -= dropped.corpus.nbytes


def _aligned(entries: Sequence[Entry], found: Mapping[str, bytes], width: int) -> NDArray[np.float32]:
    """Return one vector per entry, zeros if it has none. ``width`` applies if no entry has a vector."""
    present = [position for position, entry in enumerate(entries) if entry.item_id in found]
    unpacked = unpack([found[entries[position].item_id] for position in present])
    if present and len(present) == len(entries):
        return unpacked
    aligned = np.zeros((len(entries), unpacked.shape[1] if present else width), dtype=np.float32)
    if present:
        aligned[present] = unpacked
    return aligned
