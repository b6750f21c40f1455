"""The queue against a small model of it: whatever the order of events, one holder, and only the holder counts."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, precondition, rule
from sqlalchemy import select

from loremark.base import clock
from loremark.jobs import leases, operator, queue
from loremark.storage.connect import open_database
from loremark.storage.database import Database, Row
from loremark.storage.tables import jobs
from tests.jobs import work
from tests.support import databases
from tests.support.properties import examples

T = TypeVar("T")

_LEASE_MS = 1_000
_ALLOWED = {
    "queued": {"queued", "running", "cancelled"},
    "running": {"running", "queued", "completed", "failed", "cancelled"},
    "failed": {"failed", "queued"},
    "cancelled": {"cancelled", "queued"},
    "completed": {"completed"},
}


@dataclass
class Known:
    """What the model knows of a job."""

    status: str = "queued"
    attempt: int = 0
    max_attempts: int = 3
    run_at_ms: int = 0
    lease_until_ms: int = 0
    cancel: bool = False
    holder: queue.Job | None = field(default=None)


class Machine(RuleBasedStateMachine):
    """Workers claim, work on, settle, stall and come back late; the operator cancels and retries; time goes by."""

    claimed: Bundle[queue.Job] = Bundle("claimed")

    def __init__(self) -> None:
        super().__init__()
        self.now_ms = 1_800_000_000_000
        self.known: dict[str, Known] = {}
        self.owners: dict[int, str] = {}
        self.before: dict[str, tuple[str, int]] = {}
        self.loop = asyncio.Runner()
        self.folder = Path(tempfile.mkdtemp(prefix="loremark-machine-"))
        self.clock = clock.use(lambda: self.now_ms)
        self.clock.__enter__()
        address = databases.storage_address(databases.fresh_sqlite(self.folder))
        self.database: Database = self.loop.run(open_database(address))

    def teardown(self) -> None:
        self.loop.run(self.database.close())
        self.loop.close()
        self.clock.__exit__(None, None, None)
        shutil.rmtree(self.folder)

    def _write(self, ask: Any, *arguments: Any, **named: Any) -> Any:
        async def inside() -> Any:
            async with self.database.write() as tx:
                return await ask(tx, *arguments, **named)

        return self.loop.run(inside())

    def _holds(self, job: queue.Job) -> Known | None:
        known = self.known[job.id]
        return known if known.holder is job else None

    @initialize()
    def begin(self) -> None:
        self.enqueue(0)

    @precondition(lambda self: len(self.known) < 2)
    @rule(delay_ms=st.sampled_from([0, 0, 500]))
    def enqueue(self, delay_ms: int) -> None:
        at_ms = self.now_ms + delay_ms
        job_id = self._write(queue.enqueue, "count", {}, max_attempts=3, run_at_ms=at_ms)
        self.known[job_id] = Known(run_at_ms=at_ms)

    @rule(target=claimed, later_ms=st.sampled_from([_LEASE_MS + 1, 400, 0]))
    def claim(self, later_ms: int) -> Any:
        """Time goes by; a worker takes back what was lost and claims what has been due longest."""
        self.now_ms += later_ms
        for known in self.known.values():
            if known.status == "running" and known.lease_until_ms < self.now_ms:
                given_up = known.attempt >= known.max_attempts
                known.status = "cancelled" if known.cancel else "failed" if given_up else "queued"
                known.run_at_ms, known.holder = self.now_ms, None
        due = {job_id: k for job_id, k in self.known.items() if k.status == "queued" and k.run_at_ms <= self.now_ms}
        owner = f"worker {len(self.owners)}"
        job = self.loop.run(work.claim(self.database, owner, _LEASE_MS))
        assert (job is None) == (not due)
        if job is None:
            return multiple()
        self.owners[id(job)] = owner
        known = due[job.id]
        assert known.run_at_ms == min(other.run_at_ms for other in due.values())
        known.status, known.attempt = "running", known.attempt + 1
        known.lease_until_ms, known.holder = self.now_ms + _LEASE_MS, job
        assert job.attempt == known.attempt
        return job

    @rule(job=claimed)
    def extend(self, job: queue.Job) -> None:
        known = self._holds(job)
        kept = self._write(queue.extend, job, _LEASE_MS)
        assert kept == (known.cancel if known else None)
        if known:
            known.lease_until_ms = self.now_ms + _LEASE_MS

    @rule(job=claimed)
    def checkpoint(self, job: queue.Job) -> None:
        known = self._holds(job)
        assert self._write(queue.checkpoint, job, [queue.Stage("read")]) == (known.cancel if known else None)

    @rule(job=claimed, how=st.sampled_from(["complete", "retry", "give up", "cancel"]))
    def settle(self, job: queue.Job, how: str) -> None:
        """The job stays in the bundle: its worker may well come back late and try again."""
        known = self._holds(job)
        if how == "complete":
            done = self._write(queue.complete, job)
        elif how == "cancel":
            done = self._write(queue.mark_cancelled, job)
        else:
            done = self._write(queue.fail, job, "no", retry_in_ms=300 if how == "retry" else None)
        assert done == (known is not None)
        if known:
            known.holder = None
            ends = {"complete": "completed", "cancel": "cancelled", "retry": "queued", "give up": "failed"}
            known.status = ends[how]
            known.run_at_ms = self.now_ms + (300 if how == "retry" else 0)

    @rule(job=claimed)
    def release_owned(self, job: queue.Job) -> None:
        """Its worker stops in good order, perhaps after the lease was lost."""
        known = self._holds(job)
        assert self._write(leases.release_owned, self.owners[id(job)]) == (known is not None)
        if known:
            known.holder, known.run_at_ms = None, self.now_ms
            known.status = "cancelled" if known.cancel else "queued"
            known.max_attempts += 1

    @rule(data=st.data(), what=st.sampled_from(["cancel", "retry"]))
    def operate(self, data: st.DataObject, what: str) -> None:
        job_id = data.draw(st.sampled_from(sorted(self.known)))
        known = self.known[job_id]
        if what == "cancel":
            assert self._write(operator.cancel_job, job_id) == (known.status in ("queued", "running"))
            known.cancel = known.cancel or known.status == "running"
            known.status = "cancelled" if known.status == "queued" else known.status
            return
        dead = known.status in ("failed", "cancelled")
        assert self._write(operator.retry_job, job_id) == dead
        if dead:
            known.status, known.run_at_ms, known.cancel = "queued", self.now_ms, False
            known.max_attempts = known.attempt + 8

    @invariant()
    def the_rows_are_as_the_model_says(self) -> None:
        for row in self.loop.run(self._rows()):
            known = self.known[row["id"]]
            assert (row["status"], row["attempt"]) == (known.status, known.attempt)
            assert row["max_attempts"] == known.max_attempts
            assert (row["lease_owner"] is not None) == (row["status"] == "running")
            was, attempts = self.before.get(row["id"], ("queued", 0))
            assert row["status"] in _ALLOWED[was] or row["attempt"] > attempts
            assert row["attempt"] >= attempts
            self.before[row["id"]] = (row["status"], row["attempt"])

    async def _rows(self) -> list[Row]:
        async with self.database.read() as tx:
            return await tx.many(select(jobs))


Machine.TestCase.settings = settings(
    max_examples=examples(30),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)
TestMachine = Machine.TestCase
