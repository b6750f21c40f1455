"""The queue: a job is a row leased to one worker at a time, and only that worker can settle it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from sqlalchemy import func, select

from loremark.base import clock
from loremark.jobs import lanes, leases, operator, queue
from loremark.storage.database import Database
from loremark.storage.tables import jobs
from tests.jobs import work

pytestmark = pytest.mark.anyio

_START_MS = clock.now_ms()
_LEASE_MS = 30_000


async def test_job_is_enqueued_with_the_transaction_that_requests_it(database: Database) -> None:
    with suppress(LookupError):
        async with database.write() as tx:
            await queue.enqueue(tx, "mail", {"to": "nobody"})
            raise LookupError
    async with database.read() as tx:
        count = await tx.one(select(func.count().label("found")).select_from(jobs))
    assert count is not None
    assert count["found"] == 0
    assert await work.claim(database) is None
    job_id = await work.enqueue(database, "mail", to="ada@example.com", lines=["ä", 1, None])
    with clock.use(lambda: _START_MS + clock.HOUR_MS):
        claimed = await work.claim(database)
    assert claimed == queue.Job(
        id=job_id,
        kind="mail",
        payload={"to": "ada@example.com", "lines": ["ä", 1, None]},
        attempt=1,
        max_attempts=8,
        started_at_ms=_START_MS + clock.HOUR_MS,
    )


async def test_job_is_invisible_until_its_transaction_commits(database: Database, second_database: Database) -> None:
    """The other connection only reads, because a second SQLite writer would have to wait."""
    async with database.write() as tx:
        await queue.enqueue(tx, "mail", {})
        async with second_database.read() as other:
            assert await lanes.list_lanes(other) == []
    async with second_database.read() as other:
        assert [lane.name for lane in await lanes.list_lanes(other)] == ["/mail"]


async def test_concurrent_claims_never_share_a_job(database: Database) -> None:
    enqueued = {await work.enqueue(database, number=number) for number in range(12)}
    claims = await asyncio.gather(*(work.claim(database, f"worker {number}") for number in range(30)))
    while (late := await work.claim(database)) is not None:  # a claim that meets a locked row returns nothing
        claims.append(late)
    taken = [claimed.id for claimed in claims if claimed is not None]
    assert len(taken) == 12
    assert set(taken) == enqueued


async def test_longest_due_job_comes_first_and_none_runs_early(database: Database) -> None:
    now_ms = _START_MS
    with clock.use(lambda: now_ms):
        early = await work.enqueue(database)
        now_ms += 1_000
        late = await work.enqueue(database)
        first = await work.claim(database)
        assert first is not None
        assert first.id == early
        async with database.write() as tx:
            assert await queue.fail(tx, first, "not now", retry_in_ms=60_000)
        second = await work.claim(database)
        assert second is not None
        assert second.id == late
        async with database.write() as tx:
            assert await queue.complete(tx, second)
        assert await work.claim(database) is None
        async with database.read() as tx:
            assert await lanes.list_lanes(tx) == [lanes.Lane("/count", now_ms + 60_000)]
        now_ms += 60_000 - 1
        assert await work.claim(database) is None
        now_ms += 1
        again = await work.claim(database)
        assert again is not None
        assert (again.id, again.attempt) == (early, 2)


async def test_worker_that_lost_its_lease_can_settle_nothing(database: Database) -> None:
    now_ms = _START_MS
    with clock.use(lambda: now_ms):
        job_id = await work.enqueue(database)
        stalled = await work.claim(database, "stalled", _LEASE_MS)
        now_ms += _LEASE_MS
        assert await work.claim(database, "eager", _LEASE_MS) is None, "the lease is still valid"
        now_ms += 1
        taken_over = await work.claim(database, "eager", _LEASE_MS)
        assert stalled is not None
        assert taken_over is not None
        assert (taken_over.id, taken_over.attempt) == (job_id, 2)
        async with database.write() as tx:
            assert await queue.extend(tx, stalled, _LEASE_MS) is None
            assert await queue.checkpoint(tx, stalled, [queue.Stage("late")]) is None
            assert await queue.mark_cancelled(tx, stalled) is False
            assert await queue.complete(tx, stalled) is False
            assert await queue.fail(tx, stalled, "late", retry_in_ms=1) is False
            assert await queue.fail(tx, stalled, "late", retry_in_ms=None) is False
        row = await work.get(database, job_id)
        assert (row["status"], row["lease_owner"], row["error"]) == ("running", "eager", None)
        async with database.write() as tx:
            assert await queue.complete(tx, taken_over) is True
            assert await queue.complete(tx, taken_over) is False
        row = await work.get(database, job_id)
        assert (row["status"], row["finished_at_ms"], row["lease_owner"]) == ("completed", now_ms, None)
        now_ms += clock.DAY_MS
        assert await work.claim(database) is None


async def test_extended_lease_holds(database: Database) -> None:
    now_ms = _START_MS
    with clock.use(lambda: now_ms):
        await work.enqueue(database)
        mine = await work.claim(database, "slow", _LEASE_MS)
        assert mine is not None
        for _ in range(4):
            now_ms += _LEASE_MS - 1
            async with database.write() as tx:
                assert await queue.extend(tx, mine, _LEASE_MS) is False, "still held, with no cancellation requested"
            assert await work.claim(database, "other") is None
        async with database.write() as tx:
            assert await queue.complete(tx, mine) is True


async def test_failed_job_keeps_its_error_and_is_never_claimed_again(database: Database) -> None:
    now_ms = _START_MS
    with clock.use(lambda: now_ms):
        job_id = await work.enqueue(database)
        mine = await work.claim(database)
        assert mine is not None
        async with database.write() as tx:
            assert await queue.fail(tx, mine, "MailError: no route", retry_in_ms=None)
        row = await work.get(database, job_id)
        assert (row["status"], row["error"], row["finished_at_ms"]) == ("failed", "MailError: no route", now_ms)
        now_ms += 365 * clock.DAY_MS
        assert await work.claim(database) is None


async def test_job_that_kills_its_workers_fails_eventually(database: Database) -> None:
    """Each worker dies silently; after ``max_attempts`` leases the job must not kill another."""
    now_ms = _START_MS
    with clock.use(lambda: now_ms):
        job_id = await work.enqueue(database, max_attempts=3)
        for attempt in (1, 2, 3):
            claimed = await work.claim(database, f"victim {attempt}", _LEASE_MS)
            assert claimed is not None
            assert claimed.attempt == attempt
            now_ms += _LEASE_MS + 1
        assert await work.claim(database, "victim 4", _LEASE_MS) is None
        row = await work.get(database, job_id)
        assert row["status"] == "failed"
        assert row["error"]


async def test_cancelled_job_of_a_lost_worker_ends_as_cancelled(database: Database) -> None:
    now_ms = _START_MS
    with clock.use(lambda: now_ms):
        job_id = await work.enqueue(database)
        await work.claim(database, "lost", _LEASE_MS)
        async with database.write() as tx:
            assert await operator.cancel_job(tx, job_id)
        now_ms += _LEASE_MS + 1
        assert await work.claim(database) is None
        row = await work.get(database, job_id)
        assert (row["status"], row["finished_at_ms"], row["lease_owner"]) == ("cancelled", now_ms, None)


async def test_stopping_worker_releases_its_own_jobs_and_is_fenced(database: Database) -> None:
    job_id = await work.enqueue(database, max_attempts=1)
    mine = await work.claim(database, "mine")
    await work.enqueue(database)
    await work.claim(database, "another")
    assert mine is not None
    async with database.write() as tx:
        assert await leases.release_owned(tx, "mine") == 1
        assert not await queue.complete(tx, mine)
    again = await work.claim(database, "next")
    assert again is not None
    assert (again.id, again.attempt, again.max_attempts) == (job_id, 2, 2)
    async with database.write() as tx:
        assert not await queue.complete(tx, mine)
        assert await leases.release_owned(tx, "mine") == 0
        assert await queue.complete(tx, again)
