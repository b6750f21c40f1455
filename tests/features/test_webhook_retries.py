"""Retries of failed deliveries, and disabling of failing webhooks."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select, update

from loremark.base import clock
from loremark.features.webhooks.service import DELIVER
from loremark.storage.database import Row
from loremark.storage.tables import jobs
from tests.features.steps import emails_to
from tests.features.webhook_steps import (
    STANDARD_SECRET,
    check_signatures,
    create_session,
    create_webhook,
    find_webhook,
    list_deliveries,
    wait_for_deliveries,
    wait_for_quiet,
    wait_for_requests,
    wait_until_idle,
    wake_runner,
)
from tests.servers.https import Receiver, Reply
from tests.support.processes import free_port
from tests.support.service import Service

pytestmark = pytest.mark.anyio


@pytest.mark.settings(LOREMARK_WEBHOOK_RETRY_DELAYS="1,1,1")
async def test_failed_delivery_is_retried_with_the_same_id(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    receiver.answer("/late", Reply(500), Reply(302, {"Location": receiver.url("/elsewhere")}), Reply(404))
    receiver.always("/never", Reply(503))
    late = await create_webhook(owner, project, receiver.url("/late"), secret=STANDARD_SECRET)
    never = await create_webhook(owner, project, receiver.url("/never"))
    unreachable = await create_webhook(owner, project, f"https://127.0.0.1:{free_port()}/")
    await create_session(owner, project)

    [delivery] = await wait_for_deliveries(owner, late, 1)
    assert (delivery["status"], delivery["attempts"], delivery["responseStatus"]) == ("delivered", 4, 200)
    assert (delivery["error"], delivery["nextAttemptAt"]) == (None, None)
    assert delivery["deliveredAt"] > delivery["createdAt"]
    attempts = receiver.requests("/late")
    assert len(attempts) == 4
    assert {(request.headers["webhook-id"], request.body) for request in attempts} == {
        (delivery["eventId"], attempts[0].body)
    }
    timestamps = [int(request.headers["webhook-timestamp"]) for request in attempts]
    assert all(after - before >= 1 for before, after in pairwise(timestamps)), (
        "never early; how late depends on the machine"
    )
    for request in attempts:
        check_signatures(request, STANDARD_SECRET, STANDARD_SECRET)

    for webhook, status in ((never, 503), (unreachable, None)):
        [delivery] = await wait_for_deliveries(owner, webhook, 1)
        assert (delivery["status"], delivery["attempts"], delivery["responseStatus"]) == ("failed", 4, status)
        assert delivery["error"]
        assert delivery["deliveredAt"] is None
    await webhook_service.wait_for_jobs()
    assert len(receiver.requests("/never")) == 4
    assert receiver.requests("/elsewhere") == []


async def test_retry_schedule_matches_the_specification(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    receiver.always("/", Reply(500))
    webhook = await create_webhook(owner, project, receiver.url())
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        await create_session(owner, project)
        for retry, delay_s in enumerate((60, 300, 1_800, 7_200, 43_200), start=1):
            [delivery] = await wait_for_deliveries(owner, webhook, 1, lambda found, n=retry: found["attempts"] == n)  # type: ignore[misc]
            await wait_until_idle(webhook_service)
            assert (delivery["status"], delivery["responseStatus"]) == ("pending", 500)
            assert delivery["nextAttemptAt"] == clock.iso(now_ms + delay_s * 1_000)
            now_ms += delay_s * 1_000 - 1
            await wake_runner(webhook_service)
            await asyncio.sleep(0.2)
            assert len(receiver.requests()) == retry, "never early"
            now_ms += 1
            await wake_runner(webhook_service)
            await wait_for_requests(receiver, retry + 1)
        [delivery] = await wait_for_deliveries(owner, webhook, 1)
        assert (delivery["status"], delivery["attempts"]) == ("failed", 6)
        now_ms += 30 * 86_400_000 // 31
        await wake_runner(webhook_service)
        await webhook_service.wait_for_jobs()
    assert len(receiver.requests()) == 6


@pytest.mark.settings(LOREMARK_WEBHOOK_RETRY_DELAYS="")
async def test_ten_consecutive_failures_disable_the_webhook(
    webhook_service: Service, receiver: Receiver, tmp_path: Path
) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url("/hook?token=hidden"))
    receiver.always("/hook?token=hidden", Reply(500))

    async def fail(times: int, before: int) -> None:
        await asyncio.gather(*(create_session(owner, project) for _ in range(times)))
        await wait_for_deliveries(owner, webhook, before + times)

    await fail(9, before=0)
    receiver.answer("/hook?token=hidden", Reply(200))
    await create_session(owner, project)
    await wait_for_deliveries(owner, webhook, 10)
    await fail(9, before=10)
    assert (await find_webhook(owner, webhook))["status"] == "active", "a successful delivery resets the count"
    await fail(1, before=19)
    assert (await find_webhook(owner, webhook))["status"] == "disabled"
    [(subject, text)] = await emails_to(tmp_path, owner.email)
    assert subject == "A webhook was disabled"
    assert receiver.url("/hook") in text
    assert "hidden" not in text
    missed = await create_session(owner, project)
    await wait_for_quiet(webhook_service)
    assert len(receiver.requests()) == 20
    assert not any(missed.encode() in request.body for request in receiver.requests())

    patched = await owner.patch(f"/api/webhooks/{webhook}", {"status": "active"})
    assert (patched.status_code, patched.json()["status"]) == (200, "active")
    await fail(9, before=20)
    assert (await find_webhook(owner, webhook))["status"] == "active", "the count was reset"
    receiver.always("/hook?token=hidden", Reply(200))
    failed = (await list_deliveries(owner, webhook))[0]
    path = f"/api/webhooks/{webhook}/deliveries/{failed['id']}/redeliver"
    assert (await owner.post(path)).json()["status"] == "pending"
    await wait_for_quiet(webhook_service)
    assert (await list_deliveries(owner, webhook))[0]["status"] == "delivered"
    assert receiver.requests()[-1].headers["webhook-id"] == failed["eventId"]


async def test_recorded_attempt_is_not_repeated_early(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    receiver.always("/", Reply(500))
    webhook = await create_webhook(owner, project, receiver.url())
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        await create_session(owner, project)
        await wait_for_deliveries(owner, webhook, 1, lambda found: found["attempts"] == 1)
        await wait_until_idle(webhook_service)
        async with webhook_service.runtime.database.write() as tx:  # like after an expired lease
            await tx.run(update(jobs).where(jobs.c.kind == DELIVER).values(run_at_ms=0))
        await wake_runner(webhook_service)
        async with asyncio.timeout(60):
            while (job := await _delivery_job(webhook_service))["attempt"] < 2 or job["status"] == "running":
                await asyncio.sleep(0.01)
        assert (job["status"], job["run_at_ms"]) == ("queued", now_ms + 60_000)
        [delivery] = await list_deliveries(owner, webhook)
        assert (delivery["status"], delivery["attempts"]) == ("pending", 1)
        assert len(receiver.requests()) == 1
        now_ms += 60_000
        await wake_runner(webhook_service)
        await wait_for_requests(receiver, 2)
        await wait_for_deliveries(owner, webhook, 1, lambda found: found["attempts"] == 2)
        await wait_until_idle(webhook_service)


async def _delivery_job(service: Service) -> Row:
    async with service.runtime.database.read() as tx:
        found = await tx.one(select(jobs).where(jobs.c.kind == DELIVER))
    assert found is not None
    return found


@pytest.mark.settings(LOREMARK_WEBHOOK_RETRY_DELAYS="1,1,1,1,1")
async def test_pending_deliveries_of_a_disabled_webhook_fail_and_can_be_redelivered(
    webhook_service: Service, receiver: Receiver
) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    receiver.always("/", Reply(503))
    webhook = await create_webhook(owner, project, receiver.url())
    await create_session(owner, project)
    await wait_for_deliveries(owner, webhook, 1, lambda found: found["attempts"] == 1)
    assert (await owner.patch(f"/api/webhooks/{webhook}", {"status": "disabled"})).status_code == 200
    [failed] = await wait_for_deliveries(owner, webhook, 1)
    assert (failed["status"], failed["attempts"], failed["error"]) == ("failed", 1, "webhook is disabled")
    assert failed["nextAttemptAt"] is None
    assert len(receiver.requests()) == 1

    path = f"/api/webhooks/{webhook}/deliveries/{failed['id']}/redeliver"
    assert (await owner.post(path)).json()["status"] == "pending"
    [again] = await wait_for_deliveries(owner, webhook, 1)
    assert (again["attempts"], again["error"]) == (0, "webhook is disabled"), "still disabled"
    receiver.always("/", Reply(200))
    assert (await owner.patch(f"/api/webhooks/{webhook}", {"status": "active"})).status_code == 200
    assert (await owner.post(path)).json()["error"] is None
    [delivered] = await wait_for_deliveries(owner, webhook, 1)
    assert (delivered["status"], delivered["attempts"], delivered["eventId"]) == ("delivered", 1, failed["eventId"])
