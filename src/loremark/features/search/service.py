"""Finding what the memory of a project knows about something."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.base import log
from loremark.base.caller import Scope
from loremark.features.items.records import files_of
from loremark.features.items.service import find_few
from loremark.features.search.shelf import Shelf, Shelved
from loremark.memory.ranking.calibration import calibration_of
from loremark.memory.ranking.ranking import Filters, Hit, Question, Reason, rank
from loremark.ports.embeddings.embedder import EmbedderFailed
from loremark.ports.embeddings.embedders import Embedders
from loremark.storage.database import Database, Row
from loremark.wire.items import ItemType

_log = log.logger("search")

SIMILARITY_FLOOR = 0.5
_SPARE = 8
"""More are ranked than asked for: some may have gone since the index was read."""
_IN_THREAD_FROM = 4_000
"""Items from which ranking takes longer than a hop to a thread."""


@dataclass(frozen=True)
class FoundItem:
    """An item that was found, as it is at this moment; with reasons where they were asked for."""

    item_id: str
    type: ItemType
    title: str
    content: str
    schema_key: str
    files: tuple[str, ...]
    confidence: float
    similarity: float
    score: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Found:
    """Best first; and how many tokens it took to embed the question."""

    sources: list[FoundItem]
    embed_tokens: int


class Finder:
    """One for a process; it holds the indexes of the projects asked for last."""

    def __init__(self, database: Database, embedders: Embedders, limit_bytes: int) -> None:
        self._database = database
        self._embedders = embedders
        self._shelf = Shelf(database, embedders, limit_bytes)

    async def find(
        self,
        scope: Scope,
        project_id: str,
        text: str,
        *,
        limit: int,
        filters: Filters | None = None,
        files: tuple[str, ...] = (),
        min_similarity: float = SIMILARITY_FLOOR,
        explain: bool = False,
    ) -> Found:
        """What answers a text, or belongs to the files at hand; the caller has seen that the project may be read."""
        wanted = _Wanted(text, files, filters or Filters(), limit, min_similarity, explain)
        model = self._shelf.model_of(project_id)
        while True:
            vector, tokens = await self._embed(model, text)
            shelved = await self._shelf.get(scope, project_id)
            if shelved is None:
                return Found([], tokens)
            if shelved.model == model:
                return Found(await self._take(scope, project_id, shelved, wanted, vector), tokens)
            model = shelved.model  # its vectors are another embedder's

    async def _embed(self, model: str, text: str) -> tuple[NDArray[np.float32] | None, int]:
        """An embedder that fails leaves the words to go by."""
        if not text.strip():
            return None, 0
        try:
            embedded = await self._embedders.embed(model, [text])
        except EmbedderFailed as failure:
            _log.warning("a question is searched by its words alone", error=str(failure))
            return None, 0
        return embedded.vectors[0], embedded.tokens

    async def _take(
        self,
        scope: Scope,
        project_id: str,
        shelved: Shelved,
        wanted: _Wanted,
        vector: NDArray[np.float32] | None,
    ) -> list[FoundItem]:
        question = Question(wanted.text, vector, wanted.files, calibration_of(shelved.model))
        depth = wanted.limit + _SPARE
        if len(shelved.corpus) < _IN_THREAD_FROM:
            hits = rank(shelved.corpus, question, wanted.filters, depth, explain=wanted.explain)
        else:
            hits = await asyncio.to_thread(
                rank, shelved.corpus, question, wanted.filters, depth, explain=wanted.explain
            )
        # Without a vector there is no similarity to go by, and the best of the words are better than silence.
        near = [hit for hit in hits if vector is None or hit.similarity >= wanted.min_similarity]
        async with self._database.read() as tx:
            rows = {row["id"]: row for row in await find_few(tx, scope, [hit.item_id for hit in near])}
        there = [
            (hit, row)
            for hit in near
            if (row := rows.get(hit.item_id)) is not None
            and row["status"] == wanted.filters.status
            and row["project_id"] == project_id
        ]
        return [_found(hit, row) for hit, row in there[: wanted.limit]]


@dataclass(frozen=True)
class _Wanted:
    text: str
    files: tuple[str, ...]
    filters: Filters
    limit: int
    min_similarity: float
    explain: bool


def _found(hit: Hit, row: Row) -> FoundItem:
    return FoundItem(
        item_id=hit.item_id,
        type=row["type"],
        title=row["title"],
        content=row["content"],
        schema_key=row["schema_key"],
        files=files_of(row),
        confidence=row["confidence"],
        similarity=hit.similarity,
        score=hit.score,
        reasons=hit.reasons,
    )
