"""Recurring work as the stories wait for it."""

from __future__ import annotations

import asyncio

from sqlalchemy import select, update

from loremark.jobs import queue
from loremark.storage.tables import jobs
from tests.support.service import Service


async def rounds_of(service: Service, kind: str) -> int:
    """How often the work was done, once nobody is at it."""
    async with asyncio.timeout(60):
        while True:
            async with service.house.database.read() as tx:
                row = await tx.one(select(jobs).where(jobs.c.id == f"every/{kind}"))
            if row is not None and row["attempt"] and row["status"] == "queued":
                return int(row["attempt"])
            await asyncio.sleep(0.02)


async def one_more_round(service: Service, kind: str) -> None:
    """Let it be due now, and wait until it is done."""
    before = await rounds_of(service, kind)
    async with service.house.database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id == f"every/{kind}").values(run_at_ms=0))
        tx.notify(queue.TOPIC, "nudge")
    while await rounds_of(service, kind) == before:
        await asyncio.sleep(0.02)
