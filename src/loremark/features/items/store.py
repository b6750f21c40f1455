"""Queries for items, their files and their conflicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Select, and_, bindparam, case, delete, func, insert, literal_column, null, or_, select, update

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.index import store as index
from loremark.features.items.records import PATH_SEPARATOR, clean_paths
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import item_conflicts, item_files, item_vectors, items, items_to_embed, sessions

# A literal, because the separator must be known when the statement is compiled.
_SEPARATOR: Any = literal_column(f"'{PATH_SEPARATOR}'")
_paths = (
    select(func.aggregate_strings(item_files.c.path, _SEPARATOR))
    .where(item_files.c.project_id == items.c.project_id, item_files.c.item_id == items.c.id)
    .correlate(items)
    .scalar_subquery()
)
SESSION_SOURCE = select(sessions.c.source).where(sessions.c.id == items.c.session_id).correlate(items).scalar_subquery()
ITEM_SELECT: Select[Any] = select(items, _paths.label("paths"), SESSION_SOURCE.label("session_source"))
"""Selects items in the form ``records.to_item`` reads."""

_OF_TEAM = items.c.team_id == bindparam("scope")
_ONE = and_(_OF_TEAM, items.c.id == bindparam("item_id"))
_FIND = Sql(ITEM_SELECT.where(_ONE))
_LOCK = Sql(ITEM_SELECT.where(_ONE).with_for_update(of=items))
_FEW_IDS = 20
_BY_IDS = Sql(ITEM_SELECT.where(_OF_TEAM, InList(items.c.id, "item_ids")).order_by(items.c.id))
_EXISTING = Sql(select(items.c.id).where(_OF_TEAM, InList(items.c.id, "item_ids")))
_LOCK_BY_IDS = Sql(
    ITEM_SELECT.where(_OF_TEAM, InList(items.c.id, "item_ids")).order_by(items.c.id).with_for_update(of=items)
)
_IN_PROJECT = Sql(
    ITEM_SELECT.where(
        _OF_TEAM, items.c.project_id == bindparam("of_project"), InList(items.c.status, "statuses")
    ).order_by(items.c.id)
)
_LOCK_SUPERSEDED = Sql(
    ITEM_SELECT.where(
        _OF_TEAM, items.c.project_id == bindparam("of_project"), items.c.superseded_by == bindparam("successor")
    )
    .order_by(items.c.id.concat(""))  # sorts the few matches instead of scanning the primary key index
    .with_for_update(of=items)
)
_INSERT = Sql(insert(items))
MUTABLE_COLUMNS = (
    "title",
    "content",
    "type",
    "schema_key",
    "status",
    "confidence",
    "tier",
    "branch",
    "merged_at_ms",
    "tags",
    "evidence",
    "flags",
    "content_hash",
    "token_count",
    "superseded_by",
    "merged_from",
    "reviewed",
    "version",
)
_UPDATE = Sql(
    update(items).where(_ONE).values({name: bindparam(f"new_{name}") for name in (*MUTABLE_COLUMNS, "updated_at_ms")})
)
_BY_HASH = Sql(
    ITEM_SELECT.where(
        _OF_TEAM, items.c.project_id == bindparam("of_project"), items.c.content_hash == bindparam("of_hash")
    )
    .order_by(items.c.id.desc())
    .limit(1)
)
_DELETE = Sql(delete(items).where(_ONE))
_CLEAR_SESSION = Sql(update(items).where(_ONE).values(session_id=None, source_ref=None))

_OF_ITEM = and_(
    item_files.c.team_id == bindparam("scope"),
    item_files.c.project_id == bindparam("of_project"),
    item_files.c.item_id == bindparam("of_item"),
)
_FINGERPRINTS = Sql(select(item_files.c.path, item_files.c.fingerprint).where(_OF_ITEM))
_INSERT_FILE = Sql(insert(item_files))
_SET_FINGERPRINT = Sql(
    update(item_files)
    .where(_OF_ITEM, item_files.c.path == bindparam("of_path"))
    .values(fingerprint=bindparam("new_fingerprint"))
)
_DELETE_FILES = Sql(delete(item_files).where(_OF_ITEM, InList(item_files.c.path, "paths")))
_DELETE_ALL_FILES = Sql(delete(item_files).where(_OF_ITEM))
_DELETE_VECTORS = Sql(
    delete(item_vectors).where(
        item_vectors.c.team_id == bindparam("scope"),
        item_vectors.c.project_id == bindparam("of_project"),
        item_vectors.c.item_id == bindparam("of_item"),
    )
)
_QUEUE_EMBEDDING = Sql(lambda new: new(items_to_embed).on_conflict_do_nothing(index_elements=["project_id", "item_id"]))
_DEQUEUE_EMBEDDING = Sql(
    delete(items_to_embed).where(
        items_to_embed.c.team_id == bindparam("scope"),
        items_to_embed.c.project_id == bindparam("of_project"),
        items_to_embed.c.item_id == bindparam("of_item"),
    )
)

_CONFLICTS = and_(
    item_conflicts.c.team_id == bindparam("scope"), item_conflicts.c.project_id == bindparam("of_project")
)
_UNRESOLVED = and_(_CONFLICTS, item_conflicts.c.resolved_at_ms.is_(None))
_OF_ITEM = or_(item_conflicts.c.item_id == bindparam("of_item"), item_conflicts.c.other_id == bindparam("of_item"))
_INSERT_CONFLICT = Sql(
    lambda new: (insert := new(item_conflicts)).on_conflict_do_update(
        index_elements=["project_id", "item_id", "other_id"],
        set_={name: insert.excluded[name] for name in ("reason", "found_at_ms", "resolved_at_ms")},
    )
)
_OTHERS = Sql(
    select(item_conflicts.c.other_id)
    .where(_UNRESOLVED, item_conflicts.c.item_id == bindparam("of_item"))
    .order_by(item_conflicts.c.other_id)
)
_PAIRED = Sql(
    ITEM_SELECT.where(
        _OF_TEAM,
        items.c.status == bindparam("of_status"),
        items.c.superseded_by.is_(None),
        items.c.id.in_(
            select(item_conflicts.c.other_id).where(
                _UNRESOLVED,
                item_conflicts.c.item_id == bindparam("of_item"),
                item_conflicts.c.reason == bindparam("of_reason"),
            )
        ),
    )
    .order_by(items.c.id)
    .with_for_update(of=items)
)
_IN_CONFLICT = Sql(
    select(item_conflicts.c.item_id).where(_UNRESOLVED, InList(item_conflicts.c.item_id, "item_ids")).distinct()
)
_IN_CONFLICT_WITH_REPLACED = Sql(
    select(item_conflicts.c.item_id)
    .join(items, items.c.id == item_conflicts.c.other_id)
    .where(_UNRESOLVED, _OF_TEAM, InList(item_conflicts.c.item_id, "item_ids"))
    .group_by(item_conflicts.c.item_id)
    .having(func.count() == func.count(case((items.c.superseded_by == item_conflicts.c.item_id, 1))))
)
_RESOLVE_CONFLICTS = Sql(update(item_conflicts).where(_UNRESOLVED, _OF_ITEM).values(resolved_at_ms=bindparam("now_ms")))
_RESTORE_CONFLICTS = Sql(
    update(item_conflicts)
    .where(_CONFLICTS, _OF_ITEM, item_conflicts.c.resolved_at_ms >= bindparam("since_ms"))
    .values(resolved_at_ms=null())
)
_DELETE_CONFLICTS = Sql(delete(item_conflicts).where(_CONFLICTS, _OF_ITEM))


async def find_item(tx: Tx, scope: Scope, item_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, item_id=item_id)


async def find_by_hash(tx: Tx, scope: Scope, project_id: str, content_hash: str) -> Row | None:
    """Return the newest item with this type, title and content."""
    return await tx.one(_BY_HASH, scope=scope, of_project=project_id, of_hash=content_hash)


async def lock_item(tx: Tx, scope: Scope, item_id: str) -> Row | None:
    """Return the item, locked until the transaction ends."""
    return await tx.one(_LOCK, scope=scope, item_id=item_id)


async def list_by_ids(tx: Tx, scope: Scope, item_ids: Collection[str]) -> list[Row]:
    """List the items that exist, oldest first."""
    return await tx.many(_BY_IDS, scope=scope, item_ids=list(item_ids)) if item_ids else []


async def list_few_by_ids(tx: Tx, scope: Scope, item_ids: Collection[str]) -> list[Row]:
    """Like ``list_by_ids``, using the fast path for a few rows where possible."""
    if len(item_ids) > _FEW_IDS:
        return await list_by_ids(tx, scope, item_ids)
    return await tx.few(_BY_IDS, scope=scope, item_ids=list(item_ids)) if item_ids else []


async def find_existing_ids(tx: Tx, scope: Scope, item_ids: Collection[str]) -> set[str]:
    """Return the ids that exist, in any status."""
    rows = await tx.many(_EXISTING, scope=scope, item_ids=list(item_ids)) if item_ids else []
    return {row["id"] for row in rows}


async def lock_by_ids(tx: Tx, scope: Scope, item_ids: Collection[str]) -> list[Row]:
    """Like ``list_by_ids``, with each row locked until the transaction ends."""
    return await tx.many(_LOCK_BY_IDS, scope=scope, item_ids=list(item_ids)) if item_ids else []


async def list_in_project(tx: Tx, scope: Scope, project_id: str, statuses: Collection[str]) -> list[Row]:
    """List a project's items with one of these statuses, oldest first."""
    return await tx.many(_IN_PROJECT, scope=scope, of_project=project_id, statuses=list(statuses))


