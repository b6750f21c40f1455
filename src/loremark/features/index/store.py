"""Queries for a project's search index: one row per item, numbered by the project's index version.

The transaction that changes an item increments the version and writes the row. It locks the project's row, so
versions become visible in order, and a reader can ask for everything after the version it has.

The row of a deleted item stays until many later changes have been made. Pruning records up to which version rows are
gone in a marker row with an empty item id; a reader that is behind it has to reload the whole index.
"""

from __future__ import annotations

from operator import itemgetter

from sqlalchemy import and_, bindparam, delete, func, or_, select, update

from loremark.base.caller import Scope
from loremark.memory.ranking.entry import Entry
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import item_index, projects

SEARCHABLE = ("approved", "draft")
"""Statuses of items that search returns. The index has no terms for other items."""
DELETED = "gone"
PRUNED = ""
"""Item id of the marker row, whose version tells up to which version deleted items were pruned."""
_FIELDS = itemgetter(*Entry._fields)

_NEXT_VERSION = Sql(
    update(projects)
    .where(projects.c.team_id == bindparam("scope"), projects.c.id == bindparam("of_project"))
    .values(index_version=projects.c.index_version + 1)
    .returning(projects.c.index_version)
)
_VERSION = Sql(
    select(projects.c.index_version).where(
        projects.c.team_id == bindparam("scope"),
        projects.c.id == bindparam("of_project"),
        projects.c.deleted_at_ms.is_(None),
    )
)
_UPDATED_COLUMNS = (
    "version",
    "status",
    "type",
    "schema_key",
    "session_id",
    "branch",
    "created_at_ms",
    "confidence",
    "terms",
)
_UPSERT = Sql(
    lambda new: (insert := new(item_index)).on_conflict_do_update(
        index_elements=["project_id", "item_id"], set_={name: insert.excluded[name] for name in _UPDATED_COLUMNS}
    )
)
_OF_PROJECT = and_(item_index.c.team_id == bindparam("scope"), item_index.c.project_id == bindparam("of_project"))
_ONE = and_(_OF_PROJECT, item_index.c.item_id == bindparam("of_item"))
_MARK_DELETED = Sql(
    update(item_index)
    .where(_ONE)
    .values(
        version=bindparam("new_version"),
        status=DELETED,
        terms=bindparam("no_terms"),
        schema_key="",
        session_id=None,
        branch=None,
    )
)
_MARK_CHANGED = Sql(update(item_index).where(_ONE).values(version=bindparam("new_version")))
_PAGE = Sql(
    select(item_index)
    .where(
        _OF_PROJECT,
        or_(*(item_index.c.status == status for status in SEARCHABLE)),
        item_index.c.item_id > bindparam("after"),
    )
    .order_by(item_index.c.item_id)
    .limit(bindparam("take"))
)
_CHANGED = Sql(
    select(item_index)
    .where(_OF_PROJECT, item_index.c.version > bindparam("since"))
    .order_by(item_index.c.version)
    .limit(bindparam("take"))
)
_pruned = item_index.alias("pruned")
_up_to = func.coalesce(_pruned.c.version, 0)
_PRUNABLE = Sql(
    select(projects.c.id, projects.c.team_id, projects.c.index_version, _up_to.label("up_to"))
    .outerjoin(_pruned, and_(_pruned.c.project_id == projects.c.id, _pruned.c.item_id == bindparam("pruned_id")))
    .where(
        projects.c.id > bindparam("after"),
        projects.c.deleted_at_ms.is_(None),
        projects.c.index_version - _up_to >= bindparam("least"),
    )
    .order_by(projects.c.id)
    .limit(bindparam("take"))
)
_IS_DELETED = and_(_OF_PROJECT, item_index.c.status == DELETED, item_index.c.version <= bindparam("until"))
_DELETED = Sql(
    select(item_index.c.item_id, item_index.c.version)
    .where(_IS_DELETED, item_index.c.version > bindparam("since"))
    .order_by(item_index.c.version)
    .limit(bindparam("take"))
)
_HOLD = Sql(
    select(projects.c.index_version)
    .where(projects.c.team_id == bindparam("scope"), projects.c.id == bindparam("of_project"))
    .with_for_update(key_share=True)
)
_PRUNE = Sql(delete(item_index).where(_IS_DELETED, InList(item_index.c.item_id, "item_ids")))


