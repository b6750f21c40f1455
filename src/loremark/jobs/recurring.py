"""Recurring jobs: one row per kind for the whole installation."""

from __future__ import annotations

import msgspec
from sqlalchemy import bindparam, update

from loremark.base import clock
from loremark.jobs.queue import RECURRING, TOPIC, enqueue
from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import jobs

_CLOCK_MS = clock.MINUTE_MS
"""Tolerated clock difference; more means that a clock was corrected."""

_SET_RHYTHM = Sql(
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"), jobs.c.payload != bindparam("new_payload"))
    .values(payload=bindparam("new_payload"))
)
_BRING_FORWARD = Sql(
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"), jobs.c.status == "queued", jobs.c.run_at_ms > bindparam("latest_ms"))
    .values(run_at_ms=bindparam("now_ms"))
)


async def ensure(tx: Tx, kind: str, every_ms: int) -> None:
    """Create the recurring job or update its interval."""
    payload = {"everyMs": every_ms}
    job_id = f"{RECURRING}{kind}"
    await enqueue(tx, kind, payload, max_attempts=1_000_000, job_id=job_id)
    await tx.run(_SET_RHYTHM, job_id=job_id, new_payload=msgspec.json.encode(payload).decode())


async def make_due(tx: Tx, kind: str) -> None:
    """Make the job due now, unless it is running."""
    now_ms = clock.now_ms()
    if await tx.run(_BRING_FORWARD, job_id=f"{RECURRING}{kind}", now_ms=now_ms, latest_ms=now_ms):
        tx.notify(TOPIC, kind)


def waits_too_long(due_at_ms: int, every_ms: int) -> bool:
    """Return whether the job is scheduled later than its interval allows, because a clock ran ahead."""
    return due_at_ms > _latest_ms(every_ms)


async def bring_forward(tx: Tx, kind: str, every_ms: int) -> None:
    """Make the job due now if it is scheduled too late."""
    await tx.run(_BRING_FORWARD, job_id=f"{RECURRING}{kind}", now_ms=clock.now_ms(), latest_ms=_latest_ms(every_ms))


def _latest_ms(every_ms: int) -> int:
    return clock.now_ms() + every_ms + _CLOCK_MS
