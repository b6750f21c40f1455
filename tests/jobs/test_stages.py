"""Stages: each is committed together with its effect, and completed stages are never repeated."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import msgspec
import pytest
from sqlalchemy import insert, select

from loremark.base import clock
from loremark.jobs import operator, queue
from loremark.jobs.run import Cancelled, LeaseLost, RetryLater, Run
from loremark.jobs.runner import JobKind, Runner
from loremark.storage.database import Database, Tx
from loremark.storage.tables import installation, jobs
from tests.jobs import work

pytestmark = pytest.mark.anyio

_STAGES = ("read", "think", "write")


async def _effect(tx: Tx, name: str) -> None:
    """Insert a row that can exist only once."""
    await tx.run(insert(installation).values(name=name, value="done"))


async def _effects(database: Database) -> set[str]:
    async with database.read() as tx:
        return {row["name"] for row in await tx.many(select(installation.c.name))}


async def _run_stages(run: Run) -> None:
    """The job of most of these tests: three stages, each with an effect that would fail if repeated."""
    for stage in _STAGES:
        if not run.is_done(stage):
            await run.begin(stage)
            async with run.finish(stage) as tx:
                await _effect(tx, stage)


async def _claim_run(database: Database, lease_ms: int = 30_000) -> Run:
    job = await work.claim(database, "a worker", lease_ms)
    assert job is not None
    return Run(database, job)


@pytest.mark.usefixtures("fast_runner")
async def test_job_resumes_at_the_next_stage_after_a_crash(database: Database) -> None:
    """The worker dies in the middle of its second stage, and its lease expires."""
    job_id = await work.enqueue(database, stages=_STAGES)
    dead = await _claim_run(database, lease_ms=100)
    async with dead.finish("read") as tx:
        await _effect(tx, "read")
    await dead.begin("think")
    assert await work.stages(database, job_id) == {"read": "completed", "think": "running", "write": "pending"}
    async with work.running(database, _run_stages):
        row = await work.wait_for(database, job_id, "completed")
    assert row["attempt"] == 2
    assert await work.stages(database, job_id) == dict.fromkeys(_STAGES, "completed")
    assert set(_STAGES) <= await _effects(database)


async def test_stage_and_its_effect_are_committed_atomically(database: Database) -> None:
    job_id = await work.enqueue(database, stages=_STAGES)
    run = await _claim_run(database)
    with suppress(LookupError):
        async with run.finish("read") as tx:
            await _effect(tx, "read")
            raise LookupError("half way")
    assert not run.is_done("read")
    assert (await work.stages(database, job_id))["read"] == "pending"
    assert "read" not in await _effects(database)
    async with run.finish("read") as tx:
        await _effect(tx, "read")
    assert run.is_done("read")
    assert (await work.stages(database, job_id))["read"] == "completed"
    assert "read" in await _effects(database)


async def test_worker_that_lost_the_lease_commits_nothing(database: Database) -> None:
    job_id = await work.enqueue(database, stages=_STAGES)
    late = await _claim_run(database)
    await late.begin("read")
    await work.steal(database, job_id, "thief")
    before = await work.get(database, job_id)
    with pytest.raises(LeaseLost):
        async with late.finish("read") as tx:
            await _effect(tx, "late")
    with pytest.raises(LeaseLost):
        await late.begin("think")
    async with database.write() as tx:
        await late.mark_failed(tx)
    after = await work.get(database, job_id)
    assert (after["stages"], after["lease_owner"]) == (before["stages"], "thief")
    assert "late" not in await _effects(database)


async def test_durations_are_whole_milliseconds_from_the_start_of_the_stage(database: Database) -> None:
    job_id = await work.enqueue(database, stages=["read"])
    run = await _claim_run(database)
    started = clock.monotonic()
    await run.begin("read")
    await asyncio.sleep(0.06)
    async with run.finish("read") as tx:
        await _effect(tx, "read")
    took_ms = (clock.monotonic() - started) * 1000
    (stage,) = msgspec.json.decode((await work.get(database, job_id))["stages"])
    assert set(stage) == {"stage", "status", "duration"}
    assert isinstance(stage["duration"], int)
    assert 55 <= stage["duration"] <= took_ms


@pytest.mark.usefixtures("fast_runner")
async def test_failed_stage_is_marked_and_a_retry_resumes_from_it(database: Database) -> None:
    model_available = False

    async def count(run: Run) -> None:
        if model_available:
            await _run_stages(run)
            return
        async with run.finish("read") as tx:
            await _effect(tx, "read")
        await run.begin("think")
        raise OSError("the model is asleep")

    job_id = await work.enqueue(database, stages=_STAGES, max_attempts=1)
    async with work.running(database, count):
        row = await work.wait_for(database, job_id, "failed")
        assert (row["error"], row["finished_at_ms"] is None) == ("OSError: the model is asleep", False)
        assert await work.stages(database, job_id) == {"read": "completed", "think": "failed", "write": "pending"}
        model_available = True
        async with database.write() as tx:
            assert await operator.retry_job(tx, job_id)
        row = await work.wait_for(database, job_id, "completed")
    assert (row["attempt"], row["error"]) == (2, None)
    assert await work.stages(database, job_id) == dict.fromkeys(_STAGES, "completed")


@pytest.mark.usefixtures("fast_runner")
async def test_requested_retry_delay_is_respected(database: Database) -> None:
    now_ms = 1_800_000_000_000

    async def count(run: Run) -> None:
        raise RetryLater("asked to come back", 3_600_000)

    with clock.use(lambda: now_ms):
        job_id = await work.enqueue(database)
        async with work.running(database, count):
            async with asyncio.timeout(60):
                while (row := await work.get(database, job_id))["error"] is None:
                    await asyncio.sleep(0.01)
            assert (row["status"], row["error"]) == ("queued", "asked to come back")
            assert row["run_at_ms"] == now_ms + 3_600_000
            now_ms += 3_599_999
            await asyncio.sleep(0.2)
            assert (await work.get(database, job_id))["attempt"] == 1
            now_ms += 1
            async with asyncio.timeout(60):
                while (await work.get(database, job_id))["attempt"] == 1:
                    await asyncio.sleep(0.01)


@pytest.mark.usefixtures("fast_runner")
async def test_cancelled_job_ends_at_its_next_stage(database: Database) -> None:
    cancel_requested, ended = asyncio.Event(), asyncio.Event()

    async def count(run: Run) -> None:
        async with run.finish("read") as tx:
            await _effect(tx, "read")
        await cancel_requested.wait()
        try:
            async with run.finish("think") as tx:
                await _effect(tx, "think")
        except Cancelled:
            ended.set()
            raise

    job_id = await work.enqueue(database, stages=_STAGES)
    async with work.running(database, count):
        async with asyncio.timeout(60):
            while (await work.stages(database, job_id))["read"] != "completed":
                await asyncio.sleep(0.01)
        async with database.write() as tx:
            assert await operator.cancel_job(tx, job_id)
        cancel_requested.set()
        row = await work.wait_for(database, job_id, "cancelled")
    assert ended.is_set()
    assert (row["attempt"], row["lease_owner"]) == (1, None)
    assert await _effects(database) & set(_STAGES) == {"read"}


@pytest.mark.usefixtures("fast_runner")
async def test_job_that_fails_after_cancellation_is_not_retried(database: Database) -> None:
    """A job without stages has no checkpoint, so the cancellation takes effect when it ends."""
    cancel_requested = asyncio.Event()
    attempts: list[int] = []

    async def count(run: Run) -> None:
        attempts.append(run.job.attempt)
        await cancel_requested.wait()
        raise OSError("no route")

    job_id = await work.enqueue(database)
    async with work.running(database, count):
        await work.wait_for(database, job_id, "running")
        async with database.write() as tx:
            assert await operator.cancel_job(tx, job_id)
        cancel_requested.set()
        await work.wait_for(database, job_id, "cancelled", 3)
    assert attempts == [1]


@pytest.mark.usefixtures("fast_runner")
@pytest.mark.parametrize("message", ["a\x00b", "half a pair \ud800", "x" * 5_000], ids=["nul", "surrogate", "long"])
async def test_any_error_message_is_stored(database: Database, message: str) -> None:
    async def count(run: Run) -> None:
        raise ValueError(message)

    async with work.running(database, count):
        job_id = await work.enqueue(database, max_attempts=1)
        row = await work.wait_for(database, job_id, "failed", 3)
    assert row["error"].startswith("ValueError: ")
    assert len(row["error"]) <= 1_000
    assert row["attempt"] == 1


async def test_result_is_stored_with_the_job(database: Database) -> None:
    async def count(run: Run) -> None:
        async with run.finish("count") as tx:
            await run.save_result(tx, {"facts": 3, "note": "Höhle"})

    async with work.running(database, count):
        job_id = await work.enqueue(database)
        row = await work.wait_for(database, job_id, "completed")
    assert msgspec.json.decode(row["result"]) == {"facts": 3, "note": "Höhle"}


async def test_job_with_a_given_id_is_enqueued_once(database: Database) -> None:
    async with database.write() as tx:
        assert await queue.enqueue(tx, "count", {"number": 1}, job_id="job_one") == "job_one"
        await queue.enqueue(tx, "count", {"number": 2}, job_id="job_one")
    job = await work.claim(database)
    assert job is not None
    assert job.payload == {"number": 1}
    assert await work.claim(database) is None


@pytest.mark.usefixtures("fast_runner")
async def test_on_failed_is_called_once_with_the_final_failure(database: Database) -> None:
    calls: list[tuple[int, str]] = []

    async def count(run: Run) -> None:
        raise RetryLater("no luck", 1)

    async def on_failed(tx: Tx, job: queue.Job, error: str) -> None:
        row = await tx.one(select(jobs).where(jobs.c.id == job.id))
        assert row is not None
        assert row["status"] == "failed"
        calls.append((job.attempt, error))

    runner = Runner(database, {"count": JobKind(count, on_failed=on_failed)}, work.FAST_TIMING)
    runner.start()
    try:
        job_id = await work.enqueue(database, max_attempts=3)
        await work.wait_for(database, job_id, "failed", 5)
    finally:
        await runner.stop()
    assert calls == [(3, "no luck")]


async def test_step_of_a_lost_job_is_not_committed(database: Database) -> None:
    job_id = await work.enqueue(database)
    job = await work.claim(database)
    assert job is not None
    run = Run(database, job)
    await work.steal(database, job_id, "another")
    with pytest.raises(LeaseLost):
        async with run.step() as tx:
            await queue.enqueue(tx, "count", {}, job_id="job_never")
    with pytest.raises(LeaseLost):
        async with database.write() as tx:
            await run.save_result(tx, {"facts": 1})
