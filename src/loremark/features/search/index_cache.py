"""In-memory cache of project indexes, updated before each use and bounded in bytes.

Before each use the project's index version is checked and newer changes are loaded. So an item deprecated in one
process disappears from the next search in every other process.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from loremark.base.caller import Scope
from loremark.features.index import store as index
from loremark.features.index import vectors
from loremark.features.items.records import to_entry, to_item
from loremark.features.items.service import list_by_ids
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, is_current
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.embeddings.vector_packing import unpack
from loremark.storage.database import Database, Row, Tx

_PAGE_ROWS = 5_000
_CHANGES_ROWS = 2_000
_LOADS_AT_ONCE = 2


@dataclass(frozen=True)
class CachedIndex:
    """A project's items at an index version, with vectors of one model."""

    corpus: Corpus
    version: int
    model: str


class IndexCache:
    """Least-recently-used cache of project indexes."""

    def __init__(self, database: Database, embedders: Embedders, limit_bytes: int) -> None:
        self._database = database
        self._embedders = embedders
        self._limit_bytes = limit_bytes
        self._cached: OrderedDict[str, CachedIndex] = OrderedDict()
        self._bytes = 0
        # A lock exists only while a task holds or awaits it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._loads = asyncio.Semaphore(_LOADS_AT_ONCE)

    def model_of(self, project_id: str) -> str:
        """Return the embedding model that the project's index most likely uses."""
        cached = self._cached.get(project_id)
        return self._embedders.current.name if cached is None else cached.model

    async def get(self, scope: Scope, project_id: str) -> CachedIndex | None:
        """Return the project's current index, or None if the project does not exist.

        A task that waits for another one's load holds no database connection.
        """
        async with self._database.read() as tx:
            version = await index.find_version(tx, scope, project_id)
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
            entries = await _with_current_terms(tx, scope, await _all_entries(tx, scope, project_id))
            found = await _all_vectors(tx, scope, project_id, model)
        corpus = await asyncio.to_thread(lambda: Corpus.build(entries, _aligned(entries, found, 0)))
        return CachedIndex(corpus, version, model)

    async def _choose_model(self, tx: Tx, scope: Scope, project_id: str) -> str:
        """Return the current embedder, or the previous one as long as it has more vectors."""
        counts = await vectors.count_by_model(tx, scope, project_id)
        known = [name for name in counts if self._embedders.knows(name)]
        current = self._embedders.current.name
        return max(known, key=lambda name: (counts[name], name == current), default=current)

    async def _refresh(self, scope: Scope, project_id: str, cached: CachedIndex, version: int) -> CachedIndex | None:
        """Apply the changes since the cached version, or return None if a full reload is needed."""
        async with self._database.read() as tx:
            rows = await index.list_changed(tx, scope, project_id, cached.version, _CHANGES_ROWS)
            if not rows or len(rows) == _CHANGES_ROWS:
                return None  # too many changes, or the model has changed
            entries, removed = _split_searchable(rows)
            entries = await _with_current_terms(tx, scope, entries)
            found = await vectors.find_vectors(
                tx, scope, project_id, cached.model, [entry.item_id for entry in entries]
            )
        if cached.model != self._embedders.current.name and len(found) < len(entries):
            return None
        aligned = _aligned(entries, found, cached.corpus.width)
        if aligned.shape[1] != cached.corpus.width:
            return None  # no item had a vector before
        corpus = await asyncio.to_thread(lambda: cached.corpus.changed(entries, aligned, removed))
        return CachedIndex(corpus, version, cached.model)

    def _store(self, project_id: str, updated: CachedIndex) -> None:
        before = self._cached.pop(project_id, None)
        self._bytes += updated.corpus.nbytes - (before.corpus.nbytes if before else 0)
        self._cached[project_id] = updated
        while self._bytes > self._limit_bytes and len(self._cached) > 1:
            _, dropped = self._cached.popitem(last=False)
            self._bytes -= dropped.corpus.nbytes


async def _with_current_terms(tx: Tx, scope: Scope, entries: list[Entry]) -> list[Entry]:
    """Rebuild entries whose terms have an older format or are corrupt, and drop those that cannot be rebuilt."""
    outdated = [entry.item_id for entry in entries if not is_current(entry.terms)]
    if not outdated:
        return entries
    updated: dict[str, Entry] = {}
    for start in range(0, len(outdated), _CHANGES_ROWS):
        for row in await list_by_ids(tx, scope, outdated[start : start + _CHANGES_ROWS]):
            merged = row["merged_at_ms"] is not None
            updated[row["id"]] = to_entry(to_item(row), row["session_id"], row["created_at_ms"], merged=merged)
    current = (updated.get(entry.item_id, entry) for entry in entries)
    return [entry for entry in current if is_current(entry.terms)]


async def _all_entries(tx: Tx, scope: Scope, project_id: str) -> list[Entry]:
    entries: list[Entry] = []
    while rows := await index.list_entries(
        tx, scope, project_id, after=entries[-1].item_id if entries else "", take=_PAGE_ROWS
    ):
        entries += map(index.to_entry, rows)
        if len(rows) < _PAGE_ROWS:
            break
    return entries


async def _all_vectors(tx: Tx, scope: Scope, project_id: str, model: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    after = ""
    while page := await vectors.list_vectors(tx, scope, project_id, model, after=after, take=_PAGE_ROWS):
        found.update((row["item_id"], row["vector"]) for row in page)
        after = page[-1]["item_id"]
        if len(page) < _PAGE_ROWS:
            break
    return found


def _split_searchable(rows: Iterable[Row]) -> tuple[list[Entry], list[str]]:
    entries = [index.to_entry(row) for row in rows]
    ranked = [entry for entry in entries if entry.status in index.SEARCHABLE]
    return ranked, [entry.item_id for entry in entries if entry.status not in index.SEARCHABLE]


def _aligned(entries: Sequence[Entry], found: dict[str, bytes], width: int) -> NDArray[np.float32]:
    """Return one vector per entry, zeros if it has none. ``width`` applies if no entry has a vector."""
    present = [position for position, entry in enumerate(entries) if entry.item_id in found]
    unpacked = unpack([found[entries[position].item_id] for position in present])
    if present and len(present) == len(entries):
        return unpacked
    aligned = np.zeros((len(entries), unpacked.shape[1] if present else width), dtype=np.float32)
    if present:
        aligned[present] = unpacked
    return aligned
