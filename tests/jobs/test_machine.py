"""Stateful test of the queue against a model: one holder at a time, and only the holder can settle a job."""

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
class JobModel:
    """The expected state of a job."""

    status: str = "queued"
    attempt: int = 0
    max_attempts: int = 3
    run_at_ms: int = 0
    lease_until_ms: int = 0
    cancel: bool = False
    holder: queue.Job | None = field(default=None)


class Machine(RuleBasedStateMachine):
    """Workers claim, extend, settle, stall and return late; the operator cancels and retries; time passes."""

    claimed: Bundle[queue.Job] = Bundle("claimed")

    def __init__(self) -> None:
        super().__init__()
        self.now_ms = 1_800_000_000_000
        self.models: dict[str, JobModel] = {}
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

    def _write(self, operation: Any, *arguments: Any, **named: Any) -> Any:
        async def run() -> Any:
            async with self.database.write() as tx:
                return await operation(tx, *arguments, **named)

        return self.loop.run(run())

    def _holds(self, job: queue.Job) -> JobModel | None:
        model = self.models[job.id]
        return model if model.holder is job else None

    @initialize()
    def begin(self) -> None:
        self.enqueue(0)

    @precondition(lambda self: len(self.models) < 2)
    @rule(delay_ms=st.sampled_from([0, 0, 500]))
    def enqueue(self, delay_ms: int) -> None:
        at_ms = self.now_ms + delay_ms
        job_id = self._write(queue.enqueue, "count", {}, max_attempts=3, run_at_ms=at_ms)
        self.models[job_id] = JobModel(run_at_ms=at_ms)

    @rule(target=claimed, later_ms=st.sampled_from([_LEASE_MS + 1, 400, 0]))
    def claim(self, later_ms: int) -> Any:
        """Time passes; a worker reclaims expired leases and claims the job that has been due longest."""
        self.now_ms += later_ms
        for model in self.models.values():
            if model.status == "running" and model.lease_until_ms < self.now_ms:
                exhausted = model.attempt >= model.max_attempts
                model.status = "cancelled" if model.cancel else "failed" if exhausted else "queued"
                model.run_at_ms, model.holder = self.now_ms, None
        due = {job_id: k for job_id, k in self.models.items() if k.status == "queued" and k.run_at_ms <= self.now_ms}
        owner = f"worker {len(self.owners)}"
        job = self.loop.run(work.claim(self.database, owner, _LEASE_MS))
        assert (job is None) == (not due)
        if job is None:
            return multiple()
        self.owners[id(job)] = owner
        model = due[job.id]
        assert model.run_at_ms == min(other.run_at_ms for other in due.values())
        model.status, model.attempt = "running", model.attempt + 1
        model.lease_until_ms, model.holder = self.now_ms + _LEASE_MS, job
        assert job.attempt == model.attempt
        return job

    @rule(job=claimed)
    def extend(self, job: queue.Job) -> None:
        model = self._holds(job)
        cancel_requested = self._write(queue.extend, job, _LEASE_MS)
        assert cancel_requested == (model.cancel if model else None)
        if model:
            model.lease_until_ms = self.now_ms + _LEASE_MS

    @rule(job=claimed)
    def checkpoint(self, job: queue.Job) -> None:
        model = self._holds(job)
        assert self._write(queue.checkpoint, job, [queue.Stage("read")]) == (model.cancel if model else None)

    @rule(job=claimed, how=st.sampled_from(["complete", "retry", "give up", "cancel"]))
    def settle(self, job: queue.Job, how: str) -> None:
        """The job stays in the bundle because its worker may return late and try again."""
        model = self._holds(job)
        if how == "complete":
            done = self._write(queue.complete, job)
        elif how == "cancel":
            done = self._write(queue.mark_cancelled, job)
        else:
            done = self._write(queue.fail, job, "no", retry_in_ms=300 if how == "retry" else None)
        assert done == (model is not None)
        if model:
            model.holder = None
            ends = {"complete": "completed", "cancel": "cancelled", "retry": "queued", "give up": "failed"}
            model.status = ends[how]
            model.run_at_ms = self.now_ms + (300 if how == "retry" else 0)

    @rule(job=claimed)
    def release_owned(self, job: queue.Job) -> None:
        """Its worker shuts down cleanly, perhaps after losing the lease."""
        model = self._holds(job)
        assert self._write(leases.release_owned, self.owners[id(job)]) == (model is not None)
        if model:
            model.holder, model.run_at_ms = None, self.now_ms
            model.status = "cancelled" if model.cancel else "queued"
            model.max_attempts += 1

    @rule(data=st.data(), what=st.sampled_from(["cancel", "retry"]))
    def operate(self, data: st.DataObject, what: str) -> None:
        job_id = data.draw(st.sampled_from(sorted(self.models)))
        model = self.models[job_id]
        if what == "cancel":
            assert self._write(operator.cancel_job, job_id) == (model.status in ("queued", "running"))
            model.cancel = model.cancel or model.status == "running"
            model.status = "cancelled" if model.status == "queued" else model.status
            return
        dead = model.status in ("failed", "cancelled")
        assert self._write(operator.retry_job, job_id) == dead
        if dead:
            model.status, model.run_at_ms, model.cancel = "queued", self.now_ms, False
            model.max_attempts = model.attempt + 8

    @invariant()
    def rows_match_the_model(self) -> None:
        for row in self.loop.run(self._rows()):
            model = self.models[row["id"]]
            assert (row["status"], row["attempt"]) == (model.status, model.attempt)
            assert row["max_attempts"] == model.max_attempts
            assert (row["lease_owner"] is not None) == (row["status"] == "running")
            previous, attempts = self.before.get(row["id"], ("queued", 0))
            assert row["status"] in _ALLOWED[previous] or row["attempt"] > attempts
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
