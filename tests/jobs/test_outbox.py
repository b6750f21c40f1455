"""The pump: what cannot be handed on is put aside for an operator, and delays nothing."""

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


class Town:
    """Where events are told: it hears them in order, and trips over those it cannot read."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.deaf_to: set[str] = set()

    async def fan_out(self, tx: Tx, take: int) -> int:
        found = await tx.many(select(events).order_by(events.c.id).limit(take).with_for_update(skip_locked=True))
        for event in found:
            if event["id"] in self.deaf_to:
                raise LookupError(f"what is {event['data']}?\0")
            await tx.run(delete(events).where(events.c.id == event["id"]))
        self.heard += [event["id"] for event in found]
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
async def _pumping(database: Database, town: Town) -> AsyncIterator[OutboxRelay]:
    pump = OutboxRelay(database, town.fan_out)
    pump.start()
    try:
        yield pump
        assert pump.alive
    finally:
        await pump.stop()


async def _until_empty(database: Database) -> None:
    async with asyncio.timeout(60):
        while await _rows(database, events):
            await asyncio.sleep(0.01)


async def test_an_event_that_cannot_be_handed_on_is_put_aside_and_may_be_tried_again(database: Database) -> None:
    town = Town()
    made = await _emit(database, 6)
    town.deaf_to = {made[0], made[3]}
    async with _pumping(database, town), work.running(database, outbox.requeue, kind=outbox.FAILED_EVENT):
        await _until_empty(database)
        assert town.heard == [made[at] for at in (1, 2, 4, 5)]
        aside = await _rows(database, jobs)
        assert sorted(
            (row["kind"], row["status"], row["team_id"], row["project_id"], row["error"]) for row in aside
        ) == [
            ("outbox.aside", "failed", "team_a", "prj_a", 'LookupError: what is {"n":0}?'),
            ("outbox.aside", "failed", "team_a", "prj_a", 'LookupError: what is {"n":3}?'),
        ]
        town.deaf_to = set()
        async with database.write() as tx:
            for row in aside:
                assert await operator.retry_job(tx, row["id"])
        for row in aside:
            await work.until(database, row["id"], "completed", 5)
        await _until_empty(database)
        assert sorted(town.heard) == made


async def test_the_pump_goes_on_after_any_fault(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even the looking fails for a while; nothing is put aside for that."""
    monkeypatch.setattr(outbox, "_PAUSE_S", 0.01)
    town = Town()

    async def broken(tx: Tx, take: int) -> int:
        raise LookupError("a bug")

    async with _pumping(database, town) as pump:
        with monkeypatch.context() as bug:
            bug.setattr(pump, "_relay_one", broken)
            bug.setattr(pump, "_fan_out", broken)
            made = await _emit(database, 2)
            await asyncio.sleep(0.1)
            assert pump.alive
        await _until_empty(database)
    assert town.heard == made
    assert await _rows(database, jobs) == []
