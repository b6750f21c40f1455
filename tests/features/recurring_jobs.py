"""Waiting for recurring jobs."""

from __future__ import annotations

import asyncio

from sqlalchemy import select, update

from loremark.jobs import queue
from loremark.storage.tables import jobs
from tests.support.service import Service


async def wait_for_runs(service: Service, kind: str) -> int:
    """Wait until the job is idle; return how often it has run."""
    async with asyncio.timeout(60):
        while True:
            async with service.runtime.database.read() as tx:
                row = await tx.one(select(jobs).where(jobs.c.id == f"every/{kind}"))
            if row is not None and row["attempt"] and row["status"] == "queued":
                return int(row["attempt"])
            await asyncio.sleep(0.02)


async def run_once_more(service: Service, kind: str) -> None:
    """Make the job due now and wait until it has run."""
    before = await wait_for_runs(service, kind)
    async with service.runtime.database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id == f"every/{kind}").values(run_at_ms=0))
        tx.notify(queue.TOPIC, "nudge")
    while await wait_for_runs(service, kind) == before:
        await asyncio.sleep(0.02)
