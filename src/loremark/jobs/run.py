"""A running job and its stages, each committed together with its effects."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from loremark.base import clock
from loremark.jobs import queue
from loremark.jobs.queue import Job, Stage
from loremark.storage.database import Database, Tx


class LeaseLost(Exception):
    """Another worker has the job now, so nothing more may be committed."""


class Cancelled(Exception):
    """Cancellation was requested."""


class RetryLater(Exception):
    """Fail this attempt and retry after a given delay."""

    def __init__(self, error: str, delay_ms: int) -> None:
        super().__init__(error)
        self.delay_ms = delay_ms


class Run:
    """The context passed to a job's handler."""

    def __init__(self, database: Database, job: Job) -> None:
        self.database = database
        self.job = job
        self._stages = [Stage(known.stage, known.status, known.duration) for known in job.stages]
        self._begun: dict[str, float] = {}

    @property
    def payload(self) -> dict[str, Any]:
        return self.job.payload

    def is_done(self, stage: str) -> bool:
        """Return whether an earlier attempt completed this stage."""
        return any(known.stage == stage and known.status == "completed" for known in self._stages)

    async def begin(self, stage: str, tell: Callable[[Tx], None] | None = None) -> None:
        """Mark a stage as running. ``tell`` can send notifications in the same transaction."""
        self._begun[stage] = clock.monotonic()
        self._set(stage, "running", None)
        async with self.database.write() as tx:
            await self._write(tx)
            if tell is not None:
                tell(tx)

    @asynccontextmanager
    async def finish(self, stage: str) -> AsyncIterator[Tx]:
        """Open the transaction that commits a stage's effects and its completion atomically."""
        begun = self._begun.setdefault(stage, clock.monotonic())
        before = [Stage(known.stage, known.status, known.duration) for known in self._stages]
        try:
            async with self.database.write() as tx:
                self._set(stage, "completed", int((clock.monotonic() - begun) * 1000))
                await self._write(tx)
                yield tx
        except BaseException:
            self._stages = before
            raise

    @asynccontextmanager
    async def step(self) -> AsyncIterator[Tx]:
        """Open a transaction within a stage; it fails if the lease was lost."""
        async with self.database.write() as tx:
            await self._write(tx)
            yield tx

    async def save_result(self, tx: Tx, result: dict[str, Any]) -> None:
        """Save the job's result in the transaction of its effects."""
        if not await queue.save_result(tx, self.job, result):
            raise LeaseLost(self.job.id)

    def total_ms(self) -> int:
        """Return the total duration of the completed stages."""
        return sum(known.duration or 0 for known in self._stages)

    async def mark_failed(self, tx: Tx) -> bool:
        """Mark the running stage as failed. Return whether cancellation was requested."""
        for known in self._stages:
            if known.status == "running":
                known.status = "failed"
        return bool(await queue.checkpoint(tx, self.job, self._stages))

    def _set(self, stage: str, status: str, duration: int | None) -> None:
        for known in self._stages:
            if known.stage == stage:
                known.status, known.duration = status, duration
                return
        self._stages.append(Stage(stage, status, duration))

    async def _write(self, tx: Tx) -> None:
        shall_end = await queue.checkpoint(tx, self.job, self._stages)
        if shall_end is None:
            raise LeaseLost(self.job.id)
        if shall_end:
            raise Cancelled(self.job.id)