async def lock_superseded_by(tx: Tx, scope: Scope, project_id: str, item_id: str) -> list[Row]:
    """Return the items superseded by this one, locked until the transaction ends."""
    return await tx.many(_LOCK_SUPERSEDED, scope=scope, of_project=project_id, successor=item_id)


async def insert_item(tx: Tx, scope: Scope, columns: Mapping[str, Any]) -> None:
    now_ms = clock.now_ms()
    await tx.run(_INSERT, team_id=scope, version=1, created_at_ms=now_ms, updated_at_ms=now_ms, **columns)


async def update_item(tx: Tx, scope: Scope, item_id: str, columns: Mapping[str, Any]) -> None:
    """Update an item. ``columns`` must contain all of ``MUTABLE_COLUMNS``."""
    after = {f"new_{name}": columns[name] for name in MUTABLE_COLUMNS}
    await tx.run(_UPDATE, scope=scope, item_id=item_id, new_updated_at_ms=clock.now_ms(), **after)


async def set_files(
    tx: Tx,
    scope: Scope,
    project_id: str,
    item_id: str,
    paths: Iterable[str],
    fingerprints: Mapping[str, str | None] | None = None,
) -> None:
    """Replace an item's files. Paths that stay keep their fingerprint unless a new one is given."""
    known = {
        row["path"]: row["fingerprint"]
        for row in await tx.many(_FINGERPRINTS, scope=scope, of_project=project_id, of_item=item_id)
    }
    wanted = clean_paths(paths)
    given = fingerprints or {}
    removed = [path for path in known if path not in wanted]
    if removed:
        await tx.run(_DELETE_FILES, scope=scope, of_project=project_id, of_item=item_id, paths=removed)
    for path in wanted:
        if path not in known:
            await tx.run(
                _INSERT_FILE,
                project_id=project_id,
                item_id=item_id,
                path=path,
                team_id=scope,
                fingerprint=given.get(path),
            )
        elif path in given and given[path] != known[path]:
            await tx.run(
                _SET_FINGERPRINT,
                scope=scope,
                of_project=project_id,
                of_item=item_id,
                of_path=path,
                new_fingerprint=given[path],
            )


