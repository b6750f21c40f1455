"""Operator actions: list, retry, cancel and prune jobs."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, or_, select, update

from loremark.base import clock
from loremark.jobs.queue import RECURRING, TOPIC
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import jobs

_GET = Sql(select(jobs).where(jobs.c.id == bindparam("job_id")))
_RETRY = Sql(
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"), or_(jobs.c.status == "failed", jobs.c.status == "cancelled"))
    .values(
        status="queued",
        run_at_ms=bindparam("now_ms"),
        max_attempts=jobs.c.attempt + bindparam("more"),
        cancel_requested=False,
        finished_at_ms=None,
    )
)
_CANCEL_WAITING = Sql(
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"), jobs.c.status == "queued")
    .values(status="cancelled", finished_at_ms=bindparam("now_ms"))
)
_CANCEL_RUNNING = Sql(
    update(jobs).where(jobs.c.id == bindparam("job_id"), jobs.c.status == "running").values(cancel_requested=True)
)
_MORE_ATTEMPTS = 8


async def list_jobs(tx: Tx, *, status: str | None, kind: str | None, take: int) -> list[Row]:
    """Newest first."""
    statement = select(jobs)
    if status is not None:
        statement = statement.where(jobs.c.status == status)
    if kind is not None:
        statement = statement.where(jobs.c.kind == kind)
    return await tx.many(statement.order_by(jobs.c.id.desc()).limit(take))


async def find_job(tx: Tx, job_id: str) -> Row | None:
    return await tx.one(_GET, job_id=job_id)


async def retry_job(tx: Tx, job_id: str) -> bool:
    """Requeue a failed or cancelled job. Completed stages are not repeated."""
    done = await tx.run(_RETRY, job_id=job_id, now_ms=clock.now_ms(), more=_MORE_ATTEMPTS) == 1
    if done:
        tx.notify(TOPIC, "retry")
    return done


async def cancel_job(tx: Tx, job_id: str) -> bool:
    """Cancel a queued job immediately, a running one at its next checkpoint. Recurring jobs cannot be cancelled."""
    if job_id.startswith(RECURRING):
        return False
    if await tx.run(_CANCEL_WAITING, job_id=job_id, now_ms=clock.now_ms()):
        return True
    return await tx.run(_CANCEL_RUNNING, job_id=job_id) == 1


async def prune_jobs(tx: Tx, *, finished_before_ms: int, take: int) -> int:
    """Delete old completed and cancelled jobs. Failed jobs are kept for the operator."""
    old = (
        select(jobs.c.id)
        .where(jobs.c.status.in_(("completed", "cancelled")), jobs.c.finished_at_ms < finished_before_ms)
        .limit(take)
    )
    return await tx.sweep(delete(jobs).where(jobs.c.id.in_(old)))
