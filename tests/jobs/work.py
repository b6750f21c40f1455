"""Jobs as the tests see them: enqueued, looked at, waited for."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import select

from cairn.jobs import queue
from cairn.storage.database import Database, Row
from cairn.storage.tables import jobs


async def enqueue(database: Database, kind: str = "count", *, max_attempts: int = 8, **payload: Any) -> str:
    async with database.write() as tx:
        return await queue.enqueue(tx, kind, payload, max_attempts=max_attempts)


async def get(database: Database, job_id: str) -> Row:
    async with database.read() as tx:
        row = await tx.one(select(jobs).where(jobs.c.id == job_id))
    assert row is not None
    return row


async def claim(database: Database, owner: str = "somebody", lease_ms: int = 30_000) -> queue.Job | None:
    async with database.write() as tx:
        return await queue.claim(tx, owner, lease_ms)


async def until(database: Database, job_id: str, status: str, seconds: float = 10.0) -> Row:
    """The job, once it has this status."""
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
