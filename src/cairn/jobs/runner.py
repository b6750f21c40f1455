"""The runner: claims jobs, keeps their leases alive, and settles them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from cairn.base import clock, ids, log
from cairn.jobs import lanes, queue
from cairn.jobs.lanes import Lane
from cairn.jobs.queue import Job
from cairn.jobs.run import Cancelled, LeaseLost, RetryLater, Run
from cairn.storage.database import Database, StorageUnavailable

Work = Callable[[Run], Awaitable[None]]

_POLL_S = 5.0
_FIRST_RETRY_MS = 2_000
_LAST_RETRY_MS = 15 * clock.MINUTE_MS

_log = log.logger("jobs")


@dataclass(frozen=True)
class Kind:
    """How jobs of a kind are done: the work, and how many at a time in this process."""

    work: Work
    at_once: int = 4
    every_ms: int | None = None
    """Set for work that recurs by itself."""


@dataclass(frozen=True)
class Pace:
    """How many jobs run at once, for one team and in all, and how long a silent worker is waited for."""

    at_once: int = 64
    per_team: int = 4
    lease_ms: int = 30_000

    @property
    def heartbeat_s(self) -> float:
        return self.lease_ms / 3000


class Runner:
    """Runs jobs in this process. Any number of runners share a database."""

    def __init__(self, database: Database, kinds: Mapping[str, Kind], pace: Pace | None = None) -> None:
        self._database = database
        self._kinds = kinds
        self._pace = pace or Pace()
        self._owner = ids.new("run")
        self._running: dict[asyncio.Task[None], Job] = {}
        self._room = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        return self._loop is not None and not self._loop.done()

    def start(self) -> None:
        self._loop = asyncio.create_task(self._run_forever())

    async def stop(self) -> None:
        """Stop taking jobs. Those under way are left to their lease, and go on elsewhere or later."""
        tasks = [task for task in (self._loop, *self._running) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_forever(self) -> None:
        with self._database.signals.listen(queue.TOPIC) as listener:
            recurring = {name: kind.every_ms for name, kind in self._kinds.items() if kind.every_ms is not None}
            while True:
                pause_s = _POLL_S
                self._room.clear()  # before the look: what ends meanwhile calls for another
                try:
                    await self._plan(recurring)
                    recurring = {}
                    pause_s = await self._claim_all()
                except StorageUnavailable as error:
                    _log.warning("the queue cannot be reached, trying again", error=str(error))
                await self._wait(listener.next(timeout=pause_s))

    async def _wait(self, signal: Awaitable[object]) -> None:
        """Until there is a signal, room for another job, or time for the next look."""
        waiting = [asyncio.ensure_future(signal), asyncio.ensure_future(self._room.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()

    async def _plan(self, recurring: dict[str, int]) -> None:
        async with self._database.write() as tx:
            for kind, every_ms in recurring.items():
                await queue.ensure_recurring(tx, kind, every_ms)
            await queue.take_back_lost(tx)

    async def _claim_all(self) -> float:
        """Claim what there is room for; how long to wait for the next look."""
        while len(self._running) < self._pace.at_once:
            async with self._database.read() as tx:
                waiting = await lanes.list_lanes(tx)
                by_team = await lanes.count_running(tx)
            job = await self._claim_best(waiting, by_team)
            if job is None:
                return self._pause_s(waiting)
            task = asyncio.create_task(self._do(job))
            self._running[task] = job
            task.add_done_callback(self._done)
        return _POLL_S

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        self._room.set()

    async def _claim_best(self, waiting: list[Lane], by_team: dict[str, int]) -> Job | None:
        """The team with the fewest running jobs comes first, then the job that has been due longest."""
        now_ms = clock.now_ms()
        by_kind = Counter(job.kind for job in self._running.values())
        ready = [
            lane
            for lane in waiting
            if lane.due_at_ms <= now_ms
            and lane.kind in self._kinds
            and by_kind[lane.kind] < self._kinds[lane.kind].at_once
            and (not lane.team or by_team.get(lane.team, 0) < self._pace.per_team)
        ]
        for lane in sorted(ready, key=lambda lane: (by_team.get(lane.team, 0), lane.due_at_ms)):
            async with self._database.write() as tx:
                job = await queue.claim(tx, lane.name, self._owner, self._pace.lease_ms)
            if job is not None:
                return job
        return None

    def _pause_s(self, waiting: list[Lane]) -> float:
        now_ms = clock.now_ms()
        later = [lane.due_at_ms - now_ms for lane in waiting if lane.due_at_ms > now_ms and lane.kind in self._kinds]
        return min(_POLL_S, max(0.02, min(later) / 1000)) if later else _POLL_S

    async def _do(self, job: Job) -> None:
        run = Run(self._database, job)
        task = asyncio.current_task()
        assert task is not None
        heart = asyncio.create_task(self._keep_lease(job, task))
        try:
            await self._kinds[job.kind].work(run)
        except LeaseLost:
            _log.warning("a lease was lost, the job goes on elsewhere", job_id=job.id)
        except Cancelled:
            await self._settle(run, None, cancelled=True)
        except RetryLater as error:
            await self._settle(run, error, delay_ms=error.delay_ms)
        except Exception as error:
            _log.exception("a job failed", job_id=job.id, kind=job.kind, attempt=job.attempt)
            await self._settle(run, error)
        else:
            await self._settle(run, None)
        finally:
            heart.cancel()
            with suppress(asyncio.CancelledError):
                await heart

    async def _keep_lease(self, job: Job, task: asyncio.Task[None]) -> None:
        while True:
            await asyncio.sleep(self._pace.heartbeat_s)
            try:
                async with self._database.write() as tx:
                    shall_end = await queue.extend(tx, job, self._pace.lease_ms)
            except StorageUnavailable:
                continue
            if shall_end is None:
                task.cancel()
                return

    async def _settle(
        self, run: Run, error: Exception | None, *, delay_ms: int | None = None, cancelled: bool = False
    ) -> None:
        """Write the end down. If that fails too, the lease runs out and the job begins again."""
        job = run.job
        with suppress(StorageUnavailable):
            async with self._database.write() as tx:
                if cancelled:
                    await queue.mark_cancelled(tx, job)
                elif error is None:
                    await queue.complete(tx, job, run.result)
                elif await run.mark_failed(tx):
                    await queue.mark_cancelled(tx, job)
                else:
                    last = job.attempt >= job.max_attempts
                    wait_ms = delay_ms if delay_ms is not None else retry_delay_ms(job.attempt)
                    text = str(error) if isinstance(error, RetryLater) else f"{type(error).__name__}: {error}"
                    text = text.replace("\0", "").encode(errors="replace").decode()  # what a database can hold
                    await queue.fail(tx, job, text, retry_in_ms=None if last else wait_ms)


def retry_delay_ms(attempt: int) -> int:
    """Twice as long after each attempt, with jitter so that many do not come back at once."""
    delay_ms = min(_LAST_RETRY_MS, _FIRST_RETRY_MS << min(attempt - 1, 20))
    return int(delay_ms * (0.75 + ids.fraction() / 2))
