"""What an import writes: many rows in one statement, and who has the ids already."""

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
    events,
    item_conflicts,
    item_files,
    item_index,
    items,
    items_to_embed,
    revisions,
    sessions,
)


class _Into:
    """A table that is filled; the first column tells a row from all others where one does."""

    def __init__(self, table: Table, first: str, conflict: Sequence[str]) -> None:
        self.columns = (first, *(name for name in table.c.keys() if name != first))  # noqa: SIM118 - columns have names
        self.bulk = Bulk(table, self.columns, conflict)


CONTEXTS = _Into(contexts, "id", ("team_id", "project_key", "schema_key"))
SESSIONS = _Into(sessions, "id", ("id",))
EVENTS = _Into(events, "id", ("content_hash",))
BLOBS = _Into(blobs, "sha256", ("project_id", "sha256"))
ITEMS = _Into(items, "id", ("id",))
FILES = _Into(item_files, "path", ("project_id", "item_id", "path"))
CONFLICTS = _Into(item_conflicts, "other_id", ("project_id", "item_id", "other_id"))
INDEX = _Into(item_index, "item_id", ("project_id", "item_id"))
TO_EMBED = _Into(items_to_embed, "item_id", ("project_id", "item_id"))
REVISIONS = _Into(revisions, "of_id", ("of_id", "version"))

_OWNERS = {
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
    select(revisions.c.of_id, revisions.c.version).where(
        revisions.c.team_id == bindparam("scope"), InList(revisions.c.of_id, "wanted")
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


async def insert(tx: Tx, into: _Into, rows: Sequence[Mapping[str, Any]]) -> set[int]:
    """Each row carries its team. The positions of those that are new."""
    if not rows:
        return set()
    return await tx.insert_new(into.bulk, [[row[name] for name in into.columns] for row in rows])


async def find_owners(tx: Tx, table: str, wanted: Collection[str]) -> dict[str, str]:
    """Unscoped: the projects of those ids that are taken, whoever has them."""
    rows = await tx.many(_OWNERS[table], wanted=list(wanted)) if wanted else []
    return {row["id"]: row["project_id"] for row in rows}


async def find_versions(tx: Tx, scope: Scope, table: str, project_id: str, wanted: Collection[str]) -> dict[str, int]:
    """The present versions of those items or contexts that are the project's."""
    query = _VERSIONS[table]
    rows = await tx.many(query, scope=scope, of_project=project_id, wanted=list(wanted)) if wanted else []
    return {row["id"]: row["version"] for row in rows}


async def find_revisions(tx: Tx, scope: Scope, wanted: Collection[str]) -> set[tuple[str, int]]:
    rows = await tx.many(_KNOWN_REVISIONS, scope=scope, wanted=list(wanted)) if wanted else []
    return {(row["of_id"], row["version"]) for row in rows}


async def count_events(tx: Tx, scope: Scope, session_id: str, more: int) -> None:
    await tx.run(_COUNT_EVENTS, scope=scope, of_session=session_id, more=more)


async def is_empty(tx: Tx, scope: Scope, project_id: str) -> bool:
    """Whether the project has no memory at all yet."""
    for query in _ANY.values():
        if await tx.one(query, scope=scope, of_project=project_id) is not None:
            return False
    return True
