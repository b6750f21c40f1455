"""The job queue, stored in the same database as the data.

A job belongs to a lane (its team and kind). Claiming looks at lanes, not jobs: a team with a million queued jobs costs
no more than a team with one, and delays only itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, select, update

from loremark.base import clock, ids
from loremark.jobs.lanes import lane_of
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import jobs

TOPIC = "jobs"
RECURRING = "every/"
"""Prefix of the ids of recurring jobs."""
DEFAULT_ATTEMPTS = 100
"""About a day of retries, to survive an outage of a mail server or a bucket."""
_ERROR_CHARS = 1_000


class Stage(msgspec.Struct):
    """A step of a job. Completed stages are not repeated on retry."""

    stage: str
    status: str = "pending"
    duration: int | None = None


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A claimed job. ``attempt`` is a fencing token: a worker that lost its lease cannot change the job."""

    id: str
    kind: str
    payload: dict[str, Any]
    attempt: int
    max_attempts: int
    started_at_ms: int
    team_id: str | None = None
    project_id: str | None = None
    session_id: str | None = None
    retried_from: str | None = None
    every_ms: int | None = None
    stages: list[Stage] = []
    result: dict[str, Any] | None = None


_INSERT = Sql(lambda new: new(jobs).on_conflict_do_nothing(index_elements=["id"]))

_waiting = jobs.alias("waiting")
_due_longest = (
    select(_waiting.c.id)
    .where(
        _waiting.c.status == "queued",
        _waiting.c.lane == bindparam("in_lane"),
        _waiting.c.run_at_ms <= bindparam("now_ms"),
    )
    .order_by(_waiting.c.run_at_ms)
    .limit(1)
    .with_for_update(skip_locked=True)
    .scalar_subquery()
)
_CLAIM = Sql(
    update(jobs)
    .where(jobs.c.id == _due_longest)
    .values(
        status="running",
        attempt=jobs.c.attempt + 1,
        lease_owner=bindparam("owner"),
        lease_until_ms=bindparam("until_ms"),
        started_at_ms=bindparam("now_ms"),
    )
    .returning(jobs)
)
_GIVE_UP = Sql(
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"))
    .values(
        status="failed",
        error=bindparam("new_error"),
        finished_at_ms=bindparam("now_ms"),
        lease_owner=None,
        lease_until_ms=None,
    )
)
_mine = and_(jobs.c.id == bindparam("job_id"), jobs.c.attempt == bindparam("my_attempt"), jobs.c.status == "running")
_EXTEND = Sql(update(jobs).where(_mine).values(lease_until_ms=bindparam("until_ms")).returning(jobs.c.cancel_requested))
_CHECKPOINT = Sql(update(jobs).where(_mine).values(stages=bindparam("new_stages")).returning(jobs.c.cancel_requested))
_SAVE_RESULT = Sql(update(jobs).where(_mine).values(result=bindparam("new_result")))
_SETTLE = Sql(
    update(jobs)
    .where(_mine)
    .values(
        status=bindparam("new_status"),
        run_at_ms=bindparam("new_run_at_ms"),
        error=bindparam("new_error"),
        finished_at_ms=bindparam("new_finished_at_ms"),
        lease_owner=None,
        lease_until_ms=None,
    )
)
_SETTLE_RECURRING = Sql(
    update(jobs)
    .where(_mine)
    .values(
        status="queued",
        run_at_ms=bindparam("new_run_at_ms"),
        error=bindparam("new_error"),
        max_attempts=jobs.c.attempt + 1_000_000,
        stages="[]",
        lease_owner=None,
        lease_until_ms=None,
    )
)


async def enqueue(
    tx: Tx,
    kind: str,
    payload: Mapping[str, Any],
    *,
    team_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    run_at_ms: int | None = None,
    max_attempts: int = DEFAULT_ATTEMPTS,
    stages: Sequence[str | Stage] = (),
    job_id: str | None = None,
    retried_from: str | None = None,
) -> str:
    """Add a job that starts after the transaction commits. A ``job_id`` that already exists is left unchanged."""
    now_ms = clock.now_ms()
    job_id = job_id or ids.new("job")
    await tx.run(
        _INSERT,
        id=job_id,
        team_id=team_id,
        project_id=project_id,
        session_id=session_id,
        kind=kind,
        lane=lane_of(team_id, kind),
        payload=msgspec.json.encode(payload).decode(),
        status="queued",
        stages=msgspec.json.encode([Stage(known) if isinstance(known, str) else known for known in stages]).decode(),
        attempt=0,
        max_attempts=max_attempts,
        run_at_ms=now_ms if run_at_ms is None else run_at_ms,
        lease_until_ms=None,
        lease_owner=None,
        cancel_requested=False,
        error=None,
        result=None,
        retried_from=retried_from,
        created_at_ms=now_ms,
        started_at_ms=None,
        finished_at_ms=None,
    )
    tx.notify(TOPIC, kind)
    return job_id


