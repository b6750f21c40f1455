"""Webhook events of the pipeline: start, end, and each item with its final status."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import update

from loremark.base import clock
from loremark.jobs import operator
from loremark.storage.tables import jobs
from tests.features.memory_project import Memory, save
from tests.features.test_enrichment import POOL, RETRY
from tests.features.webhook_steps import create_webhook, wait_for_quiet, wait_for_requests, wake_runner
from tests.servers.https import Receiver
from tests.support.service import Service

pytestmark = pytest.mark.anyio

ALL = (
    "session.completed",
    "enrichment.started",
    "enrichment.completed",
    "enrichment.failed",
    "item.created",
    "item.updated",
    "item.deprecated",
)


def _received(receiver: Receiver) -> dict[str, list[dict[str, Any]]]:
    received: dict[str, list[dict[str, Any]]] = {}
    for request in receiver.requests():
        received.setdefault(request.json["type"], []).append(request.json["data"])
    return received


async def test_every_step_emits_one_event(webhook_service: Service, receiver: Receiver) -> None:
    memory = await Memory.of(webhook_service)
    await create_webhook(memory.owner, memory.tool.project_id, receiver.url(), *ALL)
    sent = await memory.send(save(POOL, RETRY))
    job = await memory.enrich(sent["sessionId"])
    await wait_for_requests(receiver, 5)
    await wait_for_quiet(webhook_service)
    received = _received(receiver)
    assert Counter({name: len(found) for name, found in received.items()}) == {
        "enrichment.started": 1,
        "enrichment.completed": 1,
        "session.completed": 1,
        "item.created": 2,
    }
    assert received["enrichment.started"] == [{"sessionId": sent["sessionId"], "jobId": job["id"]}]
    total = sum(stage["duration"] for stage in job["pipeline"])
    assert received["enrichment.completed"] == [
        {"sessionId": sent["sessionId"], "itemsExtracted": 2, "duration": total, "jobId": job["id"]}
    ]
    items = {item["id"]: item for item in await memory.items()}
    for data in received["item.created"]:
        item = items[data["itemId"]]
        assert data == {"itemId": item["id"], **{name: item[name] for name in ("type", "title", "schemaKey", "status")}}


@pytest.mark.nightly
async def test_lost_job_marks_the_session_as_failed(webhook_service: Service, receiver: Receiver) -> None:
    """After a manual cancellation or a lost worker, upkeep fails the session and it can be retried."""
    memory = await Memory.of(webhook_service)
    await create_webhook(memory.owner, memory.tool.project_id, receiver.url(), "enrichment.failed")
    sent = await memory.send(save(POOL))
    async with webhook_service.runtime.database.write() as tx:  # no runner may claim it before it is cancelled
        later = clock.now_ms() + clock.MINUTE_MS
        await tx.run(update(jobs).where(jobs.c.id == "every/enrichment.upkeep").values(run_at_ms=later))
    started = await memory.owner.post(f"/api/v2/sessions/{sent['sessionId']}/enrich")
    async with webhook_service.runtime.database.write() as tx:
        await operator.cancel_job(tx, started.json()["jobId"])
    await webhook_service.wait_for_jobs()
    if (await memory.session(sent["sessionId"]))["status"] == "completed":
        pytest.skip("the job was quicker than the operator")
    async with webhook_service.runtime.database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id == "every/enrichment.upkeep").values(run_at_ms=0))
    await wake_runner(webhook_service)
    (request,) = await wait_for_requests(receiver, 1)
    assert request.json["data"]["sessionId"] == sent["sessionId"]
    assert (await memory.session(sent["sessionId"]))["status"] == "failed"
    retried = await memory.owner.post(f"/api/v2/sessions/{sent['sessionId']}/retry")
    assert retried.status_code == 202
    await webhook_service.wait_for_jobs(20)
    assert (await memory.session(sent["sessionId"]))["status"] == "completed"
    assert len(await memory.items()) == 1
