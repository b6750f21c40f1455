"""The runner: claims jobs, keeps their leases alive, and settles them."""

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
from loremark.jobs.waking import Waker
from loremark.storage.database import Database, StorageUnavailable, Tx
from loremark.storage.signals import Listener

Work = Callable[[Run], Awaitable[None]]
GivenUp = Callable[[Tx, Job, str], Awaitable[None]]
Wanted = Callable[[Tx], Awaitable[bool]]

_POLL_S = 5.0
_FIRST_RETRY_MS = 2_000
_LAST_RETRY_MS = 15 * clock.MINUTE_MS
_PAUSE_S = 1.0
"""After a fault of our own, so that it does not fill the log."""
_CANCEL_S = 1.0

_log = log.logger("jobs")


@dataclass(frozen=True)
class Kind:
    """How jobs of a kind are done. Each kind has places of its own, so that slow work of one delays no other."""

    work: Work
    at_once: int = 4
    """Places in this process."""
    per_team: int = 2
    """How many of them, in all processes together, one team may hold."""
    every_ms: int | None = None
    """Set for work that recurs by itself."""
    wanted: Wanted | None = None
    """For such work: whether there is anything to do, by a cheap read. If not, it is not claimed: that is a write."""
    woken_by: str | None = None
    """What else calls for recurring work, a moment later: a notice that this has changed (``jobs.notices``)."""
    given_up: GivenUp | None = None
    """What else is to be done, in the same transaction, when a job is given up."""

    def __post_init__(self) -> None:
        if not 1 <= self.per_team <= max(1, self.at_once - 1):
            raise ValueError("one team must not hold every place of a kind")


