"""Work that is done again and again: one row for the whole installation, which waits for its next time."""

from __future__ import annotations

import msgspec
from sqlalchemy import bindparam, update

from loremark.base import clock
from loremark.jobs.queue import RECURRING, TOPIC, enqueue
from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import jobs

_CLOCK_MS = clock.MINUTE_MS
"""How far clocks may be apart before the difference is one that somebody has set right."""

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
    """See that it is there, in this rhythm."""
    payload = {"everyMs": every_ms}
    job_id = f"{RECURRING}{kind}"
    await enqueue(tx, kind, payload, max_attempts=1_000_000, job_id=job_id)
    await tx.run(_SET_RHYTHM, job_id=job_id, new_payload=msgspec.json.encode(payload).decode())


async def hasten(tx: Tx, kind: str) -> None:
    """Let it be due now, if it is not under way."""
    now_ms = clock.now_ms()
    if await tx.run(_BRING_FORWARD, job_id=f"{RECURRING}{kind}", now_ms=now_ms, latest_ms=now_ms):
        tx.notify(TOPIC, kind)


def waits_too_long(due_at_ms: int, every_ms: int) -> bool:
    """Whether a clock that was ahead has put it off: it never waits for more than its own rhythm."""
    return due_at_ms > _latest_ms(every_ms)


async def bring_forward(tx: Tx, kind: str, every_ms: int) -> None:
    """What waits too long is due now."""
    await tx.run(_BRING_FORWARD, job_id=f"{RECURRING}{kind}", now_ms=clock.now_ms(), latest_ms=_latest_ms(every_ms))


def _latest_ms(every_ms: int) -> int:
    return clock.now_ms() + every_ms + _CLOCK_MS
