"""A job while it runs: its stages, each committed together with what it did."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from loremark.base import clock
from loremark.jobs import queue
from loremark.jobs.queue import Job, Stage
from loremark.storage.database import Database, Tx


class LeaseLost(Exception):
    """Another worker has the job now; whatever was not committed is not ours to commit."""


class Cancelled(Exception):
    """Somebody asked for the job to end."""


class RetryLater(Exception):
    """It did not work this time; try again after a delay of our own choosing."""

    def __init__(self, error: str, delay_ms: int) -> None:
        super().__init__(error)
        self.delay_ms = delay_ms


class Run:
    """What a piece of work is given."""

    def __init__(self, database: Database, job: Job) -> None:
        self.database = database
        self.job = job
        self._stages = [Stage(known.stage, known.status, known.duration) for known in job.stages]
        self._begun: dict[str, float] = {}

    @property
    def payload(self) -> dict[str, Any]:
        return self.job.payload

    def is_done(self, stage: str) -> bool:
        """Whether an earlier attempt has finished this stage."""
        return any(known.stage == stage and known.status == "completed" for known in self._stages)

    async def begin(self, stage: str, tell: Callable[[Tx], None] | None = None) -> None:
        """Show that a stage is under way; ``tell`` says so to those who look on, in the same transaction."""
        self._begun[stage] = clock.monotonic()
        self._set(stage, "running", None)
        async with self.database.write() as tx:
            await self._write(tx)
            if tell is not None:
                tell(tx)

    @asynccontextmanager
    async def finish(self, stage: str) -> AsyncIterator[Tx]:
        """A transaction in which a stage's effects and its end are committed together, or not at all."""
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
        """A transaction in the midst of a stage, which only the holder of the lease can commit."""
        async with self.database.write() as tx:
            await self._write(tx)
            yield tx

    async def keep_result(self, tx: Tx, result: dict[str, Any]) -> None:
        """What came of the job, kept with what it did."""
        if not await queue.keep_result(tx, self.job, result):
            raise LeaseLost(self.job.id)

    def total_ms(self) -> int:
        """How long the finished stages took together."""
        return sum(known.duration or 0 for known in self._stages)

    async def mark_failed(self, tx: Tx) -> bool:
        """The stage that was under way is the one that failed. Whether somebody asked for the job to end."""
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
