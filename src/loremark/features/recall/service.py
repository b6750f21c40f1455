"""Searching what was said."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.base import log
from loremark.base.caller import Scope
from loremark.features.index.cache import CachedIndex, IndexCache
from loremark.features.recall import store
from loremark.features.recall.records import commands_of, files_of, to_messages
from loremark.features.recall.turn_index import TurnIndex
from loremark.memory.ranking.calibration import get_calibration
from loremark.memory.ranking.ranking import Filters, Hit, Question, rank
from loremark.memory.recall.turns import Kind, Message
from loremark.ports.embeddings.embedder import EmbedderFailed
from loremark.ports.embeddings.embedders import Embedders
from loremark.storage.database import Database, Row

_log = log.logger("recall")

_THREAD_FROM_TURNS = 4_000
"""From this many turns on, ranking takes longer than switching to a thread."""


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A stored turn."""

    id: str
    session_id: str
    event_id: str
    kind: Kind
    messages: tuple[Message, ...]
    files: tuple[str, ...]
    commands: tuple[str, ...]
    agent: str
    branch: str | None
    commit_sha: str | None
    said_at_ms: int


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A turn that matches, with its score and similarity."""

    turn: SaidTurn
    score: float
    similarity: float


class Recall:
    """Searches turns, with one index cache per process."""

    def __init__(self, database: Database, embedders: Embedders, limit_bytes: int) -> None:
        self._database = database
        self._embedders = embedders
        self._indexes = IndexCache(database, embedders, TurnIndex(), limit_bytes)

    async def find(
        self,
        scope: Scope,
        project_id: str,
        text: str,
        *,
        limit: int,
        files: tuple[str, ...] = (),
        kind: Kind | None = None,
        min_similarity: float = 0.0,
    ) -> list[TurnHit]:
        """Find turns that match a text or files. The caller has checked access to the project."""
        hits = await self.rank(scope, project_id, text, limit=limit, files=files, kind=kind)
        near = [hit for hit in hits if hit.similarity >= min_similarity]
        async with self._database.read() as tx:
            rows = await store.list_by_ids(tx, scope, project_id, [hit.item_id for hit in near])
        turns = {row["id"]: to_turn(row) for row in rows}
        return [TurnHit(turns[hit.item_id], hit.score, hit.similarity) for hit in near if hit.item_id in turns]

    async def rank(
        self,
        scope: Scope,
        project_id: str,
        text: str,
        *,
        limit: int,
        files: tuple[str, ...] = (),
        kind: Kind | None = None,
    ) -> list[Hit]:
        """Rank turns without reading their text."""
        model = self._indexes.model_of(project_id)
        while True:
            vector = await self._embed(model, text)
            index = await self._indexes.get(scope, project_id)
            if index is None or not len(index.corpus):
                return []
            if index.model == model:
                return await _rank(index, text, vector, files, kind, limit)
            model = index.model  # the index has vectors of another embedder

    async def read_sessions(
        self, scope: Scope, project_id: str, session_ids: list[str], *, limit: int
    ) -> dict[str, list[SaidTurn]]:
        """Return the turns of sessions in order, by session."""
        async with self._database.read() as tx:
            rows = await store.list_of_sessions(tx, scope, project_id, session_ids, limit)
        found: dict[str, list[SaidTurn]] = {session_id: [] for session_id in session_ids}
        for row in rows:
            found[row["session_id"]].append(to_turn(row))
        return found

    async def _embed(self, model: str, text: str) -> NDArray[np.float32] | None:
        """Embed the text, or return None if the embedder fails, so that only words are matched."""
        if not text.strip():
            return None
        try:
            vector: NDArray[np.float32] = (await self._embedders.embed(model, [text])).vectors[0]
        except EmbedderFailed as failure:
            _log.warning("embedder failed, searching by words only", error=str(failure))
            return None
        return vector


async def _rank(
    index: CachedIndex,
    text: str,
    vector: NDArray[np.float32] | None,
    files: tuple[str, ...],
    kind: Kind | None,
    limit: int,
) -> list[Hit]:
    question = Question(text, vector, files, get_calibration(index.model))
    filters = Filters(type=kind)
    if len(index.corpus) < _THREAD_FROM_TURNS:
        return rank(index.corpus, question, filters, limit)
    return await asyncio.to_thread(rank, index.corpus, question, filters, limit)


def to_turn(row: Row) -> SaidTurn:
    return SaidTurn(
        row["id"],
        row["session_id"],
        row["event_id"],
        row["kind"],
        to_messages(row),
        files_of(row),
        commands_of(row),
        row["agent"],
        row["branch"],
        row["commit_sha"],
        row["said_at_ms"],
    )