async def queue_embedding(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """Queue the item for embedding. Its old vector stays in use until then."""
    await tx.run(_QUEUE_EMBEDDING, project_id=project_id, item_id=item_id, team_id=scope)


async def clear_session(tx: Tx, scope: Scope, item_id: str) -> None:
    """Remove the reference to the session that the item was created from."""
    await tx.run(_CLEAR_SESSION, scope=scope, item_id=item_id)


async def delete_item(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """Delete an item with its files and vectors."""
    for statement in (_DELETE_ALL_FILES, _DELETE_VECTORS, _DEQUEUE_EMBEDDING):
        await tx.run(statement, scope=scope, of_project=project_id, of_item=item_id)
    await index.delete_entry(tx, scope, project_id, item_id)
    await tx.run(_DELETE, scope=scope, item_id=item_id)


async def create_conflict(tx: Tx, scope: Scope, project_id: str, item_id: str, other_id: str, reason: str) -> None:
    """Store the conflict in both directions."""
    now_ms = clock.now_ms()
    for one, another in ((item_id, other_id), (other_id, item_id)):
        await tx.run(
            _INSERT_CONFLICT,
            project_id=project_id,
            item_id=one,
            other_id=another,
            team_id=scope,
            reason=reason,
            found_at_ms=now_ms,
            resolved_at_ms=None,
        )


async def list_conflicting(tx: Tx, scope: Scope, project_id: str, item_id: str) -> list[str]:
    """List the ids of items that contradict this one."""
    rows = await tx.many(_OTHERS, scope=scope, of_project=project_id, of_item=item_id)
    return [row["other_id"] for row in rows]


async def lock_paired(tx: Tx, scope: Scope, project_id: str, item_id: str, reason: str, status: str) -> list[Row]:
    """Lock the current items of this status that are recorded as in conflict with this one for this reason."""
    return await tx.many(
        _PAIRED, scope=scope, of_project=project_id, of_item=item_id, of_reason=reason, of_status=status
    )


async def list_still_in_conflict(tx: Tx, scope: Scope, project_id: str, item_ids: Collection[str]) -> set[str]:
    rows = await tx.many(_IN_CONFLICT, scope=scope, of_project=project_id, item_ids=list(item_ids))
    return {row["item_id"] for row in rows}


async def list_in_conflict_with_replaced(tx: Tx, scope: Scope, project_id: str, item_ids: Collection[str]) -> set[str]:
    """Return the items that contradict others, but only such that they replaced."""
    rows = await tx.many(_IN_CONFLICT_WITH_REPLACED, scope=scope, of_project=project_id, item_ids=list(item_ids))
    return {row["item_id"] for row in rows}


async def resolve_conflicts(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    await tx.run(_RESOLVE_CONFLICTS, scope=scope, of_project=project_id, of_item=item_id, now_ms=clock.now_ms())


async def restore_conflicts(tx: Tx, scope: Scope, project_id: str, item_id: str, since_ms: int) -> None:
    """Restore the item's conflicts that were resolved since then."""
    await tx.run(_RESTORE_CONFLICTS, scope=scope, of_project=project_id, of_item=item_id, since_ms=since_ms)


async def delete_conflicts(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    await tx.run(_DELETE_CONFLICTS, scope=scope, of_project=project_id, of_item=item_id)