@dataclass(frozen=True)
class Pace:
    """How long a silent worker is waited for, and how long a stop waits for jobs under way."""

    lease_ms: int = 30_000
    grace_s: float = 3.0

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
        self._recurring = {name: kind.every_ms for name, kind in kinds.items() if kind.every_ms is not None}
        self._recurring_is_there = False
        self._quiet_until: dict[str, float] = {}
        self._upkeep_at = 0.0
        self._room = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        woken = {kind.woken_by: name for name, kind in kinds.items() if kind.woken_by}
        self._waker = Waker(database, woken, self._look_again)

    @property
    def alive(self) -> bool:
        return self._loop is not None and not self._loop.done()

    def start(self) -> None:
        self._loop = asyncio.create_task(self._run_forever())
        self._waker.start()

    async def stop(self) -> None:
        """Take no more jobs. Those under way get a moment to end; the rest is handed back and goes on elsewhere."""
        await self._waker.stop()
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.wait([self._loop])
        if self._running:
            await asyncio.wait(list(self._running), timeout=self._pace.grace_s)
        left = [task for task in self._running if not task.done()]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_CANCEL_S)
        with suppress(StorageUnavailable):  # then the leases run out
            async with self._database.write() as tx:
                await leases.hand_back(tx, self._owner)

    async def _run_forever(self) -> None:
        with self._database.signals.listen(queue.TOPIC) as listener:
            while True:
                pause_s = _POLL_S
                self._room.clear()  # before the look: what ends meanwhile calls for another
                try:
                    await self._keep_up()
                    pause_s = min(await self._claim_all(), max(0.0, self._upkeep_at - clock.monotonic()))
                except StorageUnavailable as error:
                    _log.warning("the queue cannot be reached, trying again", error=str(error))
                except Exception:
                    _log.exception("a look at the queue failed, trying again")
                    await asyncio.sleep(_PAUSE_S)
                    continue
                await self._wait(listener, pause_s)

    async def _wait(self, listener: Listener, pause_s: float) -> None:
        """Until there is a signal, room for another job, or time for the next look, which sees all that came before."""
        waiting = [asyncio.ensure_future(listener.next(timeout=pause_s)), asyncio.ensure_future(self._room.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        while await listener.next(timeout=0):
            pass

    async def _keep_up(self) -> None:
        """From time to time: take back what was lost. The first time, see that recurring work is there."""
        if clock.monotonic() < self._upkeep_at:
            return
        async with self._database.write() as tx:
            if not self._recurring_is_there:
                for kind, every_ms in self._recurring.items():
                    await recurring.ensure(tx, kind, every_ms)
            await leases.take_back_lost(tx)
        self._recurring_is_there = True
        self._upkeep_at = clock.monotonic() + _POLL_S

    async def _claim_all(self) -> float:
        """Claim what there is room for; how long to wait for the next look."""
        while True:
            async with self._database.read() as tx:
                waiting = [lane for lane in await lanes.list_lanes(tx) if lane.kind in self._kinds]
            if await self._bring_forward(waiting):
                continue
            due = [lane for lane in waiting if lane.due_at_ms <= clock.now_ms()]
            claimed = await self._claim_ready([lane for lane in due if await self._is_wanted(lane.kind)])
            if not claimed:
                return self._pause_s(waiting)
            for job in claimed:
                task = asyncio.create_task(self._do(job))
                self._running[task] = job
                task.add_done_callback(self._done)

    async def _bring_forward(self, waiting: list[Lane]) -> bool:
        """Recurring work that a clock which was ahead has put off for days, if there is any, is due now."""
        ours = [lane for lane in waiting if lane.kind in self._recurring]
        late = [lane.kind for lane in ours if recurring.waits_too_long(lane.due_at_ms, self._recurring[lane.kind])]
        if not late:
            return False
        _log.warning("the clock was ahead, recurring work is brought forward", kinds=late)
        async with self._database.write() as tx:
            for kind in late:
                await recurring.bring_forward(tx, kind, self._recurring[kind])
        return True

    async def _is_wanted(self, kind: str) -> bool:
        """Whether there is anything to do. Where there was nothing, that is believed until the next regular look."""
        wanted = self._kinds[kind].wanted
        if wanted is None:
            return True
        if clock.monotonic() < self._quiet_until.get(kind, 0.0):
            return False
        try:
            async with self._database.read() as tx:
                if await wanted(tx):
                    return True
        except StorageUnavailable:
            raise
        except Exception:
            _log.exception("a look for work failed, the work itself shall tell", kind=kind)
            return True
        self._quiet_until[kind] = clock.monotonic() + _POLL_S
        return False

    def _look_again(self, kind: str) -> None:
        """Something has happened that the work is about: what the last look found no longer counts."""
        self._quiet_until.pop(kind, None)
        self._room.set()

    async def _claim_ready(self, ready: list[Lane]) -> list[Job]:
        """As many jobs as there is room for, fairly, in one transaction. One runner at a time, so that it can count."""
        by_kind = Counter(job.kind for job in self._running.values())
        room = {name: self._kinds[name].at_once - by_kind[name] for name in {lane.kind for lane in ready}}
        if not any(places > 0 for places in room.values()):
            return []
        claimed: list[Job] = []
        async with self._database.write() as tx:
            await tx.lock("jobs")
            running = await lanes.count_running(tx)
            for name, places in room.items():
                of_kind = [lane for lane in ready if lane.kind == name]
                for lane, share in lanes.share_out(of_kind, running, places, self._kinds[name].per_team).items():
                    claimed += await self._claim(tx, lane, share)
        return claimed

    async def _claim(self, tx: Tx, lane: str, count: int) -> list[Job]:
        claimed: list[Job] = []
        while len(claimed) < count and (job := await queue.claim(tx, lane, self._owner, self._pace.lease_ms)):
            claimed.append(job)
        return claimed

    def _done(self, task: asyncio.Task[None]) -> None:
        job = self._running.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the end of a job could not be written down", job_id=job.id, exc_info=error)
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
            _log.warning("a lease was lost, the job goes on elsewhere", job_id=job.id)
        except Cancelled:
            await self._settle(run, None, cancelled=True)
        except RetryLater as error:
            await self._settle(run, error, delay_ms=error.delay_ms)
        except Exception as error:
            _log.exception("a job failed", job_id=job.id, kind=job.kind, attempt=job.attempt)
            await self._settle(run, error)
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
            except Exception:
                _log.exception("a lease could not be extended, trying again", job_id=job.id)
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
                    await queue.complete(tx, job)
                elif await run.mark_failed(tx):
                    await queue.mark_cancelled(tx, job)
                else:
                    last = job.attempt >= job.max_attempts
                    wait_ms = delay_ms if delay_ms is not None else retry_delay_ms(job.attempt)
                    text = str(error) if isinstance(error, RetryLater) else f"{type(error).__name__}: {error}"
                    given_up = self._kinds[job.kind].given_up
                    if await queue.fail(tx, job, text, retry_in_ms=None if last else wait_ms) and last and given_up:
                        await given_up(tx, job, text)


def retry_delay_ms(attempt: int) -> int:
    """Twice as long after each attempt, with jitter so that many do not come back at once."""
    delay_ms = min(_LAST_RETRY_MS, _FIRST_RETRY_MS << min(attempt - 1, 20))
    return int(delay_ms * (0.75 + ids.fraction() / 2))
