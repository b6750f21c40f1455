"""The runner: claims jobs, keeps their leases alive, and settles them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from cairn.base import clock, ids, log
from cairn.jobs import queue
from cairn.jobs.queue import Job
from cairn.storage.database import Database, StorageUnavailable

Work = Callable[[Job], Awaitable[None]]

_LEASE_MS = 30_000
_HEARTBEAT_S = 10.0
_POLL_S = 5.0
_FIRST_RETRY_MS = 2_000
_LAST_RETRY_MS = 15 * clock.MINUTE_MS

_log = log.logger("jobs")


class Runner:
    """Runs jobs of this process, a bounded number at a time."""

    def __init__(self, database: Database, work: dict[str, Work], *, concurrency: int = 4) -> None:
        self._database = database
        self._work = work
        self._owner = ids.new("run")
        self._places = asyncio.Semaphore(concurrency)
        self._running: set[asyncio.Task[None]] = set()
        self._loop: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        return self._loop is not None and not self._loop.done()

    def start(self) -> None:
        self._loop = asyncio.create_task(self._run_forever())

    async def stop(self) -> None:
        """Stop taking jobs. Those under way are left to their lease, and begin again elsewhere or later."""
        tasks = [task for task in (self._loop, *self._running) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_forever(self) -> None:
        with self._database.signals.listen(queue.TOPIC) as listener:
            while True:
                await self._places.acquire()
                job = await self._claim()
                if job is None:
                    self._places.release()
                    await listener.next(timeout=await self._pause_s())
                    continue
                task = asyncio.create_task(self._run(job))
                self._running.add(task)
                task.add_done_callback(self._running.discard)

    async def _claim(self) -> Job | None:
        try:
            async with self._database.write() as tx:
                return await queue.claim(tx, self._owner, _LEASE_MS)
        except StorageUnavailable as error:
            _log.warning("the queue cannot be read, trying again", error=str(error))
            return None

    async def _pause_s(self) -> float:
        """Until the next job is due, a signal comes, or (for what was missed) a few seconds have passed."""
        try:
            async with self._database.read() as tx:
                due_at_ms = await queue.next_due_at_ms(tx)
        except StorageUnavailable:
            return _POLL_S
        if due_at_ms is None:
            return _POLL_S
        return min(_POLL_S, max(0.05, (due_at_ms - clock.now_ms()) / 1000))

    async def _run(self, job: Job) -> None:
        heart = asyncio.create_task(self._keep_lease(job, asyncio.current_task()))
        try:
            await self._work[job.kind](job)
        except Exception as error:
            _log.exception("a job failed", job_id=job.id, kind=job.kind, attempt=job.attempt)
            await self._settle_failed(job, f"{type(error).__name__}: {error}")
        else:
            await self._settle_completed(job)
        finally:
            heart.cancel()
            with suppress(asyncio.CancelledError):
                await heart
            self._places.release()

    async def _keep_lease(self, job: Job, task: asyncio.Task[None] | None) -> None:
        while True:
            await asyncio.sleep(_HEARTBEAT_S)
            try:
                async with self._database.write() as tx:
                    kept = await queue.extend(tx, job, _LEASE_MS)
            except StorageUnavailable:
                continue
            if not kept and task is not None:
                _log.warning("a lease was lost, stopping the job here", job_id=job.id)
                task.cancel()
                return

    async def _settle_completed(self, job: Job) -> None:
        with suppress(StorageUnavailable):  # then the lease runs out and the job begins again
            async with self._database.write() as tx:
                await queue.complete(tx, job)

    async def _settle_failed(self, job: Job, error: str) -> None:
        retry_in_ms = None if job.attempt >= job.max_attempts else retry_delay_ms(job.attempt)
        with suppress(StorageUnavailable):
            async with self._database.write() as tx:
                await queue.fail(tx, job, error[:1000], retry_in_ms=retry_in_ms)


def retry_delay_ms(attempt: int) -> int:
    """Twice as long after each attempt, with jitter so that many do not come back at once."""
    delay_ms = min(_LAST_RETRY_MS, _FIRST_RETRY_MS << min(attempt - 1, 20))
    return int(delay_ms * (0.75 + ids.fraction() / 2))
