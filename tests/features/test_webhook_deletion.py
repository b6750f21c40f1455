"""Deleting webhooks and pruning old deliveries, in bounded batches."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from sqlalchemy import func, select

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.webhooks import jobs as webhooks_jobs
from loremark.features.webhooks import service as webhooks
from loremark.features.webhooks import store
from loremark.features.webhooks.jobs import prune
from loremark.jobs import queue
from loremark.storage.database import Database, Tx
from loremark.storage.tables import jobs, webhook_deliveries
from tests.features.recurring_jobs import wait_for_runs
from tests.features.steps import insert_rows, status_and_body
from tests.features.webhook_steps import (
    NO_WEBHOOK,
    create_session,
    create_webhook,
    list_deliveries,
    wait_for_quiet,
    wait_for_requests,
)
from tests.servers.https import Receiver, Reply
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

URL = "https://93.184.215.14/"
MONTH_MS = 30 * clock.DAY_MS


async def _insert(
    service: Service,
    owner: Person,
    project: str,
    webhook: str,
    count: int,
    *,
    id_prefix: str = "",
    status: str = "delivered",
    created_at_ms: int | None = None,
) -> list[str]:
    """Insert deliveries directly; the prefix makes their ids older or newer."""
    delivery_ids = [f"dlv_{id_prefix}{number:06d}" if id_prefix else ids.new("dlv") for number in range(count)]
    shared = {
        "team_id": owner.team_id,
        "project_id": project,
        "webhook_id": webhook,
        "event_id": "evt_told",
        "type": "item.created",
        "body": "{}",
        "status": status,
        "attempts": 1,
        "created_at_ms": clock.now_ms() if created_at_ms is None else created_at_ms,
    }
    await insert_rows(service, webhook_deliveries, [{**shared, "id": delivery_id} for delivery_id in delivery_ids])
    return delivery_ids


async def _count_deliveries(tx: Tx, webhook: str) -> int:
    row = await tx.one(
        select(func.count().label("found"))
        .select_from(webhook_deliveries)
        .where(webhook_deliveries.c.webhook_id == webhook)
    )
    assert row is not None
    return int(row["found"])


async def test_deletion_is_immediate_and_enqueues_the_cleanup(service: Service) -> None:
    """The request does not wait for the deletion of deliveries, and blocks no one else."""
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    await _insert(service, owner, project, webhook, 300)
    enqueued: list[dict[str, Any]] = []

    async def enqueue(tx: Tx, kind: str, payload: dict[str, Any], **_: Any) -> str:
        enqueued.append({"kind": kind, **payload, "left": await _count_deliveries(tx, webhook)})
        return "job_nobody_does"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(queue, "enqueue", enqueue)
        deleted = await owner.delete(f"/api/webhooks/{webhook}")
    assert deleted.status_code == 204
    assert enqueued == [{"kind": "webhooks.purge", "webhookId": webhook, "left": 300}]
    async with service.runtime.database.read() as tx:
        assert await _count_deliveries(tx, webhook) == 300
        [delivery] = await tx.many(select(webhook_deliveries.c.id).limit(1))
    assert (await owner.get("/api/webhooks")).json() == []
    path = f"/api/webhooks/{webhook}"
    for method, suffix in (("GET", "/deliveries"), ("POST", f"/deliveries/{delivery['id']}/redeliver"), ("DELETE", "")):
        assert status_and_body(await owner.call(method, path + suffix)) == NO_WEBHOOK


async def test_cleanup_deletes_in_batches_and_nothing_else(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks_jobs, "_BATCH_ROWS", 40)
    owner, others = await service.owner(), await service.owner("Others")
    project, other_project = await owner.create_project(), await others.create_project()
    deleted, kept = [await create_webhook(owner, project, URL) for _ in range(2)]
    theirs = await create_webhook(others, other_project, URL)
    batches: list[int] = []
    original = store.delete_deliveries

    async def record_batch(tx: Tx, scope: Scope, webhook_id: str, take: int) -> int:
        batches.append(await original(tx, scope, webhook_id, take))
        return batches[-1]

    monkeypatch.setattr(store, "delete_deliveries", record_batch)
    await _insert(service, owner, project, deleted, 100)
    await _insert(service, owner, project, kept, 7)
    await _insert(service, others, other_project, theirs, 9)
    assert (await owner.delete(f"/api/webhooks/{deleted}")).status_code == 204
    await service.wait_for_jobs()
    assert batches == [40, 40, 20]
    async with service.runtime.database.read() as tx:
        assert [await _count_deliveries(tx, webhook) for webhook in (deleted, kept, theirs)] == [0, 7, 9]
        [job] = await tx.many(select(jobs).where(jobs.c.kind == webhooks.PURGE))
    assert (job["status"], job["team_id"], job["project_id"]) == ("completed", owner.team_id, project)
    assert len(await list_deliveries(owner, kept)) == 7


@pytest.mark.settings(LOREMARK_WEBHOOK_RETRY_DELAYS="1,1,1")
async def test_deleted_webhook_receives_nothing_more(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    receiver.always("/", Reply(503))
    webhook = await create_webhook(owner, project, receiver.url())
    await create_session(owner, project)
    await wait_for_requests(receiver, 1)
    assert (await owner.delete(f"/api/webhooks/{webhook}")).status_code == 204
    received = len(receiver.requests())
    await create_session(owner, project)
    await wait_for_quiet(webhook_service)
    assert len(receiver.requests()) <= received + 1, "except one that was in flight"
    async with webhook_service.runtime.database.read() as tx:
        assert await _count_deliveries(tx, webhook) == 0


async def test_webhook_deleted_during_a_test_is_not_found(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url("/slow"))
    gate = threading.Event()
    receiver.answer("/slow", Reply(gate=gate))
    test_request = asyncio.create_task(owner.post(f"/api/webhooks/{webhook}/test"))
    await wait_for_requests(receiver, 1)
    assert (await owner.delete(f"/api/webhooks/{webhook}")).status_code == 204
    await webhook_service.wait_for_jobs()
    gate.set()
    assert status_and_body(await test_request) == NO_WEBHOOK


class _CountingDatabase:
    """A database that counts reads and writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.reads = self.writes = 0

    def read(self) -> AbstractAsyncContextManager[Tx]:
        self.reads += 1
        return self._database.read()

    def write(self) -> AbstractAsyncContextManager[Tx]:
        self.writes += 1
        return self._database.write()


