"""The job that reads new events as turns, and embeds turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import groupby

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.base.redaction.redactor import redact_payload
from loremark.features.identity import store as installation
from loremark.features.recall import store
from loremark.features.recall.records import to_messages
from loremark.features.sessions.blobs import PayloadReader
from loremark.jobs.run import RetryLater, Run
from loremark.jobs.runner import HasWork
from loremark.memory.items import RawEvent
from loremark.memory.ranking.entry import pack_terms
from loremark.memory.recall.turns import READ_EVENTS, Turn, ending, searched_text, turns_of
from loremark.ports.blobs.store import Blobs
from loremark.ports.embeddings.embedder import Embedder, EmbedderFailed
from loremark.ports.embeddings.vector_packing import pack
from loremark.storage.database import Database, Row, Tx

INDEX = "recall.index"
_EVENTS_BATCH = 50
_TURNS_BATCH = 32
_TEXTS_AT_ONCE = 2
"""Few, so that a question that waits for the embedder waits for two texts at most."""
_READ_UP_TO = "recall_event"
_EMBEDDER = "recall_embedder"
_OVERLAP_MS = 120_000
"""Each run looks again at events this much older than the newest one: other processes may commit them late."""
_RETRY_MS = 15_000


def has_work(model: str) -> HasWork:
    """Whether there are events to read, turns to embed, or a new embedder."""

    async def wanted(tx: Tx) -> bool:
        if await installation.find_claim(tx, _EMBEDDER) != model:
            return True
        after = _overlapping(await installation.find_claim(tx, _READ_UP_TO))
        return bool(await store.list_unread(tx, after=after, take=1) or await store.list_queued(tx, 1))

    return wanted


class IndexTurns:
    """Reads events in the order they arrived, then embeds the newest turns first."""

    def __init__(self, database: Database, blobs: Blobs, embedder: Embedder) -> None:
        self._database = database
        self._blobs = blobs
        self._embedder = embedder

    async def __call__(self, run: Run) -> None:
        async with self._database.write() as tx:
            if await installation.update_claim(tx, _EMBEDDER, self._embedder.name):
                await store.queue_all(tx)
        async with self._database.read() as tx:
            read_up_to = await installation.find_claim(tx, _READ_UP_TO) or ""
        after = _overlapping(read_up_to)
        while True:
            while (last := await self._read_batch(run, after, read_up_to)) is not None:
                after, read_up_to = last, max(last, read_up_to)
            if not await self._embed_batch(run):
                return

    async def _read_batch(self, run: Run, after: str, read_up_to: str) -> str | None:
        """Store the turns of the next events, project by project. Return the last event; None if there are none."""
        async with self._database.read() as tx:
            events = await store.list_unread(tx, after=after, take=_EVENTS_BATCH)
        if not events:
            return None
        for project_id, group in groupby(sorted(events, key=_project_of), key=_project_of):
            rows = list(group)
            read = await self._read_events(rows)
            async with run.step() as tx:
                await store.create_turns(tx, Scope(rows[0]["team_id"]), project_id, read)
        async with run.step() as tx:
            await installation.update_claim(tx, _READ_UP_TO, max(events[-1]["id"], read_up_to))
        return str(events[-1]["id"])

    async def _read_events(self, rows: Sequence[Row]) -> list[tuple[Row, list[tuple[Turn, bytes]]]]:
        """Return the turns of a project's events without secrets, with their search terms."""
        endings: dict[str, str] = {}
        read = []
        for row in rows:
            found: list[tuple[Turn, bytes]] = []
            if row["event"] in READ_EVENTS:
                session_id = row["session_id"]
                if session_id not in endings:
                    endings[session_id] = await self._ending(row)
                payload = await PayloadReader(self._blobs, row["project_id"]).read(row["payload"])
                event = RawEvent(row["id"], row["event"], payload)
                found = await asyncio.to_thread(_indexed_turns, event, endings[session_id])
                if found:
                    endings[session_id] = ending(found[-1][0].messages)
            read.append((row, found))
        return read

    async def _ending(self, row: Row) -> str:
        """How the session ended before this event."""
        scope = Scope(row["team_id"])
        async with self._database.read() as tx:
            last = await store.find_last(tx, scope, row["project_id"], row["session_id"], row["id"])
        return "" if last is None else ending(to_messages(last))

    async def _embed_batch(self, run: Run) -> bool:
        """Embed the newest queued turns. Return whether there were any."""
        async with self._database.read() as tx:
            queued = await store.list_queued(tx, _TURNS_BATCH)
        for (project_id, team_id), group in groupby(sorted(queued, key=_owner_of), key=_owner_of):
            turn_ids = [row["turn_id"] for row in group]
            scope = Scope(team_id)
            async with self._database.read() as tx:
                found = await store.list_by_ids(tx, scope, project_id, turn_ids)
            texts = {row["id"]: searched_text(row["before"], to_messages(row)) for row in found}
            packed = await self._embed(list(texts.values()))
            async with run.step() as tx:
                await store.set_vectors(
                    tx, scope, project_id, self._embedder.name, dict(zip(texts, packed, strict=True))
                )
                await store.dequeue(tx, scope, turn_ids)
        return bool(queued)

    async def _embed(self, texts: Sequence[str]) -> list[bytes]:
        packed: list[bytes] = []
        try:
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                packed += pack((await self._embedder.embed(texts[start : start + _TEXTS_AT_ONCE])).vectors)
        except EmbedderFailed as failure:
            raise RetryLater(f"the embedder failed: {failure}", _RETRY_MS) from failure
        return packed


def _indexed_turns(event: RawEvent, before: str) -> list[tuple[Turn, bytes]]:
    payload, _ = redact_payload(event.payload)
    clean = RawEvent(event.id, event.event, payload)
    return [
        (turn, pack_terms("", searched_text(turn.before, turn.messages), "", turn.files, ()))
        for turn in turns_of(clean, before)
    ]


def _overlapping(read_up_to: str | None) -> str:
    """The id after which to look for unread events."""
    return "" if not read_up_to else ids.earlier(read_up_to, _OVERLAP_MS)


def _project_of(row: Row) -> str:
    return str(row["project_id"])


def _owner_of(row: Row) -> tuple[str, str]:
    return row["project_id"], row["team_id"]
