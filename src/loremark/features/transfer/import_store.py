"""Bulk inserts of an import, and lookups of existing ids."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Table, bindparam, select, update

from loremark.base.caller import Scope
from loremark.storage.database import Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import (
    blobs,
    contexts,
    event_blobs,
    events,
    item_conflicts,
    item_files,
    item_index,
    items,
    items_to_embed,
    revisions,
    sessions,
)


class _Target:
    """A target table. The first column identifies a row, if a single column does."""

    def __init__(self, table: Table, first: str, conflict: Sequence[str]) -> None:
        self.columns = (first, *(name for name in table.c.keys() if name != first))  # noqa: SIM118 - a column collection, not a dict
        self.bulk = Bulk(table, self.columns, conflict)


CONTEXTS = _Target(contexts, "id", ("team_id", "project_key", "schema_key"))
SESSIONS = _Target(sessions, "id", ("id",))
EVENTS = _Target(events, "id", ("content_hash",))
BLOBS = _Target(blobs, "sha256", ("project_id", "sha256"))
EVENT_BLOBS = _Target(event_blobs, "event_id", ("project_id", "sha256", "event_id"))
ITEMS = _Target(items, "id", ("id",))
FILES = _Target(item_files, "path", ("project_id", "item_id", "path"))
CONFLICTS = _Target(item_conflicts, "other_id", ("project_id", "item_id", "other_id"))
INDEX = _Target(item_index, "item_id", ("project_id", "item_id"))
TO_EMBED = _Target(items_to_embed, "item_id", ("project_id", "item_id"))
REVISIONS = _Target(revisions, "record_id", ("record_id", "version"))

_FIND_OWNERS = {
    table.name: Sql(select(table.c.id, table.c.project_id).where(InList(table.c.id, "wanted")))
    for table in (contexts, sessions, events, items)
}
_VERSIONS = {
    table.name: Sql(
        select(table.c.id, table.c.version).where(
            table.c.team_id == bindparam("scope"),
            table.c.project_id == bindparam("of_project"),
            InList(table.c.id, "wanted"),
        )
    )
    for table in (contexts, items)
}
_KNOWN_REVISIONS = Sql(
    select(revisions.c.record_id, revisions.c.version).where(
        revisions.c.team_id == bindparam("scope"), InList(revisions.c.record_id, "wanted")
    )
)
_COUNT_EVENTS = Sql(
    update(sessions)
    .where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("of_session"))
    .values(event_count=sessions.c.event_count + bindparam("more"))
)
_ANY = {
    table.name: Sql(
        select(table.c.id)
        .where(table.c.team_id == bindparam("scope"), table.c.project_id == bindparam("of_project"))
        .limit(1)
    )
    for table in (contexts, sessions, items)
}


async def insert(tx: Tx, target: _Target, rows: Sequence[Mapping[str, Any]]) -> set[int]:
    """Insert rows, which carry their team id, and return the positions of new ones."""
    if not rows:
        return set()
    return await tx.insert_new(target.bulk, [[row[name] for name in target.columns] for row in rows])


async def find_owners(tx: Tx, table: str, wanted: Collection[str]) -> dict[str, str]:
    """Unscoped: the projects that existing ids belong to."""
    rows = await tx.many(_FIND_OWNERS[table], wanted=list(wanted)) if wanted else []
    return {row["id"]: row["project_id"] for row in rows}


async def find_versions(tx: Tx, scope: Scope, table: str, project_id: str, wanted: Collection[str]) -> dict[str, int]:
    """The current versions of the project's items or contexts among these."""
    query = _VERSIONS[table]
    rows = await tx.many(query, scope=scope, of_project=project_id, wanted=list(wanted)) if wanted else []
    return {row["id"]: row["version"] for row in rows}


async def find_revisions(tx: Tx, scope: Scope, wanted: Collection[str]) -> set[tuple[str, int]]:
    rows = await tx.many(_KNOWN_REVISIONS, scope=scope, wanted=list(wanted)) if wanted else []
    return {(row["record_id"], row["version"]) for row in rows}


async def count_events(tx: Tx, scope: Scope, session_id: str, more: int) -> None:
    await tx.run(_COUNT_EVENTS, scope=scope, of_session=session_id, more=more)


async def is_empty(tx: Tx, scope: Scope, project_id: str) -> bool:
    """Whether the project has no contexts, sessions or items."""
    for query in _ANY.values():
        if await tx.one(query, scope=scope, of_project=project_id) is not None:
            return False
    return True
