"""Row counts of a team, before and after a mark. See ``recount``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Column, Table, and_, bindparam, case, func, or_, select

from loremark.base.caller import Scope
from loremark.features.metering.counter_slots import ENRICHMENTS, EVENTS, SESSIONS, STORAGE
from loremark.features.metering.project_deletion import ENRICHMENT_JOBS, RETENTION, SESSION_PURGE
from loremark.jobs.lanes import lane_of
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import blobs, events, jobs, projects, sessions, teams

_BATCH_SESSIONS = 100


def _sum_of(column: Column[int]) -> object:
    return func.coalesce(func.sum(column), 0).label("bytes")


def _in_month(table: Table) -> object:
    of_month = case((table.c.created_at_ms >= bindparam("since_ms"), 1), else_=0)
    return func.coalesce(func.sum(of_month), 0).label("found")


_TEAMS = Sql(select(teams.c.id).where(teams.c.id > bindparam("after")).order_by(teams.c.id).limit(bindparam("take")))
_PROJECTS = Sql(select(projects.c.id, projects.c.deleted_at_ms).where(projects.c.team_id == bindparam("scope")))
_SESSIONS = Sql(
    select(sessions.c.id, sessions.c.created_at_ms)
    .where(
        sessions.c.team_id == bindparam("scope"),
        sessions.c.project_id == bindparam("of_project"),
        sessions.c.id > bindparam("after"),
    )
    .order_by(sessions.c.id)
    .limit(_BATCH_SESSIONS)
)
_SESSIONS_AFTER = Sql(
    select(func.count().label("found"))
    .select_from(sessions)
    .where(
        sessions.c.team_id == bindparam("scope"),
        sessions.c.project_id == bindparam("of_project"),
        sessions.c.id > bindparam("mark"),
        sessions.c.created_at_ms >= bindparam("since_ms"),
    )
)
_DELETIONS = Sql(
    select(jobs.c.id)
    .where(
        or_(*(jobs.c.status == status for status in ("queued", "running", "completed", "failed", "cancelled"))),
        jobs.c.lane == bindparam("lane"),
        or_(jobs.c.finished_at_ms.is_(None), jobs.c.finished_at_ms >= bindparam("since_ms")),
    )
    .limit(1)
)
_EVENTS_BEFORE = Sql(
    select(_in_month(events), _sum_of(events.c.size_bytes)).where(  # type: ignore[call-overload]
        events.c.team_id == bindparam("scope"),
        InList(events.c.session_id, "in_sessions"),
        events.c.id <= bindparam("mark"),
    )
)
_EVENTS_AFTER = Sql(
    select(_in_month(events), _sum_of(events.c.size_bytes)).where(  # type: ignore[call-overload]
        events.c.team_id == bindparam("scope"), events.c.id > bindparam("mark")
    )
)
_of_kind = and_(
    jobs.c.team_id == bindparam("scope"),
    jobs.c.kind == ENRICHMENT_JOBS,
    jobs.c.created_at_ms >= bindparam("since_ms"),
)
_count_jobs = select(func.count().label("found")).select_from(jobs).where(_of_kind)
_JOBS_BEFORE = Sql(_count_jobs.where(jobs.c.project_id == bindparam("of_project"), jobs.c.id <= bindparam("mark")))
_JOBS_AFTER = Sql(_count_jobs.where(jobs.c.id > bindparam("mark")))
_BLOBS = Sql(
    select(_sum_of(blobs.c.size_bytes)).where(  # type: ignore[call-overload]
        blobs.c.team_id == bindparam("scope"),
        blobs.c.project_id == bindparam("of_project"),
        blobs.c.created_at_ms > bindparam("after_ms"),
        blobs.c.created_at_ms <= bindparam("until_ms"),
    )
)
_NEVER_MS = 2**53


async def list_teams(tx: Tx, after: str, take: int) -> list[str]:
    """Unscoped: team ids for maintenance, in order."""
    return [row["id"] for row in await tx.many(_TEAMS, after=after, take=take)]


async def list_projects(tx: Tx, scope: Scope) -> dict[str, bool]:
    """All projects with rows, and whether each still exists."""
    return {row["id"]: row["deleted_at_ms"] is None for row in await tx.many(_PROJECTS, scope=scope)}


async def list_sessions(tx: Tx, scope: Scope, project_id: str, after: str) -> list[Row]:
    """List a page of a project's sessions, oldest first."""
    return await tx.many(_SESSIONS, scope=scope, of_project=project_id, after=after)


def sessions_up_to(rows: Sequence[Row], mark: str, since_ms: int) -> Counter[str]:
    return Counter({SESSIONS: sum(row["id"] <= mark and row["created_at_ms"] >= since_ms for row in rows)})


async def has_deletion(tx: Tx, scope: Scope, since_ms: int) -> bool:
    """Return whether the deletion of sessions or events was in progress at any moment since then."""
    for kind in (SESSION_PURGE, RETENTION):
        if await tx.one(_DELETIONS, lane=lane_of(scope, kind), since_ms=since_ms) is not None:
            return True
    return False


async def count_sessions_after(tx: Tx, scope: Scope, project_id: str, mark: str, since_ms: int) -> Counter[str]:
    rows = await tx.many(_SESSIONS_AFTER, scope=scope, of_project=project_id, mark=mark, since_ms=since_ms)
    return Counter({SESSIONS: int(rows[0]["found"])})


async def count_events_before(
    tx: Tx, scope: Scope, in_sessions: Sequence[Row], mark: str, since_ms: int
) -> Counter[str]:
    session_ids = [row["id"] for row in in_sessions]
    rows = await tx.many(_EVENTS_BEFORE, scope=scope, in_sessions=session_ids, mark=mark, since_ms=since_ms)
    return Counter({EVENTS: int(rows[0]["found"]), STORAGE: int(rows[0]["bytes"])})


async def count_events_after(tx: Tx, scope: Scope, mark: str, since_ms: int) -> Counter[str]:
    rows = await tx.many(_EVENTS_AFTER, scope=scope, mark=mark, since_ms=since_ms)
    return Counter({EVENTS: int(rows[0]["found"]), STORAGE: int(rows[0]["bytes"])})


async def count_jobs_before(tx: Tx, scope: Scope, project_id: str, mark: str, since_ms: int) -> Counter[str]:
    rows = await tx.many(_JOBS_BEFORE, scope=scope, of_project=project_id, mark=mark, since_ms=since_ms)
    return Counter({ENRICHMENTS: int(rows[0]["found"])})


async def count_jobs_after(tx: Tx, scope: Scope, mark: str, since_ms: int) -> Counter[str]:
    rows = await tx.many(_JOBS_AFTER, scope=scope, mark=mark, since_ms=since_ms)
    return Counter({ENRICHMENTS: int(rows[0]["found"])})


async def count_blobs(
    tx: Tx, scope: Scope, project_id: str, *, after_ms: int = -1, until_ms: int = _NEVER_MS
) -> Counter[str]:
    rows = await tx.many(_BLOBS, scope=scope, of_project=project_id, after_ms=after_ms, until_ms=until_ms)
    return Counter({STORAGE: int(rows[0]["bytes"])})
