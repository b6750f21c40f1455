"""Assembling a briefing: search what is known and what was said, choose, write, and record what was served."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from loremark.base import clock, log
from loremark.base.briefing_markers import plain_name
from loremark.base.caller import Scope
from loremark.features.briefing import store
from loremark.features.briefing.usage import Usage, find_usage
from loremark.features.history.tokens import count_tokens
from loremark.features.items.records import source_of, to_item
from loremark.features.items.service import list_few_by_ids, list_served
from loremark.features.recall.service import Recall, SaidTurn
from loremark.features.search.service import Finder
from loremark.memory.branches import is_default_branch
from loremark.memory.briefing.document import write_briefing, write_standing
from loremark.memory.briefing.entries import Document, KnownItem, Source
from loremark.memory.briefing.relevance import (
    HINT_TOKENS,
    ITEM_SCORE,
    SESSION_SCORE,
    SURE,
    Candidate,
    is_known,
    relevance,
    select,
    with_usage,
)
from loremark.memory.ranking.ranking import Filters
from loremark.memory.recall.excerpts import GoalWords, ScoredMessage
from loremark.memory.recall.sessions import FoundSession
from loremark.memory.recall.turns import transcript
from loremark.ports.reader.reader import Reader, ReaderFailed
from loremark.storage.database import Database, Row

_log = log.logger("briefing")
_ITEMS = 5
_DRAFTS = 3
_SESSIONS = 4
_QUOTED = 3
_READ_ITEMS = 4
"""Items that are read; with the sessions, this bounds what a briefing costs."""
_RULES = 20
_OPEN_WORK = 4
_IN_FLIGHT_MS = 14 * clock.DAY_MS
_USAGE_MS = 60 * clock.DAY_MS
_Told: TypeAlias = tuple[str, str, float, str | None]
"""What may be told: its id, text, search score, and the id of a later session on the same subject."""
_UNKNOWN_SHARE = 0.8
"""The score of a session's turn that was not among the best, as a share of the lowest that was."""
_USAGE = 'For more, use `memory_search` or `memory_ask` from the loremark MCP server, or run `loremark ask "…"`.'


@dataclass(frozen=True, slots=True)
class Goal:
    """What the agent is about to do."""

    prompt: str
    files: tuple[str, ...]
    branch: str | None
    known: frozenset[int]

    @property
    def is_empty(self) -> bool:
        return not self.prompt.strip() and not self.files

    @property
    def text(self) -> str:
        return "\n".join((self.prompt, *self.files)) if self.files else self.prompt