async def test_prune_without_old_deliveries_writes_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await wait_for_runs(service, "upkeep.prune")
    monkeypatch.setattr(webhooks_jobs, "_BATCH_ROWS", 10)
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    recent = await _insert(service, owner, project, webhook, 60)
    database: Any = _CountingDatabase(service.runtime.database)
    await prune(database)
    assert (database.reads, database.writes) == (1, 0)
    assert len(await list_deliveries(owner, webhook, "?limit=100")) == len(recent)


async def test_old_deliveries_are_pruned_in_batches(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await wait_for_runs(service, "upkeep.prune")
    monkeypatch.setattr(webhooks_jobs, "_BATCH_ROWS", 10)
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    old_ms = clock.now_ms() - MONTH_MS - clock.MINUTE_MS
    pending = await _insert(
        service, owner, project, webhook, 12, id_prefix="00a", status="pending", created_at_ms=old_ms
    )
    for prefix, status in (("00b", "delivered"), ("00c", "failed")):
        await _insert(service, owner, project, webhook, 12, id_prefix=prefix, status=status, created_at_ms=old_ms)
    barely_recent = await _insert(
        service, owner, project, webhook, 3, id_prefix="00d", created_at_ms=old_ms + 2 * clock.MINUTE_MS
    )
    recent = await _insert(service, owner, project, webhook, 45)
    database: Any = _CountingDatabase(service.runtime.database)
    await prune(database)
    found = {delivery["id"] for delivery in await list_deliveries(owner, webhook, "?limit=200")}
    assert found == {*pending, *barely_recent, *recent}
    assert (database.reads, database.writes) == (4, 3), "36 old and the first recent ones, ten at a time"


async def test_redelivered_delivery_is_not_pruned(service: Service) -> None:
    """It is redelivered between the read and the deletion."""
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, URL)
    [finished] = await _insert(service, owner, project, webhook, 1)
    [again] = await _insert(service, owner, project, webhook, 1, status="pending")
    async with service.runtime.database.write() as tx:
        assert await store.delete_ended(tx, [finished, again]) == 1
    assert [delivery["id"] for delivery in await list_deliveries(owner, webhook)] == [again]
