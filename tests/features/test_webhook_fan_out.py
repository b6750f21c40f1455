"""From the outbox to deliveries: in bounded transactions, none lost or doubled, and none left behind by a deletion."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from sqlalchemy import func, select

from loremark.base.caller import Scope
from loremark.features.webhooks import store
from loremark.features.webhooks.jobs import fan_out
from loremark.jobs import outbox
from loremark.storage.database import Tx
from loremark.storage.tables import jobs, webhook_deliveries
from loremark.wire.events import WebhookEvent
from tests.features.hooks import create_webhook, list_deliveries
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

URL = "https://93.184.215.14/"
TAKE = 200


class _UndoAll(Exception):
    """What a test wrote shall not be told to anybody."""


@asynccontextmanager
async def _undone(service: Service) -> AsyncIterator[Tx]:
    with suppress(_UndoAll):
        async with service.house.database.write() as tx:
            yield tx
            raise _UndoAll


async def _emit(tx: Tx, owner: Person, project: str, count: int) -> list[str]:
    return [
        await outbox.emit(tx, Scope(owner.team_id), WebhookEvent.ITEM_CREATED, project, {"n": number})
        for number in range(count)
    ]


async def _count(tx: Tx) -> int:
    row = await tx.one(select(func.count().label("found")).select_from(webhook_deliveries))
    assert row is not None
    return int(row["found"])


async def test_a_transaction_makes_a_bounded_number_of_deliveries(service: Service) -> None:
    owner = await service.owner()
    crowded, quiet = await owner.create_project(), await owner.create_project("Quiet")
    webhooks = [await create_webhook(owner, crowded, URL, "item.created") for _ in range(40)]
    await create_webhook(owner, crowded, URL, "brain.updated")
    async with _undone(service) as tx:
        events = await _emit(tx, owner, crowded, 20)
        events += await _emit(tx, owner, quiet, 5)
        events += await _emit(tx, owner, crowded, 6)
        steps: list[tuple[int, int]] = []
        before = 0
        while found := await fan_out(tx, TAKE):
            made = await _count(tx)
            steps.append((found, made - before))
            before = made
        assert steps == [(TAKE, 480), (TAKE, 480), (2, 80)], "as if more were waiting, and all of the rest"
        rows = await tx.many(select(webhook_deliveries.c.webhook_id, webhook_deliveries.c.event_id))
        expected = {(webhook, event) for webhook in webhooks for event in [*events[:20], *events[25:]]}
        assert len(rows) == len(expected)
        assert {(row["webhook_id"], row["event_id"]) for row in rows} == expected


async def test_an_event_that_more_want_than_fit_is_told_to_all_of_them(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loremark.features.webhooks.jobs._DELIVERIES_AT_ONCE", 3)
    owner = await service.owner()
    project = await owner.create_project()
    for _ in range(5):
        await create_webhook(owner, project, URL, "item.created")
    async with _undone(service) as tx:
        await _emit(tx, owner, project, 2)
        assert (await fan_out(tx, TAKE), await _count(tx)) == (TAKE, 5)
        assert (await fan_out(tx, TAKE), await _count(tx)) == (1, 10)
        assert (await fan_out(tx, 1), await _count(tx)) == (0, 10)


async def test_a_webhook_deleted_while_events_are_handed_on_leaves_nothing_behind(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL, "item.created")
    async with service.house.database.write() as tx:
        await _emit(tx, owner, project, 3)
        assert await fan_out(tx, TAKE) == 3
        deleting = asyncio.create_task(owner.delete(f"/api/webhooks/{webhook}"))
        await asyncio.sleep(0.3)
        assert not deleting.done(), "it waits for the deliveries it has to take along"
    assert (await deleting).status_code == 204
    await service.wait_for_jobs()
    async with service.house.database.read() as tx:
        assert await _count(tx) == 0
        ended = await tx.many(select(jobs.c.status).where(jobs.c.kind == "webhooks.deliver"))
    assert [row["status"] for row in ended] == ["completed"] * 3


async def test_looking_at_a_webhook_waits_for_nobody(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    async with service.house.database.write() as tx:
        assert await store.hold_webhook(tx, Scope(owner.team_id), webhook)
        async with asyncio.timeout(3):
            assert await list_deliveries(owner, webhook) == []
            assert len((await owner.get(f"/api/webhooks?projectId={project}")).json()) == 1


async def test_those_who_hand_on_do_not_wait_for_those_who_settle(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    if service.house.database.engine.name == "sqlite":
        pytest.skip("one writer at a time anyway")
    async with service.house.database.write() as settling, asyncio.timeout(3):
        assert await store.hold_webhook(settling, Scope(owner.team_id), webhook)
        async with service.house.database.write() as tx:
            assert len(await store.list_listening(tx, [project])) == 1
