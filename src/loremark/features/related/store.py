"""Queries for an item's evidence and relations."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import and_, bindparam, case, func, null, select

from loremark.base import limits
from loremark.base.caller import Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import events, item_conflicts, item_files, items, sessions

_MAX_SHARING = 200

_THESE = and_(
    events.c.team_id == bindparam("scope"),
    events.c.project_id == bindparam("of_project"),
    InList(events.c.id, "event_ids"),
)
# Smallest first, so that as many payloads as possible fit into the byte limit.
_up_to = func.sum(events.c.size_bytes).over(order_by=(events.c.size_bytes, events.c.id))
_sizes = select(events.c.id, _up_to.label("up_to")).where(_THESE).subquery()
_CITED = Sql(
    select(
        events.c.id,
        events.c.event,
        events.c.session_id,
        events.c.created_at_ms,
        sessions.c.source,
        case((_sizes.c.up_to <= limits.EVENTS_PAGE_BYTES, events.c.payload), else_=null()).label("payload"),
    )
    .join(_sizes, _sizes.c.id == events.c.id)
    .join(sessions, sessions.c.id == events.c.session_id, isouter=True)
)
_CONFLICTS = Sql(
    select(item_conflicts.c.other_id, item_conflicts.c.reason)
    .where(
        item_conflicts.c.resolved_at_ms.is_(None),
        item_conflicts.c.team_id == bindparam("scope"),
        item_conflicts.c.project_id == bindparam("of_project"),
        item_conflicts.c.item_id == bindparam("of_item"),
    )
    .order_by(item_conflicts.c.found_at_ms.desc(), item_conflicts.c.other_id.desc())
    .limit(bindparam("take"))
)
# A file may occur in thousands of items, so consider only those that share the most files.
_sharing = (
    select(item_files.c.item_id, func.count().label("shared"))
    .where(
        item_files.c.team_id == bindparam("scope"),
        item_files.c.project_id == bindparam("of_project"),
        item_files.c.item_id != bindparam("of_item"),
        InList(item_files.c.path, "paths"),
    )
    .group_by(item_files.c.item_id)
    .order_by(func.count().desc(), item_files.c.item_id.desc())
    .limit(_MAX_SHARING)
    .subquery()
)
_SAME_FILES = Sql(
    select(items.c.id)
    .join(_sharing, _sharing.c.item_id == items.c.id)
    .where(items.c.team_id == bindparam("scope"), items.c.status != "deprecated")
    .order_by(_sharing.c.shared.desc(), items.c.id.desc())
    .limit(bindparam("take"))
)
_SAME_SESSION = Sql(
    select(items.c.id)
    .where(
        items.c.team_id == bindparam("scope"),
        items.c.session_id == bindparam("of_session"),
        items.c.id != bindparam("of_item"),
        items.c.status != "deprecated",
    )
    .order_by(items.c.id.desc())
    .limit(bindparam("take"))
)


async def find_cited_events(tx: Tx, scope: Scope, project_id: str, event_ids: Collection[str]) -> dict[str, Row]:
    """Return the events that exist, by id. Payloads beyond the byte limit are None."""
    rows = await tx.many(_CITED, scope=scope, of_project=project_id, event_ids=list(event_ids))
    return {row["id"]: row for row in rows}


async def list_conflicts(tx: Tx, scope: Scope, project_id: str, item_id: str, take: int) -> dict[str, str]:
    """Return recorded conflict reasons by the other item's id, newest first."""
    rows = await tx.many(_CONFLICTS, scope=scope, of_project=project_id, of_item=item_id, take=take)
    return {row["other_id"]: row["reason"] for row in rows}


async def list_same_files(
    tx: Tx, scope: Scope, project_id: str, item_id: str, paths: Collection[str], take: int
) -> list[str]:
    """List ids of other active items about these files, most shared files first."""
    rows = await tx.many(_SAME_FILES, scope=scope, of_project=project_id, of_item=item_id, paths=list(paths), take=take)
    return [row["id"] for row in rows]


async def list_same_session(tx: Tx, scope: Scope, item_id: str, session_id: str, take: int) -> list[str]:
    """List ids of other active items created from this session, newest first."""
    rows = await tx.many(_SAME_SESSION, scope=scope, of_item=item_id, of_session=session_id, take=take)
    return [row["id"] for row in rows]
