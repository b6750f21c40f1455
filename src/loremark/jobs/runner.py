"""The job runner: claims jobs, renews their leases and records their outcome."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from loremark.base import clock, ids, log
from loremark.jobs import lanes, leases, queue, recurring
from loremark.jobs.lanes import Lane
from loremark.jobs.queue import Job
from loremark.jobs.run import Cancelled, LeaseLost, RetryLater, Run
from loremark.jobs.waker import Waker
from loremark.storage.database import Database, StorageUnavailable, Tx
from loremark.storage.signals import Listener

Work = Callable[[Run], Awaitable[None]]
OnFailed = Callable[[Tx, Job, str], Awaitable[None]]
HasWork = Callable[[Tx], Awaitable[bool]]

_POLL_S = 5.0
_FIRST_RETRY_MS = 2_000
_LAST_RETRY_MS = 15 * clock.MINUTE_MS
_PAUSE_S = 1.0
"""Pause after an unexpected error, so it does not flood the log."""
_CANCEL_S = 1.0

_log = log.logger("jobs")


@dataclass(frozen=True)
class JobKind:
    """How to run jobs of one kind. Each kind has its own slots, so a slow kind does not delay others."""

    work: Work
    concurrency: int = 4
    """Slots in this process."""
    per_team: int = 2
    """Maximum running jobs per team, across all processes."""
    every_ms: int | None = None
    """The interval of a recurring job."""
    has_work: HasWork | None = None
    """For recurring jobs: a cheap read that tells whether there is work, because claiming is a write."""
    wake_on: str | None = None
    """For recurring jobs: a change notification (``jobs.notices``) that makes the job due early."""
    on_failed: OnFailed | None = None
    """Called in the same transaction when a job fails for good."""

    def __post_init__(self) -> None:
        if not 1 <= self.per_team <= max(1, self.concurrency - 1):
            raise ValueError("per_team must be less than concurrency, so one team cannot take every slot")


@dataclass(frozen=True)
class RunnerTiming:
    """The lease duration, and how long a stop waits for running jobs."""

    lease_ms: int = 30_000
    grace_s: float = 3.0

    @property
    def heartbeat_s(self) -> float:
        return self.lease_ms / 3000


class Runner:
    """Runs jobs in this process. Any number of runners share a database."""

    def __init__(self, database: Database, kinds: Mapping[str, JobKind], timing: RunnerTiming | None = None) -> None:
        self._database = database
        self._kinds = kinds
        self._timing = timing or RunnerTiming()
        self._owner = ids.new("run")
        self._running: dict[asyncio.Task[None], Job] = {}
        self._recurring = {name: kind.every_ms for name, kind in kinds.items() if kind.every_ms is not None}
        self._recurring_is_there = False
        self._quiet_until: dict[str, float] = {}
        self._upkeep_at = 0.0
        self._turns = lanes.Turns()
        self._room = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        woken: dict[str, list[str]] = {}
        for name, kind in kinds.items():
            if kind.wake_on:
                woken.setdefault(kind.wake_on, []).append(name)
        self._waker = Waker(database, woken, self._look_again)

    @property
    def alive(self) -> bool:
        return self._loop is not None and not self._loop.done()

    def start(self) -> None:
        self._loop = asyncio.create_task(self._run_forever())
        self._waker.start()

    async def stop(self) -> None:
        """Stop claiming jobs, wait briefly for running ones, and release the rest to other runners."""
        await self._waker.stop()
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.wait([self._loop])
        if self._running:
            await asyncio.wait(list(self._running), timeout=self._timing.grace_s)
        left = [task for task in self._running if not task.done()]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_CANCEL_S)
        with suppress(StorageUnavailable):  # the leases will expire
            async with self._database.write() as tx:
                await leases.release_owned(tx, self._owner)

    async def _run_forever(self) -> None:
        with self._database.signals.listen(queue.TOPIC) as listener:
            while True:
                pause_s = _POLL_S
                self._room.clear()  # before claiming, so a job that ends meanwhile triggers another round
                try:
                    await self._keep_up()
                    pause_s = min(await self._claim_all(), max(0.0, self._upkeep_at - clock.monotonic()))
                except StorageUnavailable as error:
                    _log.warning("queue unavailable, retrying", error=str(error))
                except Exception:
                    _log.exception("claiming jobs failed, retrying")
                    await asyncio.sleep(_PAUSE_S)
                    continue
                await self._wait(listener, pause_s)

    async def _wait(self, listener: Listener, pause_s: float) -> None:
        """Wait for a signal, a free slot or the timeout, then drain pending signals."""
        waiting = [asyncio.ensure_future(listener.next(timeout=pause_s)), asyncio.ensure_future(self._room.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        while await listener.next(timeout=0):
            pass

    async def _keep_up(self) -> None:
        """Periodically reclaim expired leases. The first time, also create the recurring jobs."""
        if clock.monotonic() < self._upkeep_at:
            return
        async with self._database.write() as tx:
            if not self._recurring_is_there:
                for kind, every_ms in self._recurring.items():
                    await recurring.ensure(tx, kind, every_ms)
            await leases.reclaim_expired(tx)
        self._recurring_is_there = True
        self._upkeep_at = clock.monotonic() + _POLL_S

    async def _claim_all(self) -> float:
        """Claim jobs for the free slots. Return how long to wait before the next round."""
        while True:
            async with self._database.read() as tx:
                waiting = [lane for lane in await lanes.list_lanes(tx) if lane.kind in self._kinds]
            if await self._bring_forward(waiting):
                continue
            due = [lane for lane in waiting if lane.due_at_ms <= clock.now_ms()]
            claimed = await self._claim_ready([lane for lane in due if await self._has_work(lane.kind)])
            if not claimed:
                return self._pause_s(waiting)
            for job in claimed:
                task = asyncio.create_task(self._do(job))
                self._running[task] = job
                task.add_done_callback(self._done)

    async def _bring_forward(self, waiting: list[Lane]) -> bool:
        """Reschedule recurring jobs that a fast clock postponed. Return whether there were any."""
        ours = [lane for lane in waiting if lane.kind in self._recurring]
        late = [lane.kind for lane in ours if recurring.waits_too_long(lane.due_at_ms, self._recurring[lane.kind])]
        if not late:
            return False
        _log.warning("clock was ahead, rescheduling recurring jobs", kinds=late)
        async with self._database.write() as tx:
            for kind in late:
                await recurring.bring_forward(tx, kind, self._recurring[kind])
        return True

    async def _has_work(self, kind: str) -> bool:
        """Return whether there is work. A negative result is cached until the next poll."""
        has_work = self._kinds[kind].has_work
        if has_work is None:
            return True
        if clock.monotonic() < self._quiet_until.get(kind, 0.0):
            return False
        try:
            async with self._database.read() as tx:
                if await has_work(tx):
                    return True
        except StorageUnavailable:
            raise
        except Exception:
            _log.exception("checking for work failed, running the job anyway", kind=kind)
            return True
        self._quiet_until[kind] = clock.monotonic() + _POLL_S
        return False

    def _look_again(self, kind: str) -> None:
        """Drop the cached "no work" result, because something relevant changed."""
        self._quiet_until.pop(kind, None)
        self._room.set()

    async def _claim_ready(self, ready: list[Lane]) -> list[Job]:
        """Claim jobs for all free slots fairly, in one transaction. The lock keeps other runners' counts stable."""
        by_kind = Counter(job.kind for job in self._running.values())
        room = {name: self._kinds[name].concurrency - by_kind[name] for name in {lane.kind for lane in ready}}
        if not any(places > 0 for places in room.values()):
            return []
        claimed: list[Job] = []
        async with self._database.write() as tx:
            await tx.lock("jobs")
            running = await lanes.count_running(tx)
            for name, places in room.items():
                of_kind = [lane for lane in ready if lane.kind == name]
                per_team = self._kinds[name].per_team
                for lane, share in lanes.allocate_slots(of_kind, running, places, per_team, self._turns).items():
                    claimed += await self._claim(tx, lane, share)
        return claimed

    async def _claim(self, tx: Tx, lane: str, count: int) -> list[Job]:
        claimed: list[Job] = []
        while len(claimed) < count and (job := await queue.claim(tx, lane, self._owner, self._timing.lease_ms)):
            claimed.append(job)
            self._turns.take(lane)
        return claimed

    def _done(self, task: asyncio.Task[None]) -> None:
        job = self._running.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("recording a job's outcome failed", job_id=job.id, exc_info=error)
        self._room.set()

    def _pause_s(self, waiting: list[Lane]) -> float:
        now_ms = clock.now_ms()
        later = [lane.due_at_ms - now_ms for lane in waiting if lane.due_at_ms > now_ms]
        return min(_POLL_S, max(0.02, min(later) / 1000)) if later else _POLL_S

    async def _do(self, job: Job) -> None:
        run = Run(self._database, job)
        task = asyncio.current_task()
        assert task is not None
        heart = asyncio.create_task(self._keep_lease(job, task))
        try:
            await self._kinds[job.kind].work(run)
            await self._settle(run, None)
        except LeaseLost:
            _log.warning("lease lost; another runner has the job", job_id=job.id)
        except Cancelled:
            await self._settle(run, None, cancelled=True)
        except RetryLater as error:
            await self._settle(run, error, delay_ms=error.delay_ms)
        except Exception as error:
            _log.exception("job failed", job_id=job.id, kind=job.kind, attempt=job.attempt)
            await self._settle(run, error)
        finally:
            heart.cancel()
            with suppress(asyncio.CancelledError):
                await heart

    async def _keep_lease(self, job: Job, task: asyncio.Task[None]) -> None:
        while True:
            await asyncio.sleep(self._timing.heartbeat_s)
            try:
                async with self._database.write() as tx:
                    shall_end = await queue.extend(tx, job, self._timing.lease_ms)
            except StorageUnavailable:
                continue
            except Exception:
                _log.exception("renewing a lease failed, retrying", job_id=job.id)
                continue
            if shall_end is None:
                task.cancel()
                return

    async def _settle(
        self, run: Run, error: Exception | None, *, delay_ms: int | None = None, cancelled: bool = False
    ) -> None:
        """Record the outcome. If that fails too, the lease expires and the job runs again."""
        job = run.job
        with suppress(StorageUnavailable):
            async with self._database.write() as tx:
                if cancelled:
                    await queue.mark_cancelled(tx, job)
                elif error is None:
                    await queue.complete(tx, job)
                elif await run.mark_failed(tx):
                    await queue.mark_cancelled(tx, job)
                else:
                    last = job.attempt >= job.max_attempts
                    wait_ms = delay_ms if delay_ms is not None else retry_delay_ms(job.attempt)
                    text = str(error) if isinstance(error, RetryLater) else f"{type(error).__name__}: {error}"
                    on_failed = self._kinds[job.kind].on_failed
                    if await queue.fail(tx, job, text, retry_in_ms=None if last else wait_ms) and last and on_failed:
                        await on_failed(tx, job, text)


def retry_delay_ms(attempt: int) -> int:
    """Return an exponential backoff with jitter."""
    delay_ms = min(_LAST_RETRY_MS, _FIRST_RETRY_MS << min(attempt - 1, 20))
    return int(delay_ms * (0.75 + ids.fraction() / 2))
