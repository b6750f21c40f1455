"""Fan-out from the outbox to deliveries: bounded, lossless, and safe against deletions."""

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
from tests.features.webhook_steps import create_webhook, list_deliveries
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

URL = "https://93.184.215.14/"
TAKE = 200


class _Rollback(Exception):
    """Rolls back what the test wrote."""


@asynccontextmanager
async def _rolled_back(service: Service) -> AsyncIterator[Tx]:
    with suppress(_Rollback):
        async with service.runtime.database.write() as tx:
            yield tx
            raise _Rollback


async def _emit(tx: Tx, owner: Person, project: str, count: int) -> list[str]:
    return [
        await outbox.emit(tx, Scope(owner.team_id), WebhookEvent.ITEM_CREATED, project, {"n": number})
        for number in range(count)
    ]


async def _count(tx: Tx) -> int:
    row = await tx.one(select(func.count().label("found")).select_from(webhook_deliveries))
    assert row is not None
    return int(row["found"])


async def test_deliveries_per_transaction_are_bounded(service: Service) -> None:
    owner = await service.owner()
    crowded, quiet = await owner.create_project(), await owner.create_project("Quiet")
    webhooks = [await create_webhook(owner, crowded, URL, "item.created") for _ in range(40)]
    await create_webhook(owner, crowded, URL, "brain.updated")
    async with _rolled_back(service) as tx:
        events = await _emit(tx, owner, crowded, 20)
        events += await _emit(tx, owner, quiet, 5)
        events += await _emit(tx, owner, crowded, 6)
        steps: list[tuple[int, int]] = []
        before = 0
        while found := await fan_out(tx, TAKE):
            made = await _count(tx)
            steps.append((found, made - before))
            before = made
        assert steps == [(TAKE, 480), (TAKE, 480), (2, 80)], "a full batch while more are pending, then the rest"
        rows = await tx.many(select(webhook_deliveries.c.webhook_id, webhook_deliveries.c.event_id))
        expected = {(webhook, event) for webhook in webhooks for event in [*events[:20], *events[25:]]}
        assert len(rows) == len(expected)
        assert {(row["webhook_id"], row["event_id"]) for row in rows} == expected


async def test_event_with_many_subscribers_reaches_all(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loremark.features.webhooks.jobs._MAX_DELIVERIES", 3)
    owner = await service.owner()
    project = await owner.create_project()
    for _ in range(5):
        await create_webhook(owner, project, URL, "item.created")
    async with _rolled_back(service) as tx:
        await _emit(tx, owner, project, 2)
        assert (await fan_out(tx, TAKE), await _count(tx)) == (TAKE, 5)
        assert (await fan_out(tx, TAKE), await _count(tx)) == (1, 10)
        assert (await fan_out(tx, 1), await _count(tx)) == (0, 10)


async def test_webhook_deleted_during_fan_out_leaves_no_deliveries(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL, "item.created")
    async with service.runtime.database.write() as tx:
        await _emit(tx, owner, project, 3)
        assert await fan_out(tx, TAKE) == 3
        deleting = asyncio.create_task(owner.delete(f"/api/webhooks/{webhook}"))
        await asyncio.sleep(0.3)
        assert not deleting.done(), "the deletion waits for the fan-out"
    assert (await deleting).status_code == 204
    await service.wait_for_jobs()
    async with service.runtime.database.read() as tx:
        assert await _count(tx) == 0
        finished = await tx.many(select(jobs.c.status).where(jobs.c.kind == "webhooks.deliver"))
    assert [row["status"] for row in finished] == ["completed"] * 3


async def test_reading_a_webhook_does_not_block(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    async with service.runtime.database.write() as tx:
        assert await store.lock_webhook(tx, Scope(owner.team_id), webhook)
        async with asyncio.timeout(3):
            assert await list_deliveries(owner, webhook) == []
            assert len((await owner.get(f"/api/webhooks?projectId={project}")).json()) == 1


async def test_fan_out_does_not_block_on_delivery_results(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    if service.runtime.database.engine.name == "sqlite":
        pytest.skip("one writer at a time anyway")
    async with service.runtime.database.write() as other_tx, asyncio.timeout(3):
        assert await store.lock_webhook(other_tx, Scope(owner.team_id), webhook)
        async with service.runtime.database.write() as tx:
            assert len(await store.list_subscribed(tx, [project])) == 1
