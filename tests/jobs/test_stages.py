"""Stages: each is committed together with its effect, and what is done is not done again, whatever happens between."""

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
    """A row that can be there only once."""
    await tx.run(insert(installation).values(name=name, value="done"))


async def _effects(database: Database) -> set[str]:
    async with database.read() as tx:
        return {row["name"] for row in await tx.many(select(installation.c.name))}


async def _steps(run: Run) -> None:
    """The work of most of these tests: three stages, each with an effect that would fail if it happened twice."""
    for stage in _STAGES:
        if not run.is_done(stage):
            await run.begin(stage)
            async with run.finish(stage) as tx:
                await _effect(tx, stage)


async def _claimed(database: Database, lease_ms: int = 30_000) -> Run:
    job = await work.claim(database, "a worker", lease_ms)
    assert job is not None
    return Run(database, job)


@pytest.mark.usefixtures("hurried")
async def test_a_job_goes_on_at_the_next_stage_after_a_crash(database: Database) -> None:
    """The worker is gone after its first stage and in the middle of its second; its lease runs out."""
    job_id = await work.enqueue(database, stages=_STAGES)
    gone = await _claimed(database, lease_ms=100)
    async with gone.finish("read") as tx:
        await _effect(tx, "read")
    await gone.begin("think")
    assert await work.stages(database, job_id) == {"read": "completed", "think": "running", "write": "pending"}
    async with work.running(database, _steps):
        row = await work.until(database, job_id, "completed")
    assert row["attempt"] == 2
    assert await work.stages(database, job_id) == dict.fromkeys(_STAGES, "completed")
    assert set(_STAGES) <= await _effects(database)


async def test_a_stage_and_its_effect_are_committed_together_or_not_at_all(database: Database) -> None:
    job_id = await work.enqueue(database, stages=_STAGES)
    run = await _claimed(database)
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


async def test_who_lost_the_lease_commits_nothing(database: Database) -> None:
    job_id = await work.enqueue(database, stages=_STAGES)
    late = await _claimed(database)
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


async def test_durations_are_whole_milliseconds_from_the_beginning_of_the_stage(database: Database) -> None:
    job_id = await work.enqueue(database, stages=["read"])
    run = await _claimed(database)
    begun = clock.monotonic()
    await run.begin("read")
    await asyncio.sleep(0.06)
    async with run.finish("read") as tx:
        await _effect(tx, "read")
    took_ms = (clock.monotonic() - begun) * 1000
    (stage,) = msgspec.json.decode((await work.get(database, job_id))["stages"])
    assert set(stage) == {"stage", "status", "duration"}
    assert isinstance(stage["duration"], int)
    assert 55 <= stage["duration"] <= took_ms


@pytest.mark.usefixtures("hurried")
async def test_the_stage_that_failed_is_marked_and_a_retry_goes_on_from_it(database: Database) -> None:
    good_weather = False

    async def count(run: Run) -> None:
        if good_weather:
            await _steps(run)
            return
        async with run.finish("read") as tx:
            await _effect(tx, "read")
        await run.begin("think")
        raise OSError("the model is asleep")

    job_id = await work.enqueue(database, stages=_STAGES, max_attempts=1)
    async with work.running(database, count):
        row = await work.until(database, job_id, "failed")
        assert (row["error"], row["finished_at_ms"] is None) == ("OSError: the model is asleep", False)
        assert await work.stages(database, job_id) == {"read": "completed", "think": "failed", "write": "pending"}
        good_weather = True
        async with database.write() as tx:
            assert await operator.retry_job(tx, job_id)
        row = await work.until(database, job_id, "completed")
    assert (row["attempt"], row["error"]) == (2, None)
    assert await work.stages(database, job_id) == dict.fromkeys(_STAGES, "completed")


@pytest.mark.usefixtures("hurried")
async def test_the_delay_that_the_work_asked_for_is_kept(database: Database) -> None:
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


@pytest.mark.usefixtures("hurried")
async def test_a_running_job_ends_at_its_next_stage_when_it_is_cancelled(database: Database) -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def count(run: Run) -> None:
        async with run.finish("read") as tx:
            await _effect(tx, "read")
        await asked.wait()
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
        asked.set()
        row = await work.until(database, job_id, "cancelled")
    assert ended.is_set()
    assert (row["attempt"], row["lease_owner"]) == (1, None)
    assert await _effects(database) & set(_STAGES) == {"read"}


@pytest.mark.usefixtures("hurried")
async def test_a_job_that_fails_after_it_was_cancelled_does_not_come_back(database: Database) -> None:
    """Work without stages meets no checkpoint: the wish is met at its end."""
    asked = asyncio.Event()
    attempts: list[int] = []

    async def count(run: Run) -> None:
        attempts.append(run.job.attempt)
        await asked.wait()
        raise OSError("no route")

    job_id = await work.enqueue(database)
    async with work.running(database, count):
        await work.until(database, job_id, "running")
        async with database.write() as tx:
            assert await operator.cancel_job(tx, job_id)
        asked.set()
        await work.until(database, job_id, "cancelled", 3)
    assert attempts == [1]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("words", ["a\x00b", "half a pair \ud800", "x" * 5_000], ids=["nul", "surrogate", "long"])
async def test_an_error_of_any_words_is_written_down(database: Database, words: str) -> None:
    async def count(run: Run) -> None:
        raise ValueError(words)

    async with work.running(database, count):
        job_id = await work.enqueue(database, max_attempts=1)
        row = await work.until(database, job_id, "failed", 3)
    assert row["error"].startswith("ValueError: ")
    assert len(row["error"]) <= 1_000
    assert row["attempt"] == 1


async def test_the_result_is_kept_with_the_job(database: Database) -> None:
    async def count(run: Run) -> None:
        async with run.finish("count") as tx:
            await run.save_result(tx, {"facts": 3, "note": "Höhle"})

    async with work.running(database, count):
        job_id = await work.enqueue(database)
        row = await work.until(database, job_id, "completed")
    assert msgspec.json.decode(row["result"]) == {"facts": 3, "note": "Höhle"}


async def test_a_promise_with_a_given_name_is_made_once(database: Database) -> None:
    async with database.write() as tx:
        assert await queue.enqueue(tx, "count", {"number": 1}, job_id="job_one") == "job_one"
        await queue.enqueue(tx, "count", {"number": 2}, job_id="job_one")
    job = await work.claim(database)
    assert job is not None
    assert job.payload == {"number": 1}
    assert await work.claim(database) is None


@pytest.mark.usefixtures("hurried")
async def test_whoever_is_told_of_a_job_given_up_is_told_once_and_with_its_end(database: Database) -> None:
    told: list[tuple[int, str]] = []

    async def count(run: Run) -> None:
        raise RetryLater("no luck", 1)

    async def given_up(tx: Tx, job: queue.Job, error: str) -> None:
        row = await tx.one(select(jobs).where(jobs.c.id == job.id))
        assert row is not None
        assert row["status"] == "failed"
        told.append((job.attempt, error))

    runner = Runner(database, {"count": JobKind(count, on_failed=given_up)}, work.HURRIED)
    runner.start()
    try:
        job_id = await work.enqueue(database, max_attempts=3)
        await work.until(database, job_id, "failed", 5)
    finally:
        await runner.stop()
    assert told == [(3, "no luck")]


async def test_a_step_of_a_job_that_was_lost_is_not_committed(database: Database) -> None:
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
