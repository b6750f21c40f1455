"""What an export reads: names and sizes first, then as much at a time as fits into memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import and_, bindparam, func, select

from loremark.base.caller import Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import contexts, events, item_conflicts, item_files, items, projects, revisions, sessions

_PROJECT = Sql(
    select(projects).where(
        projects.c.team_id == bindparam("scope"),
        projects.c.id == bindparam("of_project"),
        projects.c.deleted_at_ms.is_(None),
    )
)
_CONTEXT_KEYS = Sql(
    select(contexts.c.id, contexts.c.parent_id, contexts.c.schema_key)
    .where(contexts.c.team_id == bindparam("scope"), contexts.c.project_id == bindparam("of_project"))
    .order_by(contexts.c.id)
)
_CONTEXTS = Sql(select(contexts).where(contexts.c.team_id == bindparam("scope"), InList(contexts.c.id, "wanted")))
_of_project = and_(sessions.c.team_id == bindparam("scope"), sessions.c.project_id == bindparam("of_project"))
_SESSION_IDS = Sql(
    select(sessions.c.id)
    .where(_of_project, sessions.c.id > bindparam("after"))
    .order_by(sessions.c.id)
    .limit(bindparam("take"))
)
_SESSIONS = Sql(select(sessions).where(sessions.c.team_id == bindparam("scope"), InList(sessions.c.id, "wanted")))
_EVENT_SIZES = Sql(
    select(events.c.id, events.c.size_bytes.label("size"))
    .where(
        events.c.team_id == bindparam("scope"),
        events.c.session_id == bindparam("of_session"),
        events.c.id > bindparam("after"),
    )
    .order_by(events.c.id)
    .limit(bindparam("take"))
)
_EVENTS = Sql(select(events).where(events.c.team_id == bindparam("scope"), InList(events.c.id, "wanted")))
_KNOWN_EVENTS = Sql(
    select(events.c.id).where(
        events.c.team_id == bindparam("scope"),
        events.c.project_id == bindparam("of_project"),
        InList(events.c.id, "wanted"),
    )
)
_ITEM_SIZES = Sql(
    select(items.c.id, (func.length(items.c.content) + func.length(items.c.evidence)).label("size"))
    .where(
        items.c.team_id == bindparam("scope"),
        items.c.project_id == bindparam("of_project"),
        items.c.id > bindparam("after"),
    )
    .order_by(items.c.id)
    .limit(bindparam("take"))
)
_ITEMS = Sql(select(items).where(items.c.team_id == bindparam("scope"), InList(items.c.id, "wanted")))
_FILES = Sql(
    select(item_files.c.item_id, item_files.c.path, item_files.c.fingerprint).where(
        item_files.c.team_id == bindparam("scope"),
        item_files.c.project_id == bindparam("of_project"),
        InList(item_files.c.item_id, "wanted"),
    )
)
_CONFLICTS = Sql(
    select(item_conflicts).where(
        item_conflicts.c.resolved_at_ms.is_(None),
        item_conflicts.c.team_id == bindparam("scope"),
        item_conflicts.c.project_id == bindparam("of_project"),
        InList(item_conflicts.c.item_id, "wanted"),
    )
)
_REVISION_SIZES = Sql(
    select(revisions.c.record_id, func.sum(func.length(revisions.c.snapshot)).label("size"))
    .where(revisions.c.team_id == bindparam("scope"), InList(revisions.c.record_id, "wanted"))
    .group_by(revisions.c.record_id)
)
_REVISIONS = Sql(
    select(revisions)
    .where(revisions.c.team_id == bindparam("scope"), InList(revisions.c.record_id, "wanted"))
    .order_by(revisions.c.record_id, revisions.c.version)
)
_REVISIONS_AFTER = Sql(
    select(revisions)
    .where(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.record_id == bindparam("of"),
        revisions.c.version > bindparam("after"),
    )
    .order_by(revisions.c.version)
    .limit(bindparam("take"))
)


async def find_project(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    return await tx.one(_PROJECT, scope=scope, of_project=project_id)


async def list_context_keys(tx: Tx, scope: Scope, project_id: str) -> list[Row]:
    """Ids, parents and schema keys of the project's own contexts."""
    return await tx.many(_CONTEXT_KEYS, scope=scope, of_project=project_id)


async def find_contexts(tx: Tx, scope: Scope, wanted: Sequence[str]) -> dict[str, Row]:
    return {row["id"]: row for row in await tx.many(_CONTEXTS, scope=scope, wanted=list(wanted))}


async def list_session_ids(tx: Tx, scope: Scope, project_id: str, after: str, take: int) -> list[Row]:
    return await tx.many(_SESSION_IDS, scope=scope, of_project=project_id, after=after, take=take)


async def find_sessions(tx: Tx, scope: Scope, wanted: Sequence[str]) -> dict[str, Row]:
    return {row["id"]: row for row in await tx.many(_SESSIONS, scope=scope, wanted=list(wanted))}


async def list_event_sizes(tx: Tx, scope: Scope, session_id: str, after: str, take: int) -> list[Row]:
    return await tx.many(_EVENT_SIZES, scope=scope, of_session=session_id, after=after, take=take)


async def find_events(tx: Tx, scope: Scope, wanted: Sequence[str]) -> dict[str, Row]:
    return {row["id"]: row for row in await tx.many(_EVENTS, scope=scope, wanted=list(wanted))}


async def find_known_events(tx: Tx, scope: Scope, project_id: str, wanted: Collection[str]) -> set[str]:
    """The ids among these that are events of the project."""
    rows = await tx.many(_KNOWN_EVENTS, scope=scope, of_project=project_id, wanted=list(wanted)) if wanted else []
    return {row["id"] for row in rows}


async def list_item_sizes(tx: Tx, scope: Scope, project_id: str, after: str, take: int) -> list[Row]:
    return await tx.many(_ITEM_SIZES, scope=scope, of_project=project_id, after=after, take=take)


async def find_items(tx: Tx, scope: Scope, wanted: Sequence[str]) -> dict[str, Row]:
    return {row["id"]: row for row in await tx.many(_ITEMS, scope=scope, wanted=list(wanted))}


async def list_files(tx: Tx, scope: Scope, project_id: str, wanted: Sequence[str]) -> list[Row]:
    return await tx.many(_FILES, scope=scope, of_project=project_id, wanted=list(wanted))


async def list_conflicts(tx: Tx, scope: Scope, project_id: str, wanted: Sequence[str]) -> list[Row]:
    return await tx.many(_CONFLICTS, scope=scope, of_project=project_id, wanted=list(wanted))


async def find_revision_sizes(tx: Tx, scope: Scope, wanted: Sequence[str]) -> dict[str, int]:
    """The length of each record's history, in characters."""
    return {
        row["record_id"]: int(row["size"]) for row in await tx.many(_REVISION_SIZES, scope=scope, wanted=list(wanted))
    }


async def list_revisions(tx: Tx, scope: Scope, wanted: Sequence[str]) -> list[Row]:
    """List all revisions of these records, oldest first."""
    return await tx.many(_REVISIONS, scope=scope, wanted=list(wanted))


async def list_revisions_after(tx: Tx, scope: Scope, record_id: str, after: int, take: int) -> list[Row]:
    return await tx.many(_REVISIONS_AFTER, scope=scope, of=record_id, after=after, take=take)
