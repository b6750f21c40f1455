"""Helpers to enqueue, claim, inspect, wait for and run jobs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from sqlalchemy import select, update

from loremark.base import clock
from loremark.jobs import lanes, leases, queue
from loremark.jobs.runner import JobKind, Runner, RunnerTiming, Work
from loremark.storage.database import Database, Row
from loremark.storage.tables import jobs

FAST_TIMING = RunnerTiming(lease_ms=400, grace_s=0.05)


async def enqueue(
    database: Database,
    kind: str = "count",
    *,
    max_attempts: int = 8,
    team_id: str | None = None,
    stages: Sequence[str] = (),
    **payload: Any,
) -> str:
    async with database.write() as tx:
        return await queue.enqueue(tx, kind, payload, max_attempts=max_attempts, team_id=team_id, stages=stages)


async def get(database: Database, job_id: str) -> Row:
    async with database.read() as tx:
        row = await tx.one(select(jobs).where(jobs.c.id == job_id))
    assert row is not None
    return row


async def stages(database: Database, job_id: str) -> dict[str, str]:
    """The status of each of the job's stages."""
    decoded = msgspec.json.decode((await get(database, job_id))["stages"], type=list[queue.Stage])
    return {step.stage: step.status for step in decoded}


async def claim(database: Database, owner: str = "somebody", lease_ms: int = 30_000) -> queue.Job | None:
    """Claim as a runner does: reclaim expired leases, then take the job that has been due longest."""
    async with database.write() as tx:
        await leases.reclaim_expired(tx)
        waiting = [lane for lane in await lanes.list_lanes(tx) if lane.due_at_ms <= clock.now_ms()]
        for lane in sorted(waiting, key=lambda lane: lane.due_at_ms):
            if (job := await queue.claim(tx, lane.name, owner, lease_ms)) is not None:
                return job
    return None


async def steal(database: Database, job_id: str, owner: str) -> None:
    """Give the job to another worker."""
    async with database.write() as tx:
        await tx.run(
            update(jobs)
            .where(jobs.c.id == job_id, jobs.c.status == "running")
            .values(attempt=jobs.c.attempt + 1, lease_owner=owner, lease_until_ms=clock.now_ms() + 60_000)
        )


async def wait_for(database: Database, job_id: str, status: str, seconds: float = 60.0) -> Row:
    """Wait until the job has this status, and return it."""
    row: Row | None = None
    try:
        async with asyncio.timeout(seconds):
            while True:
                row = await get(database, job_id)
                if row["status"] == status:
                    return row
                await asyncio.sleep(0.01)
    except TimeoutError:
        assert row is not None
        raise AssertionError(f"the job is {row['status']} (attempt {row['attempt']}), not {status}") from None


@asynccontextmanager
async def running(
    database: Database,
    work: Work,
    *,
    kind: str = "count",
    concurrency: int = 4,
    per_team: int = 1,
    every_ms: int | None = None,
    timing: RunnerTiming = FAST_TIMING,
) -> AsyncIterator[Runner]:
    """Run jobs of one kind; asserts that the runner is still alive after the block."""
    kinds = {kind: JobKind(work, concurrency=concurrency, per_team=per_team, every_ms=every_ms)}
    async with running_kinds(database, kinds, timing) as runner:
        yield runner


@asynccontextmanager
async def running_kinds(
    database: Database, kinds: dict[str, JobKind], timing: RunnerTiming = FAST_TIMING
) -> AsyncIterator[Runner]:
    runner = Runner(database, kinds, timing)
    runner.start()
    try:
        yield runner
        assert runner.alive
    finally:
        await runner.stop()
