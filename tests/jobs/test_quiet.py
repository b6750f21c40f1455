"""An idle server stays quiet: recurring jobs without work are not claimed, and start soon once there is some."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select, update

from loremark.base import clock
from loremark.jobs import notices, queue, runner
from loremark.jobs.run import Run
from loremark.jobs.runner import JobKind
from loremark.storage.database import Database, Tx
from loremark.storage.tables import jobs
from tests.jobs import work
from tests.support.service import Service

pytestmark = pytest.mark.anyio

QUIET = {
    "every/billing.sweep",
    "every/brain.watch",
    "every/briefing.outcomes",
    "every/enrichment.reembed",
    "every/enrichment.upkeep",
    "every/genesis.upkeep",
    "every/sessions.sweep",
}


@pytest.mark.usefixtures("fast_runner")
async def test_recurring_job_is_claimed_only_when_it_has_work(database: Database) -> None:
    wanted, checks, ran = False, 0, asyncio.Event()

    async def has_work(tx: Tx) -> bool:
        nonlocal checks
        checks += 1
        return wanted

    async def sweep(run: Run) -> None:
        ran.set()

    async with (
        work.running_kinds(database, {"sweep": JobKind(sweep, every_ms=20, has_work=has_work)}),
        asyncio.timeout(60),
    ):
        while checks < 4:
            await asyncio.sleep(0.01)
        row = await work.get(database, "every/sweep")
        assert (row["status"], row["attempt"], ran.is_set()) == ("queued", 0, False)
        wanted = True
        await ran.wait()


@pytest.mark.usefixtures("fast_runner")
async def test_signals_do_not_trigger_extra_checks(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_POLL_S", 600.0)
    checks = 0

    async def has_work(tx: Tx) -> bool:
        nonlocal checks
        checks += 1
        return False

    async def count(run: Run) -> None:
        pass

    kinds = {"sweep": JobKind(count, every_ms=20, has_work=has_work), "count": JobKind(count)}
    async with work.running_kinds(database, kinds):
        for _ in range(10):
            await work.wait_for(database, await work.enqueue(database), "completed")
    assert checks == 1


@pytest.mark.usefixtures("fast_runner")
async def test_failing_check_does_not_block_the_job(database: Database) -> None:
    ran = asyncio.Event()

    async def has_work(tx: Tx) -> bool:
        raise LookupError("a bug")

    async def sweep(run: Run) -> None:
        ran.set()

    async with (
        work.running_kinds(database, {"sweep": JobKind(sweep, every_ms=20, has_work=has_work)}),
        asyncio.timeout(60),
    ):
        await ran.wait()


async def test_idle_server_claims_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_POLL_S", 0.05)
    await service.owner()

    async def attempts() -> dict[str, int]:
        async with service.runtime.database.read() as tx:
            rows = await tx.many(select(jobs.c.id, jobs.c.attempt).where(jobs.c.id.like("every/%")))
        return {row["id"]: row["attempt"] for row in rows if row["id"] in QUIET}

    async with asyncio.timeout(60):
        while (await attempts()).get("every/enrichment.reembed") != 1:  # the first run with a new embedder
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.3)
    async with service.runtime.database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id.in_(QUIET), jobs.c.status == "queued").values(run_at_ms=0))
        tx.notify(queue.TOPIC, "nudge")
    before = await attempts()
    assert before == {**dict.fromkeys(QUIET, 0), "every/enrichment.reembed": 1}
    await asyncio.sleep(1.5)
    assert await attempts() == before


@pytest.mark.usefixtures("fast_runner")
@pytest.mark.parametrize("checked", [False, True], ids=["put off for an hour", "nothing to do at the last look"])
async def test_change_notice_wakes_the_matching_job(database: Database, checked: bool) -> None:
    ran, found = 0, not checked

    async def has_work(tx: Tx) -> bool:
        return found

    async def sweep(run: Run) -> None:
        nonlocal ran
        ran += 1

    kind = JobKind(sweep, every_ms=clock.HOUR_MS, has_work=has_work, wake_on="items")
    async with work.running_kinds(database, {"sweep": kind}), asyncio.timeout(60):
        while ran < (0 if checked else 1):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        before, found = ran, True
        async with database.write() as tx:
            notices.notify_changed(tx, "team_1", "keys")
            notices.notify_changed(tx, "team_1", "items", "prj_1")
        while ran == before:
            await asyncio.sleep(0.01)
    assert ran == before + 1


@pytest.mark.usefixtures("fast_runner")
async def test_one_change_notice_wakes_every_job_that_waits_for_it(database: Database) -> None:
    ran: dict[str, int] = {"first": 0, "second": 0}

    def counting(name: str) -> JobKind:
        async def sweep(run: Run) -> None:
            ran[name] += 1

        return JobKind(sweep, every_ms=clock.HOUR_MS, wake_on="sessions")

    async with work.running_kinds(database, {name: counting(name) for name in ran}), asyncio.timeout(60):
        while min(ran.values()) < 1:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        async with database.write() as tx:
            notices.notify_changed(tx, "team_1", "sessions", "prj_1")
        while min(ran.values()) < 2:
            await asyncio.sleep(0.01)
    assert ran == {"first": 2, "second": 2}
