"""Returns jobs to the queue when their lease expires or their runner stops."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, case, null, or_, update

from loremark.base import clock
from loremark.jobs.queue import TOPIC
from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import jobs

_LONGEST_LEASE_MS = 2 * clock.DAY_MS
"""A longer lease was written by a clock that ran ahead; a live worker would have renewed it since."""
_now = bindparam("now_ms", type_=BigInteger)
_running = jobs.c.status == "running"
_used_up = and_(~jobs.c.cancel_requested, jobs.c.attempt >= jobs.c.max_attempts)


def _free(which: ColumnElement[bool], **values: Any) -> Any:
    return update(jobs).where(which).values(run_at_ms=_now, lease_owner=None, lease_until_ms=None, **values)


def _reclaim(which: ColumnElement[bool]) -> Sql:
    """Requeue after a crash. The attempt counts, because the job itself may have crashed the worker."""
    return Sql(
        _free(
            which,
            status=case((jobs.c.cancel_requested, "cancelled"), (_used_up, "failed"), else_="queued"),
            error=case((_used_up, "the process running the job stopped unexpectedly"), else_=jobs.c.error),
            finished_at_ms=case((jobs.c.cancel_requested, _now), (_used_up, _now), else_=null()),
        )
    )


_RECLAIM_EXPIRED = _reclaim(
    and_(_running, or_(jobs.c.lease_until_ms < _now, jobs.c.lease_until_ms > bindparam("longest_ms")))
)
_RECLAIM_ALL = _reclaim(_running)
_RELEASE = Sql(
    _free(
        and_(_running, jobs.c.lease_owner == bindparam("owner")),
        status=case((jobs.c.cancel_requested, "cancelled"), else_="queued"),
        finished_at_ms=case((jobs.c.cancel_requested, _now), else_=null()),
        max_attempts=jobs.c.max_attempts + 1,
    )
)


async def reclaim_expired(tx: Tx) -> int:
    """Requeue jobs with an expired lease, unless they were cancelled or have no attempts left."""
    now_ms = clock.now_ms()
    return await tx.run(_RECLAIM_EXPIRED, now_ms=now_ms, longest_ms=now_ms + _LONGEST_LEASE_MS)


async def reclaim_all(tx: Tx) -> int:
    """Requeue every running job. Only valid if no other worker is running."""
    return await tx.run(_RECLAIM_ALL, now_ms=clock.now_ms())


async def release_owned(tx: Tx, owner: str) -> int:
    """Requeue the owner's running jobs for immediate pickup.

    The attempt number is kept, because it fences off the old worker, and one extra attempt is allowed instead.
    """
    released = await tx.run(_RELEASE, owner=owner, now_ms=clock.now_ms())
    if released:
        tx.notify(TOPIC, "handed back")
    return released
