"""The indexes of projects in memory: brought up to date at every look, and bounded in bytes.

What a process holds is only a copy: before each use the project's index version is read, and what has changed since
is read with it. So an item that one process has retired is gone from the next question in every other.
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
from loremark.ports.embeddings.compact import unpack
from loremark.ports.embeddings.embedders import Embedders
from loremark.storage.database import Database, Row, Tx

_PAGE_ROWS = 5_000
_CHANGES_ROWS = 2_000
_LOADS_AT_ONCE = 2


@dataclass(frozen=True)
class Shelved:
    """A project's items as they were at a version, with vectors of one model."""

    corpus: Corpus
    version: int
    model: str


class Shelf:
    """Keeps the projects asked for last, up to a number of bytes."""

    def __init__(self, database: Database, embedders: Embedders, limit_bytes: int) -> None:
        self._database = database
        self._embedders = embedders
        self._limit_bytes = limit_bytes
        self._kept: OrderedDict[str, Shelved] = OrderedDict()
        self._bytes = 0
        # Each lives as long as somebody holds or awaits it.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._loads = asyncio.Semaphore(_LOADS_AT_ONCE)

    def model_of(self, project_id: str) -> str:
        """Whose vectors a question will most likely be compared with."""
        kept = self._kept.get(project_id)
        return self._embedders.current.name if kept is None else kept.model

    async def get(self, scope: Scope, project_id: str) -> Shelved | None:
        """The project's items as they are now; None when there is no such project.

        Whoever waits for another's reading holds no connection meanwhile.
        """
        async with self._database.read() as tx:
            version = await index.find_version(tx, scope, project_id)
        if version is None:
            return None
        kept = self._kept.get(project_id)
        if kept is not None and kept.version >= version:
            self._kept.move_to_end(project_id)
            return kept
        turn = self._turns.setdefault(project_id, asyncio.Lock())
        async with turn:  # several who ask at once read it once
            return await self._bring_up(scope, project_id, version)

    async def _bring_up(self, scope: Scope, project_id: str, version: int) -> Shelved:
        kept = self._kept.get(project_id)
        if kept is not None and kept.version >= version:
            return kept
        fresh = None if kept is None else await self._refresh(scope, project_id, kept, version)
        if fresh is None:
            async with self._loads:
                fresh = await self._load(scope, project_id, version)
        self._keep(project_id, fresh)
        return fresh

    async def _load(self, scope: Scope, project_id: str, version: int) -> Shelved:
        """All of it. What changes while it is read has a later version, and is read again at the next look."""
        async with self._database.read() as tx:
            model = await self._choose_model(tx, scope, project_id)
            entries = await _packed_now(tx, scope, await _all_entries(tx, scope, project_id))
            found = await _all_vectors(tx, scope, project_id, model)
        corpus = await asyncio.to_thread(lambda: Corpus.build(entries, _aligned(entries, found, 0)))
        return Shelved(corpus, version, model)

    async def _choose_model(self, tx: Tx, scope: Scope, project_id: str) -> str:
        """The embedder in use, or the one before it as long as that has more of the vectors."""
        counts = await vectors.count_by_model(tx, scope, project_id)
        known = [name for name in counts if self._embedders.knows(name)]
        current = self._embedders.current.name
        return max(known, key=lambda name: (counts[name], name == current), default=current)

    async def _refresh(self, scope: Scope, project_id: str, kept: Shelved, version: int) -> Shelved | None:
        """With what has changed; None when it is better read anew."""
        async with self._database.read() as tx:
            rows = await index.list_changed(tx, scope, project_id, kept.version, _CHANGES_ROWS)
            if not rows or len(rows) == _CHANGES_ROWS:
                return None  # too many, or another model has taken over
            entries, gone = _sort_out(rows)
            entries = await _packed_now(tx, scope, entries)
            found = await vectors.find_vectors(tx, scope, project_id, kept.model, [entry.item_id for entry in entries])
        if kept.model != self._embedders.current.name and len(found) < len(entries):
            return None
        made = _aligned(entries, found, kept.corpus.width)
        if made.shape[1] != kept.corpus.width:
            return None  # nothing had a vector before
        corpus = await asyncio.to_thread(lambda: kept.corpus.changed(entries, made, gone))
        return Shelved(corpus, version, kept.model)

    def _keep(self, project_id: str, fresh: Shelved) -> None:
        before = self._kept.pop(project_id, None)
        self._bytes += fresh.corpus.nbytes - (before.corpus.nbytes if before else 0)
        self._kept[project_id] = fresh
        while self._bytes > self._limit_bytes and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= dropped.corpus.nbytes


async def _packed_now(tx: Tx, scope: Scope, entries: list[Entry]) -> list[Entry]:
    """Entries whose terms an earlier version has packed, or that are torn, are packed anew from their items."""
    earlier = [entry.item_id for entry in entries if not is_current(entry.terms)]
    if not earlier:
        return entries
    fresh: dict[str, Entry] = {}
    for start in range(0, len(earlier), _CHANGES_ROWS):
        for row in await list_by_ids(tx, scope, earlier[start : start + _CHANGES_ROWS]):
            merged = row["merged_at_ms"] is not None
            fresh[row["id"]] = to_entry(to_item(row), row["session_id"], row["created_at_ms"], merged=merged)
    current = (fresh.get(entry.item_id, entry) for entry in entries)
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


def _sort_out(rows: Iterable[Row]) -> tuple[list[Entry], list[str]]:
    entries = [index.to_entry(row) for row in rows]
    ranked = [entry for entry in entries if entry.status in index.RANKED]
    return ranked, [entry.item_id for entry in entries if entry.status not in index.RANKED]


def _aligned(entries: Sequence[Entry], found: dict[str, bytes], width: int) -> NDArray[np.float32]:
    """A row for each entry; zeros where there is no vector yet, so wide where there is none at all."""
    there = [place for place, entry in enumerate(entries) if entry.item_id in found]
    made = unpack([found[entries[place].item_id] for place in there])
    if there and len(there) == len(entries):
        return made
    aligned = np.zeros((len(entries), made.shape[1] if there else width), dtype=np.float32)
    if there:
        aligned[there] = made
    return aligned
