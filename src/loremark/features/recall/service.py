"""Searching what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from loremark.base.caller import Scope
from loremark.features.index.cache import AskedIndex, CachedIndex, IndexCache
from loremark.features.recall import store
from loremark.features.recall.records import commands_of, files_of, to_messages
from loremark.features.recall.turn_index import TurnIndex
from loremark.memory.extraction.commit_reverts import named_shas
from loremark.memory.ranking.calibration import get_calibration
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.ranking import Filters, Question, rank
from loremark.memory.recall.sessions import FoundSession, find_sessions, with_reverts
from loremark.memory.recall.turns import Kind, Message
from loremark.ports.embeddings.embedders import Embedders
from loremark.storage.database import Database, Row, Tx

T = TypeVar("T")

_MOST_TURNS = 600
_MOST_REVERTS = 200
_THREAD_FROM_TURNS = 4_000
"""From this many turns on, ranking takes longer than switching to a thread."""


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A stored turn."""

    id: str
    session_id: str
    event_id: str
    kind: Kind
    before: str
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
        min_similarity: float = 0.0,
    ) -> list[TurnHit]:
        """Find turns that match a text or files. The caller has checked access to the project."""
        asked = await self._indexes.ask(scope, project_id, text)
        if asked is None:
            return []
        question = _question(asked, text, files)
        hits = await _off_loop(asked.index, lambda corpus: rank(corpus, question, Filters(), limit))
        near = [hit for hit in hits if hit.similarity >= min_similarity]
        async with self._database.read() as tx:
            rows = await store.list_by_ids(tx, scope, project_id, [hit.item_id for hit in near])
            undone = await _find_undone(tx, scope, project_id, rows)
            rows += await store.list_by_ids(tx, scope, project_id, sorted({*undone.values()}))
        turns = {row["id"]: to_turn(row) for row in rows}
        told: dict[str, TurnHit] = {}
        for hit in near:
            turn = turns.get(undone.get(hit.item_id, hit.item_id))
            if turn is not None:
                told.setdefault(turn.id, TurnHit(turn, hit.score, hit.similarity))
        return list(told.values())

    async def find_sessions(
        self, scope: Scope, project_id: str, text: str, *, limit: int, files: tuple[str, ...] = ()
    ) -> Sequence[FoundSession]:
        """Find the sessions and commits that matter for a goal, with later sessions on the same subject first."""
        asked = await self._indexes.ask(scope, project_id, text)
        if asked is None:
            return ()
        question = _question(asked, text, files)
        found = await _off_loop(asked.index, lambda corpus: find_sessions(corpus, question, limit))
        commit_ids = [one.id for one in found if one.kind == "commit"]
        if not commit_ids:
            return found
        async with self._database.read() as tx:
            rows = await store.list_by_ids(tx, scope, project_id, commit_ids)
            undone = await _find_undone(tx, scope, project_id, rows)
        return with_reverts(found, undone)

    async def read(self, scope: Scope, project_id: str, found: Sequence[FoundSession]) -> dict[str, list[SaidTurn]]:
        """Return the turns of sessions in order, and the commits, by the ids they were found with."""
        session_ids = [one.id for one in found if one.kind == "session"]
        commit_ids = [one.id for one in found if one.kind == "commit"]
        async with self._database.read() as tx:
            rows = await store.list_of_sessions(tx, scope, project_id, session_ids, _MOST_TURNS) if session_ids else []
            commits = await store.list_by_ids(tx, scope, project_id, commit_ids) if commit_ids else []
        read: dict[str, list[SaidTurn]] = {}
        for row in rows:
            read.setdefault(row["session_id"], []).append(to_turn(row))
        return read | {row["id"]: [to_turn(row)] for row in commits}


async def _find_undone(tx: Tx, scope: Scope, project_id: str, rows: Sequence[Row]) -> dict[str, str]:
    """The commits among these turns that were reverted, each with the turn of the commit that reverted it."""
    shas = {row["id"]: row["commit_sha"] for row in rows if row["commit_sha"]}
    if not shas:
        return {}
    reverts = await store.list_reverts(tx, scope, project_id, _MOST_REVERTS)
    named = {row["id"]: [sha for message in to_messages(row) for sha in named_shas(message.text)] for row in reverts}
    undone_by: dict[str, str] = {}
    for row in reverts:  # newest first: a revert that was itself reverted undoes nothing
        if row["commit_sha"] and any(row["commit_sha"].startswith(sha) for by in undone_by for sha in named[by]):
            continue
        undone_by[row["id"]] = row["commit_sha"] or ""
    return {
        turn_id: by
        for turn_id, sha in shas.items()
        for by in reversed(undone_by)
        if by != turn_id and any(sha.startswith(one) for one in named[by])
    }


def _question(asked: AskedIndex, text: str, files: tuple[str, ...]) -> Question:
    return Question(text, asked.vector, files, get_calibration(asked.index.model))


async def _off_loop(index: CachedIndex, work: Callable[[Corpus], T]) -> T:
    """Run the work in a thread if it takes long enough to be worth it."""
    if len(index.corpus) < _THREAD_FROM_TURNS:
        return work(index.corpus)
    return await asyncio.to_thread(work, index.corpus)


def to_turn(row: Row) -> SaidTurn:
    return SaidTurn(
        row["id"],
        row["session_id"],
        row["event_id"],
        row["kind"],
        row["before"],
        to_messages(row),
        files_of(row),
        commands_of(row),
        row["agent"],
        row["branch"],
        row["commit_sha"],
        row["said_at_ms"],
    )
