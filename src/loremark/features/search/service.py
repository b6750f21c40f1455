"""Searching a project's memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.base import log
from loremark.base.caller import Scope
from loremark.features.index.cache import CachedIndex, IndexCache
from loremark.features.items.records import files_of, source_of
from loremark.features.items.service import list_few_by_ids
from loremark.features.search.item_index import ItemIndex
from loremark.memory.ranking.calibration import get_calibration
from loremark.memory.ranking.ranking import Filters, Hit, Question, Reason, rank
from loremark.ports.embeddings.embedders import Embedders
from loremark.storage.database import Database, Row
from loremark.wire.items import ItemType

_log = log.logger("search")

SIMILARITY_FLOOR = 0.5
_EXTRA_HITS = 8
"""Ranked beyond the limit, because some items may have been deleted since the index was read."""
_THREAD_FROM_ITEMS = 4_000
"""From this many items on, ranking takes longer than switching to a thread."""


@dataclass(frozen=True)
class SearchHit:
    """A matching item in its current state, with reasons if requested."""

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
    updated_at_ms: int
    reviewed: bool
    session_id: str | None
    source: str


@dataclass(frozen=True)
class SearchHits:
    """Matching items, best first, and the tokens used to embed the query."""

    sources: list[SearchHit]
    embed_tokens: int


class Finder:
    """Searches project memories, with one index cache per process."""

    def __init__(self, database: Database, embedders: Embedders, limit_bytes: int) -> None:
        self._database = database
        self._embedders = embedders
        self._indexes = IndexCache(database, embedders, ItemIndex(), limit_bytes)

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
    ) -> SearchHits:
        """Find items that match a text or files. The caller has checked access to the project."""
        request = _SearchRequest(text, files, filters or Filters(), limit, min_similarity, explain)
        asked = await self._indexes.ask(scope, project_id, text)
        if asked is None:
            return SearchHits([], 0)
        return SearchHits(await self._rank(scope, project_id, asked.index, request, asked.vector), asked.tokens)

    async def _rank(
        self,
        scope: Scope,
        project_id: str,
        index: CachedIndex,
        request: _SearchRequest,
        vector: NDArray[np.float32] | None,
    ) -> list[SearchHit]:
        question = Question(request.text, vector, request.files, get_calibration(index.model))
        depth = request.limit + _EXTRA_HITS
        if len(index.corpus) < _THREAD_FROM_ITEMS:
            hits = rank(index.corpus, question, request.filters, depth, explain=request.explain)
        else:
            hits = await asyncio.to_thread(
                rank, index.corpus, question, request.filters, depth, explain=request.explain
            )
        # Without a vector there is no similarity, and word matches are better than no results.
        near = [hit for hit in hits if vector is None or hit.similarity >= request.min_similarity]
        async with self._database.read() as tx:
            rows = {row["id"]: row for row in await list_few_by_ids(tx, scope, [hit.item_id for hit in near])}
        existing = [
            (hit, row)
            for hit in near
            if (row := rows.get(hit.item_id)) is not None
            and row["status"] == request.filters.status
            and row["project_id"] == project_id
        ]
        return [_to_hit(hit, row) for hit, row in existing[: request.limit]]


@dataclass(frozen=True)
class _SearchRequest:
    text: str
    files: tuple[str, ...]
    filters: Filters
    limit: int
    min_similarity: float
    explain: bool


def _to_hit(hit: Hit, row: Row) -> SearchHit:
    return SearchHit(
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
        updated_at_ms=row["updated_at_ms"],
        reviewed=row["status"] == "approved" and bool(row["reviewed"]),
        session_id=row["session_id"],
        source=source_of(row),
    )
