"""The runner: every job once, again after a failure, taken over from the dead, and on through bad weather."""

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


class Heartless(RunnerTiming):
    """A worker whose heart does not beat."""

    @property
    def heartbeat_s(self) -> float:
        return 60.0


async def test_two_runners_share_fifty_jobs_and_none_runs_twice(database: Database, second_database: Database) -> None:
    ran: Counter[str] = Counter()
    by: Counter[str] = Counter()

    def worker(name: str) -> Work:
        async def count(run: Run) -> None:
            ran[run.job.id] += 1
            by[name] += 1
            await asyncio.sleep(0.005)

        return count

    made = [await work.enqueue(database, number=number) for number in range(50)]
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running(database, worker("one")))
        await stack.enter_async_context(running(second_database, worker("two")))
        for job_id in made:
            await work.until(database, job_id, "completed", 20)
    assert ran == Counter(dict.fromkeys(made, 1))
    assert set(by) == {"one", "two"}


async def test_a_new_job_begins_without_waiting_for_the_next_poll(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "_POLL_S", 3600.0)
    begun: asyncio.Queue[str] = asyncio.Queue()

    async def count(run: Run) -> None:
        begun.put_nowait(run.job.id)

    async with running(database, count):
        for _ in range(2):
            job_id = await work.enqueue(database)
            assert await asyncio.wait_for(begun.get(), 60) == job_id
            await asyncio.sleep(0.1)  # the runner is idle and waits for a signal now


async def test_no_more_run_at_once_than_there_are_places(database: Database) -> None:
    under_way = 0
    most = 0
    all_taken = asyncio.Event()

    async def count(run: Run) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 3:
            all_taken.set()
        await asyncio.wait_for(all_taken.wait(), 60)
        await asyncio.sleep(0.02)
        under_way -= 1

    made = [await work.enqueue(database) for _ in range(12)]
    async with running(database, count, concurrency=3):
        for job_id in made:
            await work.until(database, job_id, "completed")
    assert most == 3


@pytest.mark.usefixtures("hurried")
async def test_a_job_that_fails_comes_back_later_and_later(database: Database) -> None:
    at: list[float] = []

    async def count(run: Run) -> None:
        at.append(clock.monotonic())
        if run.job.attempt < 4:
            raise OSError(f"the weather is bad, {run.job.attempt}")

    async with running(database, count):
        job_id = await work.enqueue(database)
        row = await work.until(database, job_id, "completed")
    pauses = [later - earlier for earlier, later in pairwise(at)]
    assert row["attempt"] == 4
    assert [pause > least for pause, least in zip(pauses, (0.045, 0.09, 0.18), strict=True)] == [True] * 3
    assert row["error"] is None


def test_the_back_off_doubles_with_jitter_up_to_a_quarter_of_an_hour() -> None:
    for attempt, plain_ms in ((1, 2_000), (2, 4_000), (5, 32_000), (40, 900_000), (10_000, 900_000)):
        delays = [retry_delay_ms(attempt) for _ in range(200)]
        assert all(0.75 * plain_ms <= delay <= 1.25 * plain_ms for delay in delays)
        assert len(set(delays)) > 50


@pytest.mark.usefixtures("hurried")
async def test_after_the_last_attempt_the_job_has_failed_with_its_error(database: Database) -> None:
    attempts: list[int] = []

    async def count(run: Run) -> None:
        attempts.append(run.job.attempt)
        raise OSError("no such host")

    async with running(database, count):
        job_id = await work.enqueue(database, max_attempts=3)
        row = await work.until(database, job_id, "failed")
        assert (row["error"], row["attempt"]) == ("OSError: no such host", 3)
        assert row["finished_at_ms"] is not None
        await asyncio.sleep(0.2)
    assert attempts == [1, 2, 3]


@pytest.mark.usefixtures("hurried")
async def test_a_kind_nobody_knows_here_waits_without_stopping_the_others(
    database: Database, second_database: Database
) -> None:
    """It may be from a newer version, whose process will take it."""

    async def count(run: Run) -> None:
        pass

    unknown = await work.enqueue(database, "from the future", max_attempts=1)
    async with running(database, count):
        known = [await work.enqueue(database) for _ in range(3)]
        for job_id in known:
            await work.until(database, job_id, "completed")
        assert (await work.get(database, unknown))["attempt"] == 0
        async with running(second_database, count, kind="from the future"):
            await work.until(database, unknown, "completed")


@pytest.mark.usefixtures("hurried")
async def test_a_job_whose_worker_is_gone_is_taken_over_after_the_lease(database: Database) -> None:
    ran: list[tuple[str, int]] = []

    async def count(run: Run) -> None:
        ran.append((run.job.id, run.job.attempt))

    job_id = await work.enqueue(database)
    gone = await work.claim(database, "gone", lease_ms=300)
    assert gone is not None
    lease_until = clock.monotonic() + 0.25
    async with running(database, count):
        await work.until(database, job_id, "completed")
    assert clock.monotonic() > lease_until
    assert ran == [(job_id, 2)]


@pytest.mark.usefixtures("hurried")
async def test_a_long_job_keeps_its_lease(database: Database, second_database: Database) -> None:
    attempts: list[int] = []

    async def count(run: Run) -> None:
        attempts.append(run.job.attempt)
        await asyncio.sleep(2.5)  # more than two leases

    unhurried = RunnerTiming(lease_ms=1_000)  # three beats within it, though the machine may be slow and shared
    async with running(database, count, timing=unhurried), running(second_database, count, timing=unhurried):
        job_id = await work.enqueue(database)
        row = await work.until(database, job_id, "completed")
    assert attempts == [1]
    assert row["attempt"] == 1


