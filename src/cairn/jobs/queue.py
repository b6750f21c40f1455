"""The queue: rows in the same database as the data they are about."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, insert, or_, select, update

from cairn.base import clock, ids
from cairn.storage.database import Tx
from cairn.storage.statements import Sql
from cairn.storage.tables import jobs

TOPIC = "jobs"
DEFAULT_ATTEMPTS = 8


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A claimed job. ``attempt`` fences: a worker that lost its lease cannot finish it."""

    id: str
    kind: str
    payload: dict[str, Any]
    attempt: int
    max_attempts: int


_INSERT = Sql(insert(jobs))

_DUE = or_(
    and_(jobs.c.status == "queued", jobs.c.run_at_ms <= bindparam("now_ms")),
    and_(jobs.c.status == "running", jobs.c.lease_until_ms < bindparam("now_ms")),
)
_NEXT = Sql(
    select(jobs.c.id, jobs.c.kind, jobs.c.payload, jobs.c.attempt, jobs.c.max_attempts)
    .where(_DUE)
    .order_by(jobs.c.run_at_ms)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_GIVE_UP = Sql(
    update(jobs)
    .where(
        jobs.c.status == "running",
        jobs.c.lease_until_ms < bindparam("now_ms"),
        jobs.c.attempt >= jobs.c.max_attempts,
    )
    .values(
        status="failed",
        error="the worker was lost",
        finished_at_ms=bindparam("now_ms"),
        lease_owner=None,
        lease_until_ms=None,
    )
)
_CLAIM = Sql(
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"))
    .values(
        status="running",
        attempt=bindparam("new_attempt"),
        lease_owner=bindparam("owner"),
        lease_until_ms=bindparam("until_ms"),
        started_at_ms=bindparam("now_ms"),
    )
)
_MINE = and_(jobs.c.id == bindparam("job_id"), jobs.c.attempt == bindparam("my_attempt"), jobs.c.status == "running")
_EXTEND = Sql(update(jobs).where(_MINE).values(lease_until_ms=bindparam("until_ms")))
_SETTLE = Sql(
    update(jobs)
    .where(_MINE)
    .values(
        status=bindparam("new_status"),
        run_at_ms=bindparam("new_run_at_ms"),
        error=bindparam("new_error"),
        finished_at_ms=bindparam("new_finished_at_ms"),
        lease_owner=None,
        lease_until_ms=None,
    )
)
_NEXT_DUE_AT = Sql(select(jobs.c.run_at_ms).where(jobs.c.status == "queued").order_by(jobs.c.run_at_ms).limit(1))


async def enqueue(
    tx: Tx,
    kind: str,
    payload: dict[str, Any],
    *,
    team_id: str | None = None,
    project_id: str | None = None,
    max_attempts: int = DEFAULT_ATTEMPTS,
) -> str:
    """Promise the work; it begins once the transaction has committed."""
    now_ms = clock.now_ms()
    job_id = ids.new("job")
    await tx.run(
        _INSERT,
        id=job_id,
        team_id=team_id,
        project_id=project_id,
        session_id=None,
        kind=kind,
        payload=msgspec.json.encode(payload).decode(),
        status="queued",
        stages="[]",
        attempt=0,
        max_attempts=max_attempts,
        run_at_ms=now_ms,
        lease_until_ms=None,
        lease_owner=None,
        error=None,
        result=None,
        retried_from=None,
        created_at_ms=now_ms,
        started_at_ms=None,
        finished_at_ms=None,
    )
    tx.notify(TOPIC, kind)
    return job_id


async def claim(tx: Tx, owner: str, lease_ms: int) -> Job | None:
    """Take the job that has been due longest, or one whose worker went silent."""
    now_ms = clock.now_ms()
    await tx.run(_GIVE_UP, now_ms=now_ms)
    row = await tx.one(_NEXT, now_ms=now_ms)
    if row is None:
        return None
    attempt = row["attempt"] + 1
    await tx.run(_CLAIM, job_id=row["id"], new_attempt=attempt, owner=owner, until_ms=now_ms + lease_ms, now_ms=now_ms)
    return Job(
        id=row["id"],
        kind=row["kind"],
        payload=msgspec.json.decode(row["payload"]),
        attempt=attempt,
        max_attempts=row["max_attempts"],
    )


async def extend(tx: Tx, job: Job, lease_ms: int) -> bool:
    """Keep the lease; False when it was lost to another worker."""
    until_ms = clock.now_ms() + lease_ms
    return await tx.run(_EXTEND, job_id=job.id, my_attempt=job.attempt, until_ms=until_ms) == 1


async def complete(tx: Tx, job: Job) -> bool:
    now_ms = clock.now_ms()
    return await _settle(tx, job, "completed", now_ms, None, now_ms)


async def fail(tx: Tx, job: Job, error: str, *, retry_in_ms: int | None) -> bool:
    """Put the job back for later, or give it up for an operator to see."""
    now_ms = clock.now_ms()
    if retry_in_ms is None:
        return await _settle(tx, job, "failed", now_ms, error, now_ms)
    tx.notify(TOPIC, job.kind)  # so that an idle runner learns when to wake
    return await _settle(tx, job, "queued", now_ms + retry_in_ms, error, None)


async def _settle(tx: Tx, job: Job, status: str, run_at_ms: int, error: str | None, finished_at_ms: int | None) -> bool:
    touched = await tx.run(
        _SETTLE,
        job_id=job.id,
        my_attempt=job.attempt,
        new_status=status,
        new_run_at_ms=run_at_ms,
        new_error=error,
        new_finished_at_ms=finished_at_ms,
    )
    return touched == 1


async def next_due_at_ms(tx: Tx) -> int | None:
    row = await tx.one(_NEXT_DUE_AT)
    return None if row is None else int(row["run_at_ms"])
