"""The runner: runs each job once, retries failures, takes over expired leases, and survives database outages."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.jobs import lanes, operator, queue
from loremark.jobs import runner as runner_module
from loremark.jobs.run import Run
from loremark.jobs.runner import RunnerTiming, Work, retry_delay_ms
from loremark.storage.database import Database
from loremark.storage.tables import jobs
from tests.jobs import weather, work
from tests.jobs.work import running

pytestmark = pytest.mark.anyio


class NoHeartbeat(RunnerTiming):
    """Timing without heartbeats."""

    @property
    def heartbeat_s(self) -> float:
        return 60.0


async def test_two_runners_share_fifty_jobs_and_none_runs_twice(database: Database, second_database: Database) -> None:
    ran: Counter[str] = Counter()
    per_worker: Counter[str] = Counter()

    def worker(name: str) -> Work:
        async def count(run: Run) -> None:
            ran[run.job.id] += 1
            per_worker[name] += 1
            await asyncio.sleep(0.005)

        return count

    job_ids = [await work.enqueue(database, number=number) for number in range(50)]
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running(database, worker("one")))
        await stack.enter_async_context(running(second_database, worker("two")))
        for job_id in job_ids:
            await work.wait_for(database, job_id, "completed", 20)
    assert ran == Counter(dict.fromkeys(job_ids, 1))
    assert set(per_worker) == {"one", "two"}


async def test_new_job_starts_without_waiting_for_the_next_poll(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "_POLL_S", 3600.0)
    started: asyncio.Queue[str] = asyncio.Queue()

    async def count(run: Run) -> None:
        started.put_nowait(run.job.id)

    async with running(database, count):
        for _ in range(2):
            job_id = await work.enqueue(database)
            assert await asyncio.wait_for(started.get(), 60) == job_id
            await asyncio.sleep(0.1)  # the runner is idle and waits for a signal now


async def test_concurrency_limit_is_respected(database: Database) -> None:
    active = 0
    peak = 0
    all_busy = asyncio.Event()

    async def count(run: Run) -> None:
        nonlocal active, peak
        active += 1
        peak = max(peak, active)
        if active == 3:
            all_busy.set()
        await asyncio.wait_for(all_busy.wait(), 60)
        await asyncio.sleep(0.02)
        active -= 1

    job_ids = [await work.enqueue(database) for _ in range(12)]
    async with running(database, count, concurrency=3):
        for job_id in job_ids:
            await work.wait_for(database, job_id, "completed")
    assert peak == 3


@pytest.mark.usefixtures("fast_runner")
async def test_failing_job_is_retried_with_growing_delays(database: Database) -> None:
    started_at: list[float] = []

    async def count(run: Run) -> None:
        started_at.append(clock.monotonic())
        if run.job.attempt < 4:
            raise OSError(f"failed attempt {run.job.attempt}")

    async with running(database, count):
        job_id = await work.enqueue(database)
        row = await work.wait_for(database, job_id, "completed")
    pauses = [later - earlier for earlier, later in pairwise(started_at)]
    assert row["attempt"] == 4
    assert [pause > minimum for pause, minimum in zip(pauses, (0.045, 0.09, 0.18), strict=True)] == [True] * 3
    assert row["error"] is None


def test_backoff_doubles_with_jitter_up_to_fifteen_minutes() -> None:
    for attempt, plain_ms in ((1, 2_000), (2, 4_000), (5, 32_000), (40, 900_000), (10_000, 900_000)):
        delays = [retry_delay_ms(attempt) for _ in range(200)]
        assert all(0.75 * plain_ms <= delay <= 1.25 * plain_ms for delay in delays)
        assert len(set(delays)) > 50


@pytest.mark.usefixtures("fast_runner")
async def test_job_fails_with_its_error_after_the_last_attempt(database: Database) -> None:
    attempts: list[int] = []

    async def count(run: Run) -> None:
        attempts.append(run.job.attempt)
        raise OSError("no such host")

    async with running(database, count):
        job_id = await work.enqueue(database, max_attempts=3)
        row = await work.wait_for(database, job_id, "failed")
        assert (row["error"], row["attempt"]) == ("OSError: no such host", 3)
        assert row["finished_at_ms"] is not None
        await asyncio.sleep(0.2)
    assert attempts == [1, 2, 3]


@pytest.mark.usefixtures("fast_runner")
async def test_unknown_kind_waits_without_blocking_others(database: Database, second_database: Database) -> None:
    """It may come from a newer version, whose process will run it."""

    async def count(run: Run) -> None:
        pass

    unknown = await work.enqueue(database, "from the future", max_attempts=1)
    async with running(database, count):
        known = [await work.enqueue(database) for _ in range(3)]
        for job_id in known:
            await work.wait_for(database, job_id, "completed")
        assert (await work.get(database, unknown))["attempt"] == 0
        async with running(second_database, count, kind="from the future"):
            await work.wait_for(database, unknown, "completed")


@pytest.mark.usefixtures("fast_runner")
async def test_job_of_a_dead_worker_is_taken_over_after_the_lease(database: Database) -> None:
    ran: list[tuple[str, int]] = []

    async def count(run: Run) -> None:
        ran.append((run.job.id, run.job.attempt))

    job_id = await work.enqueue(database)
    dead = await work.claim(database, "gone", lease_ms=300)
    assert dead is not None
    lease_until = clock.monotonic() + 0.25
    async with running(database, count):
        await work.wait_for(database, job_id, "completed")
    assert clock.monotonic() > lease_until
    assert ran == [(job_id, 2)]


@pytest.mark.usefixtures("fast_runner")
async def test_long_job_keeps_its_lease(database: Database, second_database: Database) -> None:
    attempts: list[int] = []

    async def count(run: Run) -> None:
        attempts.append(run.job.attempt)
        await asyncio.sleep(2.5)  # more than two leases

    timing = RunnerTiming(lease_ms=1_000)  # long enough for three heartbeats on a slow machine
    async with running(database, count, timing=timing), running(second_database, count, timing=timing):
        job_id = await work.enqueue(database)
        row = await work.wait_for(database, job_id, "completed")
    assert attempts == [1]
    assert row["attempt"] == 1


@pytest.mark.usefixtures("fast_runner")
async def test_stalled_worker_cannot_settle_its_job(database: Database, second_database: Database) -> None:
    """Its heartbeat stops and another worker does the job; when it wakes up, its result is discarded."""
    wake_up = asyncio.Event()
    finished: list[str] = []

    async def stall(run: Run) -> None:
        await wake_up.wait()
        finished.append(f"stalled, attempt {run.job.attempt}")
        raise OSError("too late to fail")

    async def swift(run: Run) -> None:
        finished.append(f"swift, attempt {run.job.attempt}")

    job_id = await work.enqueue(database)
    async with running(database, stall, concurrency=1, timing=NoHeartbeat(lease_ms=400)):
        await work.wait_for(database, job_id, "running")
        async with running(second_database, swift):
            before = await work.wait_for(database, job_id, "completed")
        wake_up.set()
        await asyncio.sleep(0.1)
        after = await work.get(database, job_id)
    assert finished == ["swift, attempt 2", "stalled, attempt 1"]
    for column in jobs.columns:
        assert after[column.name] == before[column.name]


@pytest.mark.usefixtures("fast_runner")
async def test_worker_stops_when_it_loses_its_lease(database: Database) -> None:
    """The lease is lost while heartbeats continue (after a clock jump, say): the next heartbeat cancels the work."""
    stopped = asyncio.Event()

    async def count(run: Run) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with running(database, count):
        job_id = await work.enqueue(database)
        await work.wait_for(database, job_id, "running")
        await work.steal(database, job_id, "thief")
        await asyncio.wait_for(stopped.wait(), 60)
        row = await work.get(database, job_id)
        assert (row["status"], row["lease_owner"]) == ("running", "thief")


async def test_interrupted_job_resumes_at_once_after_shutdown(database: Database) -> None:
    """It resumes from the stage it had reached, although its lease is still valid and this was its last attempt."""
    started: list[tuple[int, bool]] = []
    entered = asyncio.Event()

    async def count(run: Run) -> None:
        started.append((run.job.attempt, run.is_done("read")))
        if run.job.attempt == 1:
            async with run.finish("read"):
                pass
            entered.set()
            await asyncio.Event().wait()

    timing = RunnerTiming(grace_s=0.05)
    async with running(database, count, timing=timing):
        job_id = await work.enqueue(database, max_attempts=1, stages=["read"])
        await asyncio.wait_for(entered.wait(), 60)
    row = await work.get(database, job_id)
    assert (row["status"], row["lease_owner"], row["error"]) == ("queued", None, None)
    async with running(database, count, timing=timing):
        await work.wait_for(database, job_id, "completed", 5)
    assert started == [(1, False), (2, True)]


async def test_shutdown_lets_a_job_finish_and_does_not_revive_a_cancelled_one(database: Database) -> None:
    entered = asyncio.Semaphore(0)

    async def count(run: Run) -> None:
        entered.release()
        await (asyncio.Event().wait() if run.payload else asyncio.sleep(0.1))

    async with running(database, count, timing=RunnerTiming(grace_s=1.5)):
        brief = await work.enqueue(database)
        unwanted = await work.enqueue(database, number=1)
        for _ in range(2):
            await asyncio.wait_for(entered.acquire(), 60)
        async with database.write() as tx:
            assert await operator.cancel_job(tx, unwanted)
    assert (await work.get(database, brief))["status"] == "completed"
    assert (await work.get(database, unwanted))["status"] == "cancelled"


async def test_undecodable_job_fails_and_jobs_behind_it_run(database: Database) -> None:
    async def count(run: Run) -> None:
        pass

    broken = {name: await work.enqueue(database) for name in ("payload", "stages")}
    async with database.write() as tx:
        for column, job_id in broken.items():
            await tx.run(jobs.update().where(jobs.c.id == job_id).values({column: "[1"}))
    behind = await work.enqueue(database)
    async with running(database, count):
        await work.wait_for(database, behind, "completed", 5)
    for job_id in broken.values():
        row = await work.get(database, job_id)
        assert (row["status"], row["lease_owner"]) == ("failed", None)
        assert row["error"].startswith("cannot decode the job: ")


@pytest.mark.usefixtures("fast_runner")
async def test_internal_error_does_not_stop_the_runner(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def count(run: Run) -> None:
        pass

    async def broken(*_: object) -> list[lanes.Lane]:
        raise LookupError("a bug")

    monkeypatch.setattr(runner_module, "_PAUSE_S", 0.01)
    async with running(database, count) as runner:
        with monkeypatch.context() as bug:
            bug.setattr(lanes, "list_lanes", broken)
            job_id = await work.enqueue(database)
            await asyncio.sleep(0.1)
            assert runner.alive
        await work.wait_for(database, job_id, "completed", 5)


async def test_delayed_job_starts_on_time(database: Database) -> None:
    """Both on an idle runner and on one that another job wakes in the meantime."""
    started: asyncio.Queue[float] = asyncio.Queue()

    async def count(run: Run) -> None:
        if run.payload:
            started.put_nowait(clock.monotonic())

    async with running(database, count, timing=RunnerTiming()):
        for other_job in (False, True):
            await asyncio.sleep(0.1)  # the runner is idle
            before = clock.monotonic()
            async with database.write() as tx:
                await queue.enqueue(tx, "count", {"late": True}, run_at_ms=clock.now_ms() + 300)
            if other_job:
                await work.enqueue(database)
            assert await asyncio.wait_for(started.get(), 60) - before > 0.29


async def test_no_signal_is_missed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs arrive at any moment, even while others end and the runner polls; the next regular poll is far away."""
    monkeypatch.setattr(runner_module, "_POLL_S", 600.0)

    async def count(run: Run) -> None:
        await asyncio.sleep(run.payload["pause_s"])

    async with running(database, count, timing=RunnerTiming()):
        for number in range(40):
            job_ids = [await work.enqueue(database, pause_s=number % 7 / 2000) for _ in range(1 + number % 3)]
            await asyncio.sleep(number % 5 / 1000)
            for job_id in job_ids:
                await work.wait_for(database, job_id, "completed", 5)


@pytest.mark.usefixtures("fast_runner")
@pytest.mark.parametrize(("engine", "outage"), weather.OUTAGES, indirect=["engine"])
async def test_runner_survives_database_outages(
    address: str | Path, database: Database, outage: weather.Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing runs while the database is unavailable; everything runs afterwards."""
    weather.shorten_timeouts(monkeypatch)
    done: list[str] = []

    async def count(run: Run) -> None:
        done.append(run.job.id)

    before = await work.enqueue(database)
    async with running(database, count):
        await work.wait_for(database, before, "completed")
        async with outage(address):
            await asyncio.sleep(0.3)
        async with asyncio.timeout(60):
            after = await weather.retry_until_available(lambda: work.enqueue(database))
        await work.wait_for(database, after, "completed", 5)
    assert done.count(after) == 1
