"""Counts for many projects at once, one query per table."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import BigInteger, bindparam, case, func, literal_column, select

from loremark.base.caller import Scope
from loremark.base.clock import DAY_MS
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import contexts, items, projects, sessions

WEEK_MS = 7 * DAY_MS

# Only the team's projects. The counted tables can then be read from their indexes alone.
_projects = select(projects.c.id).where(projects.c.team_id == bindparam("scope"), InList(projects.c.id, "wanted"))
_count = func.count().label("found")
# Grouped by tier too, in index order, so that nothing has to be sorted.
_ITEMS = Sql(
    select(items.c.project_id, items.c.status, items.c.flags, _count, func.sum(items.c.token_count).label("tokens"))
    .where(items.c.project_id.in_(_projects))
    .group_by(items.c.project_id, items.c.status, items.c.tier, items.c.flags)
)
_week = (items.c.created_at_ms - bindparam("since_ms", type_=BigInteger)) // literal_column(str(WEEK_MS), BigInteger)
_GROWTH = Sql(
    select(items.c.project_id, _week.label("week"), _count)
    .where(items.c.project_id.in_(_projects), items.c.created_at_ms >= bindparam("since_ms", type_=BigInteger))
    .group_by(items.c.project_id, literal_column("week"))
)
_last_event = func.max(case((sessions.c.event_count > 0, sessions.c.last_event_ms))).label("last_event_ms")
_SESSIONS = Sql(
    select(sessions.c.project_id, sessions.c.status, _count, _last_event)
    .where(sessions.c.project_id.in_(_projects))
    .group_by(sessions.c.project_id, sessions.c.source, sessions.c.status)
)
_CONTEXTS = Sql(
    select(contexts.c.project_id, _count).where(contexts.c.project_id.in_(_projects)).group_by(contexts.c.project_id)
)
_not_deprecated = (
    items.c.team_id == bindparam("scope"),
    items.c.project_id == bindparam("of_project"),
    items.c.status != "deprecated",
)
_TYPES = Sql(select(items.c.type, _count).where(*_not_deprecated).group_by(items.c.type))
_KEYS = Sql(
    select(items.c.schema_key, items.c.status, items.c.flags, _count)
    .where(*_not_deprecated)
    .group_by(items.c.schema_key, items.c.status, items.c.flags)
)
_TEAM_WIDE = ""
_PROJECT_CONTEXTS = Sql(
    select(*(column for column in contexts.c if column.name not in ("content", "description")))
    .where(contexts.c.team_id == bindparam("scope"), InList(contexts.c.project_key, "project_keys"))
    .order_by(contexts.c.id)
    .limit(bindparam("take"))
)


async def count_items(tx: Tx, scope: Scope, project_ids: Collection[str]) -> list[Row]:
    """Item counts and sizes by project, status and flags. Groups may repeat and must be summed."""
    return await tx.many(_ITEMS, scope=scope, wanted=list(project_ids))


async def count_growth(tx: Tx, scope: Scope, project_ids: Collection[str], since_ms: int) -> list[Row]:
    """Items added per project and week since ``since_ms``."""
    return await tx.many(_GROWTH, scope=scope, wanted=list(project_ids), since_ms=since_ms)


async def count_sessions(tx: Tx, scope: Scope, project_ids: Collection[str]) -> list[Row]:
    """Session counts by project and status, with the last event time. Groups may repeat and must be summed."""
    return await tx.many(_SESSIONS, scope=scope, wanted=list(project_ids))


async def count_contexts(tx: Tx, scope: Scope, project_ids: Collection[str]) -> dict[str, int]:
    """Context counts by project; team-wide contexts are not included."""
    rows = await tx.many(_CONTEXTS, scope=scope, wanted=list(project_ids))
    return {row["project_id"]: row["found"] for row in rows}


async def count_types(tx: Tx, scope: Scope, project_id: str) -> dict[str, int]:
    """A project's items by type, deprecated ones excluded."""
    return {row["type"]: row["found"] for row in await tx.many(_TYPES, scope=scope, of_project=project_id)}


async def count_keys(tx: Tx, scope: Scope, project_id: str) -> list[Row]:
    """A project's items by schema key, status and flags, deprecated ones excluded."""
    return await tx.many(_KEYS, scope=scope, of_project=project_id)


async def list_contexts(tx: Tx, scope: Scope, project_id: str, take: int) -> list[Row]:
    """The contexts of a project and of the whole team, oldest first, without content."""
    return await tx.many(_PROJECT_CONTEXTS, scope=scope, project_keys=[project_id, _TEAM_WIDE], take=take)
