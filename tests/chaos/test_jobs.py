"""kill -9 for workers: every job finishes, no stage takes effect twice, and lost leases are taken over in time.

On SQLite the takeover is immediate: its leases are longer than the test waits.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, nullcontext
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import BigInteger, Column, MetaData, Table, Text, func, insert, select
from sqlalchemy.schema import CreateTable

from loremark.base import clock
from loremark.jobs import queue, runner
from loremark.jobs.run import Run
from loremark.jobs.runner import JobKind, Runner, RunnerTiming
from loremark.jobs.runner_lock import hold_runner_lock
from loremark.storage.connect import open_database
from loremark.storage.database import Database, Row
from loremark.storage.tables import jobs
from tests.servers import lifetime
from tests.support import databases
from tests.support.forking import ForkedProcess

pytestmark = pytest.mark.anyio

_STAGES = ("read", "think", "write")
_LEASE_MS = 1_000
_EMBEDDED_LEASE_MS = 600_000
_POLL_S = 0.25
_JOBS = 100
_KILLS = 3
_TIMEOUT_S = 60.0

# No primary key, so a repeated effect adds a second row.
effects = Table("effects", MetaData(), Column("job_id", Text), Column("stage", Text), Column("at_ms", BigInteger))


async def _work(run: Run) -> None:
    for stage in _STAGES:
        if run.is_done(stage):
            continue
        await run.begin(stage)
        await asyncio.sleep(0.02)
        async with run.finish(stage) as tx:
            await tx.run(insert(effects).values(job_id=run.job.id, stage=stage, at_ms=clock.now_ms()))
            await asyncio.sleep(0.01)


def _run_worker(address: str) -> None:
    """A worker process that runs until it is killed."""
    asyncio.run(_serve(address))


async def _serve(address: str) -> None:
    runner._POLL_S = _POLL_S
    storage = databases.storage_address(address)
    database = await open_database(storage)
    timing = RunnerTiming(lease_ms=_EMBEDDED_LEASE_MS if isinstance(storage, Path) else _LEASE_MS)
    async with hold_runner_lock(database, storage) if isinstance(storage, Path) else nullcontext():
        Runner(database, {"steps": JobKind(_work)}, timing).start()
        await asyncio.Event().wait()


class Workers:
    """Worker processes that are killed and replaced."""

    def __init__(self, address: str, folder: Path, count: int) -> None:
        self._address = address
        self._environment = lifetime.child_env()
        self._log = folder / "workers.log"
        self._children = [self._start() for _ in range(count)]

    def _start(self) -> ForkedProcess:
        program = partial(_run_worker, self._address)
        return ForkedProcess(
            program, [], env=self._environment, cwd=self._log.parent, stdout=self._log, stderr=self._log
        )

    def replace_one(self) -> None:
        """Kill and replace the oldest worker; a newer one may still be starting, so killing it would prove nothing."""
        victim = self._children.pop(0)
        assert victim.poll() is None, f"a worker exited by itself:\n{self._log.read_text(errors='replace')}"
        victim.kill()
        victim.wait()
        self._children.append(self._start())

    def end(self) -> None:
        for child in self._children:
            child.kill()
            child.wait()


async def _rows(database: Database) -> list[Row]:
    async with database.read() as tx:
        return await tx.many(select(jobs.c.id, jobs.c.status, jobs.c.attempt, jobs.c.lease_until_ms))


async def _count_finished(database: Database) -> int:
    async with database.read() as tx:
        row = await tx.one(select(func.count().label("found")).where(jobs.c.status == "completed"))
    assert row is not None
    return int(row["found"])


async def _wait_finished(database: Database, count: int, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            while await _count_finished(database) < count:
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"unfinished: {Counter(row['status'] for row in await _rows(database))}") from None


async def _check_effects(database: Database, job_ids: list[str]) -> None:
    async with database.read() as tx:
        found = await tx.many(select(effects).order_by(effects.c.at_ms))
    assert Counter((row["job_id"], row["stage"]) for row in found) == Counter(
        (job_id, stage) for job_id in job_ids for stage in _STAGES
    )


async def _create_effects_table(address: str | Path) -> None:
    """Uses the database drivers directly, because our transactions cannot create tables."""
    if isinstance(address, Path):
        with closing(sqlite3.connect(address)) as file:
            file.execute(str(CreateTable(effects)))
        return
    connection = await asyncpg.connect(address)
    try:
        await connection.execute(str(CreateTable(effects)))
    finally:
        await connection.close()


@asynccontextmanager
async def _open_with_effects(address: str) -> AsyncIterator[Database]:
    await _create_effects_table(databases.storage_address(address))
    database = await open_database(databases.storage_address(address))
    try:
        yield database
    finally:
        await database.close()


async def _enqueue_jobs(database: Database, count: int) -> list[str]:
    async with database.write() as tx:
        return [
            await queue.enqueue(tx, "steps", {}, team_id=f"team_{number % 7}", stages=_STAGES, max_attempts=50)
            for number in range(count)
        ]


async def _watch_leases(database: Database, overdue: list[str]) -> None:
    """Record leases that stay expired longer than a poll plus slack, or than ten of our own reads if those are slow."""
    allowed_ms = _POLL_S * 1000 + 2_000
    while True:
        now_ms = clock.now_ms()
        running = [row for row in await _rows(database) if row["status"] == "running"]
        overdue.extend(row["id"] for row in running if now_ms - row["lease_until_ms"] > allowed_ms)
        await asyncio.sleep(0.1)
        allowed_ms = max(allowed_ms, 10 * (clock.now_ms() - now_ms))


@pytest.mark.parametrize(("engine", "count"), [("postgresql", 3), ("sqlite", 1)], indirect=["engine"])
async def test_killed_workers_lose_no_jobs_and_repeat_no_stages(
    database_url: str, engine: str, count: int, tmp_path: Path
) -> None:
    """Three workers on PostgreSQL, one on SQLite; the oldest is killed at a random moment, three times."""
    overdue: list[str] = []
    async with _open_with_effects(database_url) as database:
        job_ids = await _enqueue_jobs(database, _JOBS)
        workers = Workers(database_url, tmp_path, count)
        try:
            watch = asyncio.create_task(_watch_leases(database, overdue)) if count > 1 else None
            for number in range(_KILLS):
                await _wait_finished(database, number * 25 + 5, _TIMEOUT_S)
                await asyncio.sleep(random.uniform(0, 0.15))
                workers.replace_one()
            await _wait_finished(database, _JOBS, _TIMEOUT_S)
            if watch is not None:
                assert not watch.done()
                watch.cancel()
        finally:
            workers.end()
        rows = await _rows(database)
        await _check_effects(database, job_ids)
    assert {row["status"] for row in rows} == {"completed"}
    assert any(row["attempt"] > 1 for row in rows), "no kill interrupted a job, so the test proved nothing"
    assert overdue == []
