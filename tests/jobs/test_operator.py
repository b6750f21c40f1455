"""What an operator sees and does, and work that comes again by itself."""

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


async def _in_state(database: Database, status: str, finished_at_ms: int | None = None, kind: str = "count") -> str:
    job_id = await work.enqueue(database, kind)
    async with database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id == job_id).values(status=status, finished_at_ms=finished_at_ms))
    return job_id


async def test_jobs_are_listed_newest_first_and_counted(database: Database) -> None:
    first = await _in_state(database, "failed", _NOW_MS)
    second = await _in_state(database, "queued")
    third = await _in_state(database, "failed", _NOW_MS, kind="mail")
    async with database.read() as tx:

        async def ids(status: str | None, kind: str | None, take: int = 10) -> list[str]:
            return [row["id"] for row in await operator.list_jobs(tx, status=status, kind=kind, take=take)]

        assert await ids(None, None) == [third, second, first]
        assert await ids("failed", None) == [third, first]
        assert await ids("failed", "count") == [first]
        assert await ids(None, None, take=1) == [third]
        assert await operator.find_job(tx, "job_nobody") is None


async def test_a_waiting_job_is_cancelled_at_once_and_a_retry_revives_it(database: Database) -> None:
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
        assert not await operator.retry_job(tx, job_id), "it waits already"
    claimed = await work.claim(database)
    assert claimed is not None
    assert (claimed.id, (await work.get(database, job_id))["finished_at_ms"]) == (job_id, None)


async def test_a_dead_job_gets_new_attempts_and_old_workers_stay_fenced(database: Database) -> None:
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
        assert not await operator.retry_job(tx, job_id), "what is done stays done"
        assert not await operator.cancel_job(tx, job_id)


async def test_pruning_takes_only_what_ended_well_long_ago(database: Database) -> None:
    old, young = _NOW_MS - 1, _NOW_MS
    gone = {await _in_state(database, "completed", old), await _in_state(database, "cancelled", old)}
    kept = {
        await _in_state(database, "completed", young),
        await _in_state(database, "failed", old),
        await _in_state(database, "queued"),
        await _in_state(database, "running"),
    }
    async with database.write() as tx:
        assert await operator.prune_jobs(tx, finished_before_ms=_NOW_MS, take=1) == 1
        assert await operator.prune_jobs(tx, finished_before_ms=_NOW_MS, take=10) == 1
        assert await operator.prune_jobs(tx, finished_before_ms=_NOW_MS, take=10) == 0
        left = {row["id"] for row in await tx.many(select(jobs.c.id))}
    assert left == kept
    assert not left & gone


@pytest.mark.usefixtures("hurried")
async def test_recurring_work_exists_once_and_comes_again(database: Database, second_database: Database) -> None:
    """Two processes that both know it; one of its runs fails, which does not end it."""
    ran: list[float] = []
    under_way = 0

    async def sweep(run: Run) -> None:
        nonlocal under_way
        under_way += 1
        ran.append(clock.monotonic())
        assert under_way == 1
        await asyncio.sleep(0.01)
        under_way -= 1
        if len(ran) == 2:
            raise OSError("not today")

    begun = clock.monotonic()
    async with (
        work.running(database, sweep, kind="sweep", every_ms=100),
        work.running(second_database, sweep, kind="sweep", every_ms=100),
        asyncio.timeout(60),
    ):
        while len(ran) < 5:
            await asyncio.sleep(0.01)
    assert ran[4] - begun >= 0.4
    async with database.read() as tx:
        rows = await tx.many(select(jobs.c.id))
    assert [row["id"] for row in rows] == ["every/sweep"]


async def test_a_worker_of_an_earlier_round_cannot_settle_a_later_one(database: Database) -> None:
    """Recurring work: the stalled worker of the first round wakes up when the third is under way elsewhere."""
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


async def test_recurring_work_follows_a_new_rhythm(database: Database) -> None:
    """A new version wants it more often: the next round is planned by the new rhythm."""
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


async def test_the_next_round_is_counted_from_the_beginning_of_the_last(database: Database) -> None:
    """It may not have seen what came after. A failure has its pause, and a clock put back delays no round."""
    now_ms = _NOW_MS
    with clock.use(lambda: now_ms):
        async with database.write() as tx:
            await recurring.ensure(tx, "sweep", clock.MINUTE_MS)

        async def next_round(took_ms: int, error: str | None = None) -> int:
            nonlocal now_ms
            job = await work.claim(database, lease_ms=clock.DAY_MS)
            assert job is not None
            now_ms += took_ms
            async with database.write() as tx:
                assert await (queue.fail(tx, job, error, retry_in_ms=1) if error else queue.complete(tx, job))
            run_at_ms: int = (await work.get(database, "every/sweep"))["run_at_ms"]
            in_ms, now_ms = run_at_ms - now_ms, max(now_ms, run_at_ms)
            return in_ms

        assert await next_round(10_000) == 50_000
        assert await next_round(clock.HOUR_MS) == clock.MINUTE_MS - clock.HOUR_MS, "due at once"
        assert await next_round(clock.HOUR_MS, "no") == clock.MINUTE_MS
        assert await next_round(-clock.HOUR_MS) == clock.MINUTE_MS


def _ahead(ms: int) -> AbstractContextManager[None]:
    """A clock that goes on as it should, but so much ahead."""
    begun_ms, begun = clock.now_ms(), clock.monotonic()
    return clock.use(lambda: begun_ms + ms + int((clock.monotonic() - begun) * 1000))


@pytest.mark.usefixtures("hurried")
async def test_a_clock_that_was_ahead_for_a_moment_stops_no_upkeep(database: Database) -> None:
    ran = 0

    async def sweep(run: Run) -> None:
        nonlocal ran
        ran += 1

    async def rounds(wanted: int) -> None:
        async with asyncio.timeout(60):
            while ran < wanted:
                await asyncio.sleep(0.01)

    with _ahead(30 * clock.DAY_MS):
        async with work.running(database, sweep, kind="sweep", every_ms=50):
            await rounds(2)
    assert (await work.get(database, "every/sweep"))["run_at_ms"] > clock.now_ms() + 29 * clock.DAY_MS
    async with work.running(database, sweep, kind="sweep", every_ms=50):
        await rounds(ran + 3)


async def test_a_lease_that_a_clock_ahead_has_written_is_not_waited_for(database: Database) -> None:
    job_id = await work.enqueue(database)
    with _ahead(30 * clock.DAY_MS):
        assert await work.claim(database, "lost") is not None
    again = await work.claim(database, "somebody")
    assert again is not None
    assert again.id == job_id


async def test_upkeep_cannot_be_cancelled(database: Database) -> None:
    async with database.write() as tx:
        await recurring.ensure(tx, "sweep", 1_000)
        assert not await operator.cancel_job(tx, "every/sweep")
    assert (await work.get(database, "every/sweep"))["status"] == "queued"