class Briefer:
    """Writes briefings from approved items, drafts and what was said."""

    def __init__(self, database: Database, finder: Finder, recall: Recall, reader: Reader) -> None:
        self._database = database
        self._finder = finder
        self._recall = recall
        self._reader = reader

    async def brief(self, scope: Scope, project: Row, goal: Goal, budget: int) -> Document:
        """Write what matters for the goal; an empty document if nothing does. The caller has checked access."""
        unreviewed = bool(project["show_unreviewed"])
        scored = await self._items(scope, project["id"], goal, drafts=unreviewed)
        found = await self._sessions(scope, project["id"], goal) if unreviewed else []
        said = await self._recall.read(scope, project["id"], found)
        candidates: list[_Told] = [(item.id, f"{item.title}. {item.content}", score, None) for item, score in scored]
        candidates += [
            (one.id, _best_turn(one, said[one.id]), one.score, one.later_id) for one in found if one.id in said
        ]
        selected = select(await self._judge(goal, candidates))
        items = [item for item, _ in scored if item.id in selected.ids]
        by_id = {one.id: one for one in found}
        sources = [_source(by_id[name], said[name], selected.ids) for name in selected.ids if name in said][:_QUOTED]
        words = GoalWords(goal.text, [message.message.text for source in sources for message in source.said])
        room = budget if selected.sure else min(budget, HINT_TOKENS)
        return await asyncio.to_thread(write_briefing, items, sources, words, room, count_tokens)

    async def _judge(self, goal: Goal, candidates: Sequence[_Told]) -> list[Candidate]:
        """Read each candidate together with the prompt. Without a prompt or a reader, all of them are relevant."""
        matters: list[float] | None = None
        if goal.prompt.strip():
            try:
                readings = await self._reader.read([(goal.prompt, text) for _, text, _, _ in candidates])
                matters = [reading.matters for reading in readings]
            except ReaderFailed as failure:
                _log.warning("reader model failed, briefing not filtered by relevance", error=str(failure))
        return [
            Candidate(name, SURE + score if matters is None else relevance(matters[place], score), later_id)
            for place, (name, _, score, later_id) in enumerate(candidates)
        ]

    async def standing(self, scope: Scope, project: Row, goal: Goal, budget: int) -> Document:
        """Write what holds for every task. The first prompt follows soon."""
        self._reader.prepare()
        project_id, branch = project["id"], goal.branch or ""
        last: Source | None = None
        async with self._database.read() as tx:
            rules = await store.list_rules(tx, scope, project_id, branch, _RULES)
            work = await store.list_open_work(tx, scope, project_id, branch, _OPEN_WORK)
            session_id = None
            if project["show_unreviewed"] and branch and not is_default_branch(branch, None):
                since_ms = clock.now_ms() - _IN_FLIGHT_MS
                session_id = await store.find_last_session(tx, scope, project_id, branch, since_ms)
        if session_id is not None:
            found = FoundSession(session_id, "session", 1.0)
            said = (await self._recall.read(scope, project_id, [found])).get(session_id, [])
            last = _source(found, said[-1:]) if said else None
        return write_standing(
            [item for item in map(_known_item, rules) if not _is_known(item, goal.known)],
            [item for item in map(_known_item, work) if not _is_known(item, goal.known)],
            last,
            _USAGE,
            budget,
            count_tokens,
        )

    async def _items(self, scope: Scope, project_id: str, goal: Goal, *, drafts: bool) -> list[tuple[KnownItem, float]]:
        """The items that may be about the goal, with their scores: reviewed ones first."""
        found: list[tuple[KnownItem, float]] = []
        for status, take in (("approved", _ITEMS), ("draft", _DRAFTS if drafts else 0)):
            if not take:
                continue
            hits = await self._finder.find(
                scope,
                project_id,
                goal.prompt,
                limit=take,
                filters=Filters(status=status, branch=goal.branch),
                files=goal.files,
                min_similarity=0.0,
            )
            scores = {hit.item_id: hit.score for hit in hits.sources if hit.score >= ITEM_SCORE}
            async with self._database.read() as tx:
                rows = {row["id"]: row for row in await list_few_by_ids(tx, scope, list(scores))}
                shown = await list_served(tx, scope, project_id, [to_item(row) for row in rows.values()])
                usage = await find_usage(tx, scope, project_id, list(scores), clock.now_ms() - _USAGE_MS)
            near = _by_usefulness(scores, usage)
            found += [
                (_known_item(rows[item_id]), scores[item_id])
                for item_id in near
                if item_id in shown and rows[item_id]["superseded_by"] is None
            ]
        return [(item, score) for item, score in found if not _is_known(item, goal.known)][:_READ_ITEMS]

    async def _sessions(self, scope: Scope, project_id: str, goal: Goal) -> list[FoundSession]:
        found = await self._recall.find_sessions(scope, project_id, goal.prompt, limit=_SESSIONS, files=goal.files)
        return [one for one in found if one.score >= SESSION_SCORE]


def _by_usefulness(scores: Mapping[str, float], usage: Mapping[str, Usage]) -> list[str]:
    """The items by score, with those first that sessions used before where scores are close."""

    def worth(item_id: str) -> float:
        found = usage.get(item_id, Usage())
        return with_usage(scores[item_id], found.served, found.used)

    return sorted(scores, key=worth, reverse=True)


def _known_item(row: Row) -> KnownItem:
    item = to_item(row)
    return KnownItem(
        item.id,
        item.title,
        item.content,
        item.type,
        reviewed=item.status == "approved" and item.reviewed,
        date=clock.iso(row["created_at_ms"])[:10],
        origin=f"from {source_of(row)}",
        stale="stale" in item.flags,
    )


def _is_known(item: KnownItem, known: frozenset[int]) -> bool:
    return is_known(f"{item.title}. {item.content}", known)


def _best_turn(found: FoundSession, said: Sequence[SaidTurn]) -> str:
    """The turn of a session that matches best, as the reader reads it."""
    best = next((turn for turn in said if turn.id == found.best_turn_id), said[-1])
    return transcript(best.before, best.messages)


def _source(found: FoundSession, said: Sequence[SaidTurn], chosen: Collection[str] = ()) -> Source:
    least = _UNKNOWN_SHARE * min(found.scores.values(), default=found.score)
    scored: Mapping[str, float] = found.scores
    last = said[-1]
    return Source(
        last.session_id if found.kind == "session" else _commit_name(last),
        found.kind,
        tuple(ScoredMessage(message, scored.get(turn.id, least)) for turn in said for message in turn.messages),
        clock.iso(last.said_at_ms)[:10],
        last.agent,
        last.branch,
        tuple(turn.id for turn in said if turn.id in scored) or (last.id,),
        outdated=found.later_id in chosen,
    )


def _commit_name(turn: SaidTurn) -> str:
    return f"commit {plain_name(turn.commit_sha, 12)}" if turn.commit_sha else turn.id
