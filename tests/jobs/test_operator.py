"""Operator commands on jobs, and recurring jobs."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import select, update

from loremark.base import clock
from loremark.jobs import operator, queue, recurring
from loremark.jobs.run import Run
from loremark.storage.database import Database
from loremark.storage.tables import jobs
from tests.jobs import work

pytestmark = pytest.mark.anyio

_NOW_MS = 1_800_000_000_000


async def _job_in_state(database: Database, status: str, finished_at_ms: int | None = None, kind: str = "count") -> str:
    job_id = await work.enqueue(database, kind)
    async with database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id == job_id).values(status=status, finished_at_ms=finished_at_ms))
    return job_id


async def test_jobs_are_listed_newest_first_and_filtered(database: Database) -> None:
    first = await _job_in_state(database, "failed", _NOW_MS)
    second = await _job_in_state(database, "queued")
    third = await _job_in_state(database, "failed", _NOW_MS, kind="mail")
    async with database.read() as tx:

        async def ids(status: str | None, kind: str | None, take: int = 10) -> list[str]:
            return [row["id"] for row in await operator.list_jobs(tx, status=status, kind=kind, take=take)]

        assert await ids(None, None) == [third, second, first]
        assert await ids("failed", None) == [third, first]
        assert await ids("failed", "count") == [first]
        assert await ids(None, None, take=1) == [third]
        assert await operator.find_job(tx, "job_nobody") is None


async def test_waiting_job_is_cancelled_at_once_and_a_retry_revives_it(database: Database) -> None:
    job_id = await work.enqueue(database)
    async with database.write() as tx:
        assert await operator.cancel_job(tx, job_id)
        assert not await operator.cancel_job(tx, job_id)
    row = await work.get(database, job_id)
    assert row["status"] == "cancelled"
    assert row["finished_at_ms"] is not None
    assert await work.claim(database) is None
    async with database.write() as tx:
        assert await operator.retry_job(tx, job_id)
        assert not await operator.retry_job(tx, job_id), "it is already queued"
    claimed = await work.claim(database)
    assert claimed is not None
    assert (claimed.id, (await work.get(database, job_id))["finished_at_ms"]) == (job_id, None)


async def test_retried_job_gets_new_attempts_and_old_workers_stay_fenced(database: Database) -> None:
    job_id = await work.enqueue(database, max_attempts=1)
    old = await work.claim(database)
    assert old is not None
    async with database.write() as tx:
        assert await queue.fail(tx, old, "no", retry_in_ms=None)
        assert await operator.retry_job(tx, job_id)
    new = await work.claim(database)
    assert new is not None
    assert new.attempt == 2
    assert new.max_attempts > new.attempt
    async with database.write() as tx:
        assert not await queue.complete(tx, old)
        assert await queue.complete(tx, new)
        assert not await operator.retry_job(tx, job_id), "a completed job cannot be retried"
        assert not await operator.cancel_job(tx, job_id)


async def test_pruning_removes_only_old_completed_or_cancelled_jobs(database: Database) -> None:
    old, young = _NOW_MS - 1, _NOW_MS
    pruned = {await _job_in_state(database, "completed", old), await _job_in_state(database, "cancelled", old)}
    kept = {
        await _job_in_state(database, "completed", young),
        await _job_in_state(database, "failed", old),
        await _job_in_state(database, "queued"),
        await _job_in_state(database, "running"),
    }
    async with database.write() as tx:
        assert await operator.prune_jobs(tx, finished_before_ms=_NOW_MS, take=1) == 1
        assert await operator.prune_jobs(tx, finished_before_ms=_NOW_MS, take=10) == 1
        assert await operator.prune_jobs(tx, finished_before_ms=_NOW_MS, take=10) == 0
        left = {row["id"] for row in await tx.many(select(jobs.c.id))}
    assert left == kept
    assert not left & pruned


@pytest.mark.usefixtures("fast_runner")
async def test_recurring_job_exists_once_and_repeats(database: Database, second_database: Database) -> None:
    """Two processes declare it, and a failing run does not end it."""
    ran: list[float] = []
    active = 0

    async def sweep(run: Run) -> None:
        nonlocal active
        active += 1
        ran.append(clock.monotonic())
        assert active == 1
        await asyncio.sleep(0.01)
        active -= 1
        if len(ran) == 2:
            raise OSError("not today")

    started = clock.monotonic()
    async with (
        work.running(database, sweep, kind="sweep", every_ms=100),
        work.running(second_database, sweep, kind="sweep", every_ms=100),
        asyncio.timeout(60),
    ):
        while len(ran) < 5:
            await asyncio.sleep(0.01)
    assert ran[4] - started >= 0.4
    async with database.read() as tx:
        rows = await tx.many(select(jobs.c.id))
    assert [row["id"] for row in rows] == ["every/sweep"]


async def test_worker_of_an_earlier_run_cannot_settle_a_later_one(database: Database) -> None:
    """The stalled worker of the first run wakes up while the third is running elsewhere."""
    now_ms = _NOW_MS
    with clock.use(lambda: now_ms):
        async with database.write() as tx:
            await recurring.ensure(tx, "sweep", 1_000)
        stalled = await work.claim(database, "stalled", 5_000)
        now_ms += 5_001
        second = await work.claim(database, "second", 5_000)
        assert stalled is not None
        assert second is not None
        async with database.write() as tx:
            assert await queue.complete(tx, second)
        now_ms += 1_000
        third = await work.claim(database, "third", 5_000)
        assert third is not None
        async with database.write() as tx:
            assert await queue.extend(tx, stalled, 60_000) is None
            assert not await queue.complete(tx, stalled)
        row = await work.get(database, "every/sweep")
        assert (row["status"], row["lease_owner"]) == ("running", "third")


async def test_recurring_job_follows_a_changed_interval(database: Database) -> None:
    """A new version runs it more often: the next run uses the new interval."""
    now_ms = _NOW_MS
    with clock.use(lambda: now_ms):
        for every_ms in (clock.DAY_MS, clock.HOUR_MS):
            async with database.write() as tx:
                await recurring.ensure(tx, "sweep", every_ms)
        job = await work.claim(database)
        assert job is not None
        async with database.write() as tx:
            assert await queue.complete(tx, job)
        assert (await work.get(database, "every/sweep"))["run_at_ms"] == now_ms + clock.HOUR_MS


async def test_next_run_is_scheduled_from_the_start_of_the_last(database: Database) -> None:
    """A run may miss work that arrives after it starts. A failure adds a delay; a clock set back adds none."""
    now_ms = _NOW_MS
    with clock.use(lambda: now_ms):
        async with database.write() as tx:
            await recurring.ensure(tx, "sweep", clock.MINUTE_MS)

        async def finish_run(took_ms: int, error: str | None = None) -> int:
            nonlocal now_ms
            job = await work.claim(database, lease_ms=clock.DAY_MS)
            assert job is not None
            now_ms += took_ms
            async with database.write() as tx:
                assert await (queue.fail(tx, job, error, retry_in_ms=1) if error else queue.complete(tx, job))
            run_at_ms: int = (await work.get(database, "every/sweep"))["run_at_ms"]
            in_ms, now_ms = run_at_ms - now_ms, max(now_ms, run_at_ms)
            return in_ms

        assert await finish_run(10_000) == 50_000
        assert await finish_run(clock.HOUR_MS) == clock.MINUTE_MS - clock.HOUR_MS, "due at once"
        assert await finish_run(clock.HOUR_MS, "no") == clock.MINUTE_MS
        assert await finish_run(-clock.HOUR_MS) == clock.MINUTE_MS


def _ahead(ms: int) -> AbstractContextManager[None]:
    """A clock that runs normally, but this far ahead."""
    started_ms, started = clock.now_ms(), clock.monotonic()
    return clock.use(lambda: started_ms + ms + int((clock.monotonic() - started) * 1000))


@pytest.mark.usefixtures("fast_runner")
async def test_clock_that_was_briefly_ahead_does_not_stop_recurring_jobs(database: Database) -> None:
    ran = 0

    async def sweep(run: Run) -> None:
        nonlocal ran
        ran += 1

    async def wait_for_runs(wanted: int) -> None:
        async with asyncio.timeout(60):
            while ran < wanted:
                await asyncio.sleep(0.01)

    with _ahead(30 * clock.DAY_MS):
        async with work.running(database, sweep, kind="sweep", every_ms=50):
            await wait_for_runs(2)
    assert (await work.get(database, "every/sweep"))["run_at_ms"] > clock.now_ms() + 29 * clock.DAY_MS
    async with work.running(database, sweep, kind="sweep", every_ms=50):
        await wait_for_runs(ran + 3)


async def test_lease_written_by_a_clock_ahead_is_reclaimed(database: Database) -> None:
    job_id = await work.enqueue(database)
    with _ahead(30 * clock.DAY_MS):
        assert await work.claim(database, "lost") is not None
    again = await work.claim(database, "somebody")
    assert again is not None
    assert again.id == job_id


async def test_recurring_job_cannot_be_cancelled(database: Database) -> None:
    async with database.write() as tx:
        await recurring.ensure(tx, "sweep", 1_000)
        assert not await operator.cancel_job(tx, "every/sweep")
    assert (await work.get(database, "every/sweep"))["status"] == "queued"
