"""How deleting a project, a session or expired data affects the counters.

Storage is released. Monthly counters do not go down: deleted rows of this month are counted separately, so that the
recount still adds up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Table, bindparam, delete, select

from loremark.base.caller import Scope
from loremark.features.metering import counter_slots, store
from loremark.features.metering.counter_slots import ENRICHMENTS, EVENTS, SESSIONS, STORAGE
from loremark.features.metering.periods import ALL_TIME, period
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import blobs, events, jobs, sessions

ENRICHMENT_JOBS = "enrichment"
SESSION_PURGE = "sessions.purge"
"""Kind of the job that every deletion of a session starts."""
RETENTION = "retention.enforce"
"""Kind of the job that deletes a project's expired data."""


def deleted_counter(counter: str) -> str:
    """The counter for this month's deleted rows."""
    return f"{counter} deleted"


def _some(table: Table, key: str, *more: str) -> Sql:
    columns = [table.c[key].label("key"), table.c.team_id, table.c.created_at_ms, *(table.c[name] for name in more)]
    of_project = select(*columns).where(table.c.project_id == bindparam("of_project"))
    return Sql(of_project.order_by(table.c[key]).limit(bindparam("take")).with_for_update())


def _delete(table: Table, key: str) -> Sql:
    return Sql(delete(table).where(table.c.project_id == bindparam("of_project"), InList(table.c[key], "keys")))


_EVENTS, _DELETE_EVENTS = _some(events, "id", "size_bytes"), _delete(events, "id")
_BLOBS, _DELETE_BLOBS = _some(blobs, "sha256", "size_bytes"), _delete(blobs, "sha256")
_SESSIONS, _DELETE_SESSIONS = _some(sessions, "id"), _delete(sessions, "id")
_JOBS, _DELETE_JOBS = _some(jobs, "id", "kind"), _delete(jobs, "id")


async def clear_events(tx: Tx, project_id: str, limit: int) -> int:
    """Delete up to ``limit`` rows and return how many. Unscoped, because the job only knows the project."""
    rows = await _delete_rows(tx, _EVENTS, _DELETE_EVENTS, project_id, limit)
    await count_deleted(tx, EVENTS, rows)
    await release_storage(tx, rows)
    return len(rows)


async def clear_blobs(tx: Tx, project_id: str, limit: int) -> int:
    """Like ``clear_events``."""
    rows = await _delete_rows(tx, _BLOBS, _DELETE_BLOBS, project_id, limit)
    await release_storage(tx, rows)
    return len(rows)


async def clear_sessions(tx: Tx, project_id: str, limit: int) -> int:
    """Like ``clear_events``."""
    rows = await _delete_rows(tx, _SESSIONS, _DELETE_SESSIONS, project_id, limit)
    await count_deleted(tx, SESSIONS, rows)
    return len(rows)


async def clear_jobs(tx: Tx, project_id: str, limit: int) -> int:
    """Like ``clear_events``."""
    rows = await _delete_rows(tx, _JOBS, _DELETE_JOBS, project_id, limit)
    await count_deleted(tx, ENRICHMENTS, [row for row in rows if row["kind"] == ENRICHMENT_JOBS])
    return len(rows)


CLEAR_FUNCTIONS = {"events": clear_events, "blobs": clear_blobs, "sessions": clear_sessions, "jobs": clear_jobs}


async def _delete_rows(tx: Tx, some: Sql, deletion: Sql, project_id: str, limit: int) -> list[Row]:
    rows = await tx.many(some, of_project=project_id, take=limit)
    if rows:
        await tx.sweep(deletion, of_project=project_id, keys=[row["key"] for row in rows])
    return rows


async def count_deleted(tx: Tx, counter: str, rows: Sequence[Row]) -> None:
    """Count this month's deleted rows; earlier months are not recounted. Unscoped: rows name their team."""
    this_month = period()
    by_team = Counter(row["team_id"] for row in rows if row["team_id"] and period(row["created_at_ms"]) == this_month)
    for team_id, count in by_team.items():
        await store.count(tx, Scope(team_id), this_month, deleted_counter(counter), count)


async def release_storage(tx: Tx, rows: Sequence[Row]) -> None:
    """Subtract the size of deleted rows. Unscoped: rows name their team."""
    by_team: Counter[str] = Counter()
    for row in rows:
        by_team[row["team_id"]] += row["size_bytes"]
    for team_id, size_bytes in sorted(by_team.items()):
        await counter_slots.add(tx, Scope(team_id), ALL_TIME, {STORAGE: -size_bytes}, counter_slots.random_slot())