async def enqueue_failed(
    tx: Tx,
    kind: str,
    payload: Mapping[str, Any],
    error: str,
    *,
    team_id: str,
    project_id: str | None,
    session_id: str | None = None,
    stages: Sequence[str] = (),
) -> str:
    """Record failed work as a failed job, which an operator can see and retry."""
    job_id = await enqueue(
        tx, kind, payload, team_id=team_id, project_id=project_id, session_id=session_id, stages=stages
    )
    await tx.run(_GIVE_UP, job_id=job_id, new_error=_storable(error), now_ms=clock.now_ms())
    return job_id


async def claim(tx: Tx, lane: str, owner: str, lease_ms: int) -> Job | None:
    """Claim the lane's longest-due job, or return None if there is none left."""
    now_ms = clock.now_ms()
    while row := await tx.one(_CLAIM, in_lane=lane, now_ms=now_ms, owner=owner, until_ms=now_ms + lease_ms):
        try:
            return _job(row)
        except msgspec.DecodeError as error:  # mark it failed for the operator, so it does not block the lane
            await tx.run(_GIVE_UP, job_id=row["id"], new_error=f"cannot decode the job: {error}", now_ms=now_ms)
    return None


def _job(row: Row) -> Job:
    payload = msgspec.json.decode(row["payload"], type=dict[str, Any])
    return Job(
        id=row["id"],
        kind=row["kind"],
        payload=payload,
        attempt=row["attempt"],
        max_attempts=row["max_attempts"],
        started_at_ms=row["started_at_ms"],
        team_id=row["team_id"],
        project_id=row["project_id"],
        session_id=row["session_id"],
        retried_from=row["retried_from"],
        every_ms=payload.get("everyMs") if row["id"].startswith(RECURRING) else None,
        stages=msgspec.json.decode(row["stages"], type=list[Stage]),
        result=msgspec.json.decode(row["result"], type=dict[str, Any]) if row["result"] else None,
    )


async def extend(tx: Tx, job: Job, lease_ms: int) -> bool | None:
    """Renew the lease. Return None if it was lost, else whether cancellation was requested."""
    row = await tx.one(_EXTEND, job_id=job.id, my_attempt=job.attempt, until_ms=clock.now_ms() + lease_ms)
    return None if row is None else bool(row["cancel_requested"])


async def checkpoint(tx: Tx, job: Job, stages: Sequence[Stage]) -> bool | None:
    """Save the stages. Return None if the lease was lost, else whether cancellation was requested."""
    encoded = msgspec.json.encode(stages).decode()
    row = await tx.one(_CHECKPOINT, job_id=job.id, my_attempt=job.attempt, new_stages=encoded)
    return None if row is None else bool(row["cancel_requested"])


async def save_result(tx: Tx, job: Job, result: Mapping[str, Any]) -> bool:
    """Save the job's result in the transaction of its effects. Return False if the lease was lost."""
    encoded = msgspec.json.encode(result).decode()
    return await tx.run(_SAVE_RESULT, job_id=job.id, my_attempt=job.attempt, new_result=encoded) == 1


async def complete(tx: Tx, job: Job) -> bool:
    """Mark as completed, or schedule the next run of a recurring job. Return False if the lease was lost."""
    now_ms = clock.now_ms()
    if job.every_ms is not None:  # from its start: it may have missed later changes
        return await _settle_recurring(tx, job, min(now_ms, job.started_at_ms) + job.every_ms, None)
    return await _settle(tx, job, "completed", now_ms, None, now_ms)


async def fail(tx: Tx, job: Job, error: str, *, retry_in_ms: int | None) -> bool:
    """Requeue the job for later, or mark it failed if ``retry_in_ms`` is None."""
    now_ms = clock.now_ms()
    if job.every_ms is not None:
        return await _settle_recurring(tx, job, now_ms + job.every_ms, error)
    if retry_in_ms is None:
        return await _settle(tx, job, "failed", now_ms, error, now_ms)
    tx.notify(TOPIC, job.kind)  # so an idle runner knows when to wake
    return await _settle(tx, job, "queued", now_ms + retry_in_ms, error, None)


async def mark_cancelled(tx: Tx, job: Job) -> bool:
    now_ms = clock.now_ms()
    return await _settle(tx, job, "cancelled", now_ms, None, now_ms)


async def _settle(
    tx: Tx,
    job: Job,
    status: str,
    run_at_ms: int,
    error: str | None,
    finished_at_ms: int | None,
) -> bool:
    touched = await tx.run(
        _SETTLE,
        job_id=job.id,
        my_attempt=job.attempt,
        new_status=status,
        new_run_at_ms=run_at_ms,
        new_error=_storable(error) if error else None,
        new_finished_at_ms=finished_at_ms,
    )
    return touched == 1


async def _settle_recurring(tx: Tx, job: Job, run_at_ms: int, error: str | None) -> bool:
    settled = {"new_run_at_ms": run_at_ms, "new_error": _storable(error) if error else None}
    return await tx.run(_SETTLE_RECURRING, job_id=job.id, my_attempt=job.attempt, **settled) == 1


def _storable(error: str) -> str:
    """Make an error message safe to store: no NUL, valid UTF-8, truncated."""
    return error.replace("\0", "").encode(errors="replace").decode()[:_ERROR_CHARS]