@pytest.mark.usefixtures("hurried")
async def test_a_stalled_worker_comes_too_late(database: Database, second_database: Database) -> None:
    """Its heart stops beating; another does the work; when it wakes up, its result counts for nothing."""
    wake_up = asyncio.Event()
    finished: list[str] = []

    async def stall(run: Run) -> None:
        await wake_up.wait()
        finished.append(f"stalled, attempt {run.job.attempt}")
        raise OSError("too late to fail")

    async def swift(run: Run) -> None:
        finished.append(f"swift, attempt {run.job.attempt}")

    job_id = await work.enqueue(database)
    async with running(database, stall, concurrency=1, timing=Heartless(lease_ms=400)):
        await work.until(database, job_id, "running")
        async with running(second_database, swift):
            before = await work.until(database, job_id, "completed")
        wake_up.set()
        await asyncio.sleep(0.1)
        after = await work.get(database, job_id)
    assert finished == ["swift, attempt 2", "stalled, attempt 1"]
    for column in jobs.columns:
        assert after[column.name] == before[column.name]


@pytest.mark.usefixtures("hurried")
async def test_a_worker_that_learns_of_its_lost_lease_stops(database: Database) -> None:
    """The lease is lost while the heart still beats (the clock jumped, say): the work is cancelled at the next beat."""
    stopped = asyncio.Event()

    async def count(run: Run) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with running(database, count):
        job_id = await work.enqueue(database)
        await work.until(database, job_id, "running")
        await work.steal(database, job_id, "thief")
        await asyncio.wait_for(stopped.wait(), 60)
        row = await work.get(database, job_id)
        assert (row["status"], row["lease_owner"]) == ("running", "thief")


async def test_what_is_under_way_at_the_stop_goes_on_at_once_elsewhere(database: Database) -> None:
    """Though its lease would hold for half a minute, from the stage it had reached, and at its last attempt."""
    begun: list[tuple[int, bool]] = []
    entered = asyncio.Event()

    async def count(run: Run) -> None:
        begun.append((run.job.attempt, run.is_done("read")))
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
        await work.until(database, job_id, "completed", 5)
    assert begun == [(1, False), (2, True)]


async def test_a_stop_lets_a_job_end_and_does_not_revive_a_cancelled_one(database: Database) -> None:
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


async def test_a_job_that_cannot_be_read_has_failed_and_those_behind_it_run(database: Database) -> None:
    async def count(run: Run) -> None:
        pass

    broken = {name: await work.enqueue(database) for name in ("payload", "stages")}
    async with database.write() as tx:
        for column, job_id in broken.items():
            await tx.run(jobs.update().where(jobs.c.id == job_id).values({column: "[1"}))
    behind = await work.enqueue(database)
    async with running(database, count):
        await work.until(database, behind, "completed", 5)
    for job_id in broken.values():
        row = await work.get(database, job_id)
        assert (row["status"], row["lease_owner"]) == ("failed", None)
        assert row["error"].startswith("cannot decode the job: ")


@pytest.mark.usefixtures("hurried")
async def test_a_fault_of_our_own_does_not_end_the_runner(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
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
        await work.until(database, job_id, "completed", 5)


async def test_a_job_for_later_begins_at_its_time_although_nothing_else_happens(database: Database) -> None:
    """And while another comes and goes meanwhile, whose signal and end wake the runner."""
    begun: asyncio.Queue[float] = asyncio.Queue()

    async def count(run: Run) -> None:
        if run.payload:
            begun.put_nowait(clock.monotonic())

    async with running(database, count, timing=RunnerTiming()):
        for company in (False, True):
            await asyncio.sleep(0.1)  # the runner is idle
            before = clock.monotonic()
            async with database.write() as tx:
                await queue.enqueue(tx, "count", {"late": True}, run_at_ms=clock.now_ms() + 300)
            if company:
                await work.enqueue(database)
            assert await asyncio.wait_for(begun.get(), 60) - before > 0.29


async def test_no_signal_is_missed_whenever_it_comes(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs asked for at any moment, also while others end and the runner looks; a regular look is far away."""
    monkeypatch.setattr(runner_module, "_POLL_S", 600.0)

    async def count(run: Run) -> None:
        await asyncio.sleep(run.payload["pause_s"])

    async with running(database, count, timing=RunnerTiming()):
        for number in range(40):
            made = [await work.enqueue(database, pause_s=number % 7 / 2000) for _ in range(1 + number % 3)]
            await asyncio.sleep(number % 5 / 1000)
            for job_id in made:
                await work.until(database, job_id, "completed", 5)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("engine", "storm"), weather.STORMS, indirect=["engine"])
async def test_the_runner_survives_bad_weather(
    address: str | Path, database: Database, storm: weather.Storm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is away for a while: nothing runs meanwhile, then everything does."""
    weather.hurry(monkeypatch)
    done: list[str] = []

    async def count(run: Run) -> None:
        done.append(run.job.id)

    before = await work.enqueue(database)
    async with running(database, count):
        await work.until(database, before, "completed")
        async with storm(address):
            await asyncio.sleep(0.3)
        async with asyncio.timeout(60):
            after = await weather.outlast(lambda: work.enqueue(database))
        await work.until(database, after, "completed", 5)
    assert done.count(after) == 1
