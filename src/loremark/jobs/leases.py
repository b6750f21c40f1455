"""Leases that end before their job does: lost with their worker, or handed back by one that stops."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, case, null, or_, update

from loremark.base import clock
from loremark.jobs.queue import TOPIC
from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import jobs

_LONGEST_LEASE_MS = 2 * clock.DAY_MS
"""Nobody asks for more: a clock that was ahead has written it, and a worker that lives would have renewed it."""
_now = bindparam("now_ms", type_=BigInteger)
_running = jobs.c.status == "running"
_used_up = and_(~jobs.c.cancel_requested, jobs.c.attempt >= jobs.c.max_attempts)


def _free(which: ColumnElement[bool], **values: Any) -> Any:
    return update(jobs).where(which).values(run_at_ms=_now, lease_owner=None, lease_until_ms=None, **values)


def _without_a_word(which: ColumnElement[bool]) -> Sql:
    """The worker is gone: the attempt counts, since the job itself may have taken it down."""
    return Sql(
        _free(
            which,
            status=case((jobs.c.cancel_requested, "cancelled"), (_used_up, "failed"), else_="queued"),
            error=case((_used_up, "the worker was lost"), else_=jobs.c.error),
            finished_at_ms=case((jobs.c.cancel_requested, _now), (_used_up, _now), else_=null()),
        )
    )


_TAKE_BACK_LOST = _without_a_word(
    and_(_running, or_(jobs.c.lease_until_ms < _now, jobs.c.lease_until_ms > bindparam("longest_ms")))
)
_TAKE_BACK_ALL = _without_a_word(_running)
_HAND_BACK = Sql(
    _free(
        and_(_running, jobs.c.lease_owner == bindparam("owner")),
        status=case((jobs.c.cancel_requested, "cancelled"), else_="queued"),
        finished_at_ms=case((jobs.c.cancel_requested, _now), else_=null()),
        max_attempts=jobs.c.max_attempts + 1,
    )
)


async def take_back_lost(tx: Tx) -> int:
    """Jobs whose worker went silent wait again, unless they shall be cancelled or have used up their attempts."""
    now_ms = clock.now_ms()
    return await tx.run(_TAKE_BACK_LOST, now_ms=now_ms, longest_ms=now_ms + _LONGEST_LEASE_MS)


async def take_back_all(tx: Tx) -> int:
    """The same for every job under way; for whoever knows that there is no worker at all."""
    return await tx.run(_TAKE_BACK_ALL, now_ms=clock.now_ms())


async def hand_back(tx: Tx, owner: str) -> int:
    """What this owner has under way waits again and may be taken at once.

    The attempt keeps its number, which fences whoever still works on it, and one more is allowed in its place.
    """
    handed_back = await tx.run(_HAND_BACK, owner=owner, now_ms=clock.now_ms())
    if handed_back:
        tx.notify(TOPIC, "handed back")
    return handed_back
