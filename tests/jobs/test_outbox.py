"""The outbox relay: events that cannot be delivered are set aside for an operator and delay nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import delete, select

from loremark.base.caller import Scope
from loremark.jobs import operator, outbox
from loremark.jobs.outbox import OutboxRelay
from loremark.storage.database import Database, Row, Tx
from loremark.storage.tables import jobs
from loremark.storage.tables import outbox as events
from loremark.wire.events import WebhookEvent
from tests.jobs import work

pytestmark = pytest.mark.anyio


class EventSink:
    """Receives events in order and fails on those in ``rejected``."""

    def __init__(self) -> None:
        self.received: list[str] = []
        self.rejected: set[str] = set()

    async def fan_out(self, tx: Tx, take: int) -> int:
        found = await tx.many(select(events).order_by(events.c.id).limit(take).with_for_update(skip_locked=True))
        for event in found:
            if event["id"] in self.rejected:
                raise LookupError(f"what is {event['data']}?\0")
            await tx.run(delete(events).where(events.c.id == event["id"]))
        self.received += [event["id"] for event in found]
        return len(found)


async def _emit(database: Database, count: int) -> list[str]:
    async with database.write() as tx:
        return [
            await outbox.emit(tx, Scope("team_a"), WebhookEvent.SESSION_CREATED, "prj_a", {"n": number})
            for number in range(count)
        ]


async def _rows(database: Database, table: object) -> list[Row]:
    async with database.read() as tx:
        return await tx.many(select(table))  # type: ignore[call-overload]


@asynccontextmanager
async def _relaying(database: Database, sink: EventSink) -> AsyncIterator[OutboxRelay]:
    relay = OutboxRelay(database, sink.fan_out)
    relay.start()
    try:
        yield relay
        assert relay.alive
    finally:
        await relay.stop()


async def _until_empty(database: Database) -> None:
    async with asyncio.timeout(60):
        while await _rows(database, events):
            await asyncio.sleep(0.01)


async def test_undeliverable_event_is_set_aside_and_can_be_retried(database: Database) -> None:
    sink = EventSink()
    event_ids = await _emit(database, 6)
    sink.rejected = {event_ids[0], event_ids[3]}
    async with _relaying(database, sink), work.running(database, outbox.requeue, kind=outbox.FAILED_EVENT):
        await _until_empty(database)
        assert sink.received == [event_ids[at] for at in (1, 2, 4, 5)]
        failed = await _rows(database, jobs)
        assert sorted(
            (row["kind"], row["status"], row["team_id"], row["project_id"], row["error"]) for row in failed
        ) == [
            ("outbox.aside", "failed", "team_a", "prj_a", 'LookupError: what is {"n":0}?'),
            ("outbox.aside", "failed", "team_a", "prj_a", 'LookupError: what is {"n":3}?'),
        ]
        sink.rejected = set()
        async with database.write() as tx:
            for row in failed:
                assert await operator.retry_job(tx, row["id"])
        for row in failed:
            await work.wait_for(database, row["id"], "completed", 5)
        await _until_empty(database)
        assert sorted(sink.received) == event_ids


async def test_relay_survives_any_error(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even polling fails for a while; no event is set aside for that."""
    monkeypatch.setattr(outbox, "_PAUSE_S", 0.01)
    sink = EventSink()

    async def broken(tx: Tx, take: int) -> int:
        raise LookupError("a bug")

    async with _relaying(database, sink) as relay:
        with monkeypatch.context() as bug:
            bug.setattr(relay, "_relay_one", broken)
            bug.setattr(relay, "_fan_out", broken)
            event_ids = await _emit(database, 2)
            await asyncio.sleep(0.1)
            assert relay.alive
        await _until_empty(database)
    assert sink.received == event_ids
    assert await _rows(database, jobs) == []
