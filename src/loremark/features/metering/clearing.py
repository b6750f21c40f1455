"""What the deletion of a project does to the counters.

Its bytes are the team's again. What was done in a month stays done: rows that go are written down as gone, so that the
recount still finds every one of them.
"""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Table, bindparam, delete, select

from loremark.base.caller import Scope
from loremark.features.metering import slots, store
from loremark.features.metering.periods import FOR_EVER, period
from loremark.features.metering.slots import ENRICHMENTS, EVENTS, SESSIONS, STORAGE
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import blobs, events, jobs, sessions

ENRICHMENT_JOBS = "enrichment"


def gone(counter: str) -> str:
    """The name under which deleted rows of a month are counted."""
    return f"{counter} gone"


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


async def clear_events(tx: Tx, project_id: str, most: int) -> int:
    """Unscoped, as all of these: the job knows the project only. Up to so many rows; returns how many."""
    rows = await _take_away(tx, _EVENTS, _DELETE_EVENTS, project_id, most)
    await _write_down(tx, EVENTS, rows)
    await _give_back(tx, rows)
    return len(rows)


async def clear_blobs(tx: Tx, project_id: str, most: int) -> int:
    """Unscoped, see above."""
    rows = await _take_away(tx, _BLOBS, _DELETE_BLOBS, project_id, most)
    await _give_back(tx, rows)
    return len(rows)


async def clear_sessions(tx: Tx, project_id: str, most: int) -> int:
    """Unscoped, see above."""
    rows = await _take_away(tx, _SESSIONS, _DELETE_SESSIONS, project_id, most)
    await _write_down(tx, SESSIONS, rows)
    return len(rows)


async def clear_jobs(tx: Tx, project_id: str, most: int) -> int:
    """Unscoped, see above."""
    rows = await _take_away(tx, _JOBS, _DELETE_JOBS, project_id, most)
    await _write_down(tx, ENRICHMENTS, [row for row in rows if row["kind"] == ENRICHMENT_JOBS])
    return len(rows)


CLEARS = {"events": clear_events, "blobs": clear_blobs, "sessions": clear_sessions, "jobs": clear_jobs}


async def _take_away(tx: Tx, some: Sql, deletion: Sql, project_id: str, most: int) -> list[Row]:
    rows = await tx.many(some, of_project=project_id, take=most)
    if rows:
        await tx.sweep(deletion, of_project=project_id, keys=[row["key"] for row in rows])
    return rows


async def _write_down(tx: Tx, counter: str, rows: list[Row]) -> None:
    """Of this month only: earlier ones are not counted again."""
    this_month = period()
    by_team = Counter(row["team_id"] for row in rows if row["team_id"] and period(row["created_at_ms"]) == this_month)
    for team_id, count in by_team.items():
        await store.count(tx, Scope(team_id), this_month, gone(counter), count)


async def _give_back(tx: Tx, rows: list[Row]) -> None:
    by_team: Counter[str] = Counter()
    for row in rows:
        by_team[row["team_id"]] += row["size_bytes"]
    for team_id, size_bytes in sorted(by_team.items()):
        await slots.add(tx, Scope(team_id), FOR_EVER, {STORAGE: -size_bytes}, slots.any_slot())
