"""The job that decides what came of briefings: whether sessions used them, or the person had to say it again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray

from loremark.base.caller import Scope
from loremark.features.briefing import outcome_store as store
from loremark.features.index import vectors
from loremark.features.items.records import item_text, to_item
from loremark.features.items.service import list_by_ids as list_items
from loremark.features.recall import store as recall
from loremark.features.recall.records import commands_of, files_of, to_messages
from loremark.jobs.run import RetryLater, Run
from loremark.memory.briefing.outcomes import (
    LaterTurn,
    Outcome,
    ServedEntry,
    decide_outcome,
    later_prompts,
    stronger,
)
from loremark.ports.embeddings.embedder import Embedder, EmbedderFailed
from loremark.ports.embeddings.vector_packing import unpack
from loremark.storage.database import Database, Row, Tx

OUTCOMES = "briefing.outcomes"
_BATCH = 20
_TEXTS_AT_ONCE = 2
"""Few, so that a question that waits for the embedder waits for two texts at most."""
_RETRY_MS = 60_000
_COMMIT = "commit "
_SHORT_SHA = 7

_Vector = NDArray[np.float32]
_turn_ids = msgspec.json.Decoder(tuple[str, ...])


@dataclass(frozen=True, slots=True)
class _Entry:
    """A served entry with the vectors of its texts and its outcome so far."""

    id: str
    served: ServedEntry
    outcome: Outcome
    vectors: Sequence[_Vector] = field(default_factory=list)


async def has_work(tx: Tx) -> bool:
    """Whether a session has gone on since its briefing was last looked at."""
    return bool(await store.list_due(tx, 1))


class DecideOutcomes:
    """Looks at briefings whose sessions have gone on, each in a transaction of its own."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def __call__(self, run: Run) -> None:
        while True:
            async with self._database.read() as tx:
                due = await store.list_due(tx, _BATCH)
            if not due:
                return
            for briefing in due:
                await self._look_at(run, briefing)

    async def _look_at(self, run: Run, briefing: Row) -> None:
        scope, project_id, briefing_id = Scope(briefing["team_id"]), briefing["project_id"], briefing["id"]
        async with self._database.read() as tx:
            rows = await store.list_later_turns(tx, scope, project_id, briefing_id, briefing["newest_turn"])
            entries = await self._load(tx, scope, project_id, briefing_id)
        turns = _to_turns(rows)
        open_entries = [entry for entry in entries if entry.outcome != "corrected"]
        said = await self._embed(_new_prompts(rows, turns, briefing["looked_at_turn"] or "")) if open_entries else {}
        decided = await asyncio.to_thread(_decide, open_entries, turns, said)
        async with run.step() as tx:
            for entry_id, outcome in decided.items():
                await store.set_outcome(tx, scope, project_id, briefing_id, entry_id, outcome)
            await store.set_looked_at(tx, scope, project_id, briefing_id, briefing["newest_turn"])

    async def _load(self, tx: Tx, scope: Scope, project_id: str, briefing_id: str) -> list[_Entry]:
        """Return the entries of a briefing that still exist, with the texts that were served."""
        rows = await store.list_entries(tx, scope, project_id, briefing_id)
        model = self._embedder.name
        item_ids = [row["entry_id"] for row in rows if row["kind"] == "item"]
        items = {row["id"]: to_item(row) for row in await list_items(tx, scope, item_ids)}
        quoted_ids = [turn_id for row in rows for turn_id in _turn_ids.decode(row["turn_ids"])]
        quoted = {row["id"]: row for row in await recall.list_by_ids(tx, scope, project_id, quoted_ids)}
        known = dict(await vectors.find_vectors(tx, scope, project_id, model, item_ids)) if item_ids else {}
        known |= await recall.find_vectors(tx, scope, project_id, model, quoted_ids) if quoted_ids else {}
        found = []
        for row in rows:
            entry_id = row["entry_id"]
            item = items.get(entry_id)
            said = [quoted[turn_id] for turn_id in _turn_ids.decode(row["turn_ids"]) if turn_id in quoted]
            if item is not None:
                served = ServedEntry((entry_id,), item_text(item), frozenset(item.files))
            elif said:
                text = "\n".join(message.text for turn in said for message in to_messages(turn))
                served = ServedEntry(
                    (_cited_as(entry_id),), text, frozenset(path for turn in said for path in files_of(turn))
                )
            else:
                continue
            packed = [known[name] for name in (entry_id, *(turn["id"] for turn in said)) if name in known]
            found.append(_Entry(entry_id, served, row["outcome"], list(unpack(packed))))
        return found

    async def _embed(self, prompts: Sequence[str]) -> dict[str, _Vector]:
        said: list[_Vector] = []
        try:
            for start in range(0, len(prompts), _TEXTS_AT_ONCE):
                said += list((await self._embedder.embed(prompts[start : start + _TEXTS_AT_ONCE])).vectors)
        except EmbedderFailed as failure:
            raise RetryLater(f"the embedder failed: {failure}", _RETRY_MS) from failure
        return dict(zip(prompts, said, strict=True))


def _decide(entries: Sequence[_Entry], turns: Sequence[LaterTurn], said: Mapping[str, _Vector]) -> dict[str, Outcome]:
    """Return the outcomes that have changed, by entry."""
    decided: dict[str, Outcome] = {}
    for entry in entries:
        similarities = (
            {prompt: max(float(vector @ known) for known in entry.vectors) for prompt, vector in said.items()}
            if entry.vectors
            else {}
        )
        outcome = stronger(entry.outcome, decide_outcome(entry.served, turns, similarities))
        if outcome != entry.outcome:
            decided[entry.id] = outcome
    return decided


def _to_turns(rows: Sequence[Row]) -> list[LaterTurn]:
    opening = rows[0]["event_id"] if rows else ""
    return [
        LaterTurn(to_messages(row), files_of(row), commands_of(row), is_opening=row["event_id"] == opening)
        for row in rows
    ]


def _new_prompts(rows: Sequence[Row], turns: Sequence[LaterTurn], looked_at: str) -> list[str]:
    """The prompts after the opening one that no earlier look has compared."""
    new = {
        message.text
        for row, turn in zip(rows, turns, strict=True)
        if row["id"] > looked_at
        for message in turn.messages
    }
    return [prompt for prompt in dict.fromkeys(later_prompts(turns)) if prompt in new]


def _cited_as(entry_id: str) -> str:
    """A commit is cited by the start of its SHA."""
    return entry_id.removeprefix(_COMMIT)[:_SHORT_SHA] if entry_id.startswith(_COMMIT) else entry_id
