"""An idle server is quiet: recurring work with nothing to do is not claimed, and begins soon once there is some."""

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
    "every/enrichment.reembed",
    "every/enrichment.upkeep",
    "every/genesis.upkeep",
    "every/sessions.sweep",
}


@pytest.mark.usefixtures("hurried")
async def test_work_is_claimed_only_when_a_look_has_found_some(database: Database) -> None:
    wanted, looks, ran = False, 0, asyncio.Event()

    async def look(tx: Tx) -> bool:
        nonlocal looks
        looks += 1
        return wanted

    async def sweep(run: Run) -> None:
        ran.set()

    async with work.running_kinds(database, {"sweep": JobKind(sweep, every_ms=20, has_work=look)}), asyncio.timeout(60):
        while looks < 4:
            await asyncio.sleep(0.01)
        row = await work.get(database, "every/sweep")
        assert (row["status"], row["attempt"], ran.is_set()) == ("queued", 0, False)
        wanted = True
        await ran.wait()


@pytest.mark.usefixtures("hurried")
async def test_signals_do_not_make_it_look_more_often(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_POLL_S", 600.0)
    looks = 0

    async def look(tx: Tx) -> bool:
        nonlocal looks
        looks += 1
        return False

    async def count(run: Run) -> None:
        pass

    kinds = {"sweep": JobKind(count, every_ms=20, has_work=look), "count": JobKind(count)}
    async with work.running_kinds(database, kinds):
        for _ in range(10):
            await work.until(database, await work.enqueue(database), "completed")
    assert looks == 1


@pytest.mark.usefixtures("hurried")
async def test_a_look_that_fails_holds_nobody_up(database: Database) -> None:
    ran = asyncio.Event()

    async def look(tx: Tx) -> bool:
        raise LookupError("a bug")

    async def sweep(run: Run) -> None:
        ran.set()

    async with work.running_kinds(database, {"sweep": JobKind(sweep, every_ms=20, has_work=look)}), asyncio.timeout(60):
        await ran.wait()


async def test_an_idle_server_claims_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_POLL_S", 0.05)
    await service.owner()

    async def attempts() -> dict[str, int]:
        async with service.runtime.database.read() as tx:
            rows = await tx.many(select(jobs.c.id, jobs.c.attempt).where(jobs.c.id.like("every/%")))
        return {row["id"]: row["attempt"] for row in rows if row["id"] in QUIET}

    async with asyncio.timeout(60):
        while (await attempts()).get("every/enrichment.reembed") != 1:  # an embedder that nobody knew before
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.3)
    async with service.runtime.database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id.in_(QUIET), jobs.c.status == "queued").values(run_at_ms=0))
        tx.notify(queue.TOPIC, "nudge")
    before = await attempts()
    assert before == {**dict.fromkeys(QUIET, 0), "every/enrichment.reembed": 1}
    await asyncio.sleep(1.5)
    assert await attempts() == before


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("looked", [False, True], ids=["put off for an hour", "nothing to do at the last look"])
async def test_what_has_changed_calls_for_the_work_that_is_about_it(database: Database, looked: bool) -> None:
    ran, found = 0, not looked

    async def look(tx: Tx) -> bool:
        return found

    async def sweep(run: Run) -> None:
        nonlocal ran
        ran += 1

    kind = JobKind(sweep, every_ms=clock.HOUR_MS, has_work=look, wake_on="items")
    async with work.running_kinds(database, {"sweep": kind}), asyncio.timeout(60):
        while ran < (0 if looked else 1):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        before, found = ran, True
        async with database.write() as tx:
            notices.notify_changed(tx, "team_1", "keys")
            notices.notify_changed(tx, "team_1", "items", "prj_1")
        while ran == before:
            await asyncio.sleep(0.01)
    assert ran == before + 1