async def find_version(tx: Tx, scope: Scope, project_id: str) -> int | None:
    """Return the current index version, or None if the project does not exist."""
    row = await tx.one(_VERSION, scope=scope, of_project=project_id)
    return None if row is None else int(row["index_version"])


async def next_version(tx: Tx, scope: Scope, project_id: str) -> int:
    """Increment the index version and return it."""
    row = await tx.one(_NEXT_VERSION, scope=scope, of_project=project_id)
    return 0 if row is None else int(row["index_version"])


async def upsert_entry(tx: Tx, scope: Scope, project_id: str, entry: Entry) -> None:
    """Insert or update an item's entry."""
    await tx.run(
        _UPSERT,
        project_id=project_id,
        item_id=entry.item_id,
        team_id=scope,
        version=await next_version(tx, scope, project_id),
        status=entry.status,
        type=entry.type,
        schema_key=entry.schema_key,
        session_id=entry.session_id,
        branch=entry.branch,
        created_at_ms=entry.created_at_ms,
        confidence=entry.confidence,
        terms=entry.terms if entry.status in SEARCHABLE else b"",
    )


async def delete_entry(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """Mark an item's entry as deleted."""
    version = await next_version(tx, scope, project_id)
    await tx.run(_MARK_DELETED, scope=scope, of_project=project_id, of_item=item_id, new_version=version, no_terms=b"")


async def mark_changed(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """Bump the version of an entry whose vector has changed."""
    version = await next_version(tx, scope, project_id)
    await tx.run(_MARK_CHANGED, scope=scope, of_project=project_id, of_item=item_id, new_version=version)


async def list_entries(tx: Tx, scope: Scope, project_id: str, *, after: str, take: int) -> list[Row]:
    """List searchable entries by item id."""
    return await tx.many(_PAGE, scope=scope, of_project=project_id, after=after, take=take)


async def list_changed(tx: Tx, scope: Scope, project_id: str, since: int, take: int) -> list[Row]:
    """List entries changed after a version, including ones that are no longer searchable.

    Returns nothing if deleted items have been pruned since then, in which case the caller has to reload everything.
    """
    rows = await tx.many(_CHANGED, scope=scope, of_project=project_id, since=since, take=take)
    return [] if any(row["item_id"] == PRUNED for row in rows) else rows


async def list_prunable(tx: Tx, *, after: str, least: int, take: int) -> list[Row]:
    """List projects with at least ``least`` versions since the last pruning. Unscoped: maintenance across teams."""
    return await tx.many(_PRUNABLE, pruned_id=PRUNED, after=after, least=least, take=take)


async def list_deleted(tx: Tx, scope: Scope, project_id: str, *, since: int, until: int, take: int) -> list[Row]:
    """List items deleted after one version and up to another, in order of deletion."""
    return await tx.many(_DELETED, scope=scope, of_project=project_id, since=since, until=until, take=take)


async def prune_deleted(tx: Tx, scope: Scope, project_id: str, item_ids: list[str], until: int) -> None:
    """Delete the rows of items deleted up to a version, and record that version in the marker row."""
    if await tx.one(_HOLD, scope=scope, of_project=project_id) is None:
        return
    await tx.sweep(_PRUNE, scope=scope, of_project=project_id, until=until, item_ids=item_ids)
    await tx.run(
        _UPSERT,
        project_id=project_id,
        item_id=PRUNED,
        team_id=scope,
        version=until,
        status=DELETED,
        type="",
        schema_key="",
        session_id=None,
        branch=None,
        created_at_ms=0,
        confidence=0.0,
        terms=b"",
    )


def to_entry(row: Row) -> Entry:
    return Entry._make(_FIELDS(row))
