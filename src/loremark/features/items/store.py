"""Items with their files, and which of them contradict each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Select, and_, bindparam, delete, func, insert, literal_column, or_, select, update

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.index import store as index
from loremark.features.items.records import PATH_SEPARATOR, clean_paths
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import item_conflicts, item_files, item_vectors, items, items_to_embed

# Written into the statement: a parameter would have to be known when the statement is compiled.
_SEPARATOR: Any = literal_column(f"'{PATH_SEPARATOR}'")
_paths = (
    select(func.aggregate_strings(item_files.c.path, _SEPARATOR))
    .where(item_files.c.project_id == items.c.project_id, item_files.c.item_id == items.c.id)
    .correlate(items)
    .scalar_subquery()
)
WHOLE: Select[Any] = select(items, _paths.label("paths"))
"""Items as ``records.to_item`` reads them; whoever needs others than below adds conditions."""

_OF_TEAM = items.c.team_id == bindparam("scope")
_ONE = and_(_OF_TEAM, items.c.id == bindparam("item_id"))
_FIND = Sql(WHOLE.where(_ONE))
_HOLD = Sql(WHOLE.where(_ONE).with_for_update(of=items))
_A_HANDFUL = 20
_BY_IDS = Sql(WHOLE.where(_OF_TEAM, InList(items.c.id, "item_ids")).order_by(items.c.id))
_THERE = Sql(select(items.c.id).where(_OF_TEAM, InList(items.c.id, "item_ids")))
_HOLD_BY_IDS = Sql(WHOLE.where(_OF_TEAM, InList(items.c.id, "item_ids")).order_by(items.c.id).with_for_update(of=items))
_IN_PROJECT = Sql(
    WHOLE.where(_OF_TEAM, items.c.project_id == bindparam("of_project"), InList(items.c.status, "statuses")).order_by(
        items.c.id
    )
)
_HOLD_SUPERSEDED = Sql(
    WHOLE.where(
        _OF_TEAM, items.c.project_id == bindparam("of_project"), items.c.superseded_by == bindparam("successor")
    )
    .order_by(items.c.id.concat(""))  # by the few that are found, not by an index over all
    .with_for_update(of=items)
)
_INSERT = Sql(insert(items))
CHANGING = (
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
    "version",
)
_UPDATE = Sql(
    update(items).where(_ONE).values({name: bindparam(f"new_{name}") for name in (*CHANGING, "updated_at_ms")})
)
_DELETE = Sql(delete(items).where(_ONE))

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
_WANT_VECTOR = Sql(lambda new: new(items_to_embed).on_conflict_do_nothing(index_elements=["project_id", "item_id"]))
_UNWANT_VECTOR = Sql(
    delete(items_to_embed).where(
        items_to_embed.c.team_id == bindparam("scope"),
        items_to_embed.c.project_id == bindparam("of_project"),
        items_to_embed.c.item_id == bindparam("of_item"),
    )
)

_CONFLICTS = and_(
    item_conflicts.c.team_id == bindparam("scope"), item_conflicts.c.project_id == bindparam("of_project")
)
_INSERT_CONFLICT = Sql(
    lambda new: new(item_conflicts).on_conflict_do_nothing(index_elements=["project_id", "item_id", "other_id"])
)
_OTHERS = Sql(
    select(item_conflicts.c.other_id)
    .where(_CONFLICTS, item_conflicts.c.item_id == bindparam("of_item"))
    .order_by(item_conflicts.c.other_id)
)
_IN_CONFLICT = Sql(
    select(item_conflicts.c.item_id).where(_CONFLICTS, InList(item_conflicts.c.item_id, "item_ids")).distinct()
)
_DELETE_CONFLICTS = Sql(
    delete(item_conflicts).where(
        _CONFLICTS,
        or_(item_conflicts.c.item_id == bindparam("of_item"), item_conflicts.c.other_id == bindparam("of_item")),
    )
)


async def find_item(tx: Tx, scope: Scope, item_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, item_id=item_id)


async def hold_item(tx: Tx, scope: Scope, item_id: str) -> Row | None:
    """The item, for a change: nobody else changes it until the transaction ends."""
    return await tx.one(_HOLD, scope=scope, item_id=item_id)


async def list_by_ids(tx: Tx, scope: Scope, item_ids: Collection[str]) -> list[Row]:
    """Those of them that are there, oldest first."""
    return await tx.many(_BY_IDS, scope=scope, item_ids=list(item_ids)) if item_ids else []


async def find_few(tx: Tx, scope: Scope, item_ids: Collection[str]) -> list[Row]:
    """The same of what one answer shows: a handful at once, more as a listing."""
    if len(item_ids) > _A_HANDFUL:
        return await list_by_ids(tx, scope, item_ids)
    return await tx.few(_BY_IDS, scope=scope, item_ids=list(item_ids)) if item_ids else []


async def find_those_there(tx: Tx, scope: Scope, item_ids: Collection[str]) -> set[str]:
    """Which of them are there, in whatever state."""
    rows = await tx.many(_THERE, scope=scope, item_ids=list(item_ids)) if item_ids else []
    return {row["id"] for row in rows}


async def hold_by_ids(tx: Tx, scope: Scope, item_ids: Collection[str]) -> list[Row]:
    """The same, each for a change."""
    return await tx.many(_HOLD_BY_IDS, scope=scope, item_ids=list(item_ids)) if item_ids else []


async def list_in_project(tx: Tx, scope: Scope, project_id: str, statuses: Collection[str]) -> list[Row]:
    """All of a project in these states, oldest first."""
    return await tx.many(_IN_PROJECT, scope=scope, of_project=project_id, statuses=list(statuses))


async def hold_superseded_by(tx: Tx, scope: Scope, project_id: str, item_id: str) -> list[Row]:
    """The items that this one has taken the place of, each for a change."""
    return await tx.many(_HOLD_SUPERSEDED, scope=scope, of_project=project_id, successor=item_id)


async def insert_item(tx: Tx, scope: Scope, columns: Mapping[str, Any]) -> None:
    now_ms = clock.now_ms()
    await tx.run(_INSERT, team_id=scope, version=1, created_at_ms=now_ms, updated_at_ms=now_ms, **columns)


async def update_item(tx: Tx, scope: Scope, item_id: str, columns: Mapping[str, Any]) -> None:
    """``columns``: all of ``CHANGING``."""
    after = {f"new_{name}": columns[name] for name in CHANGING}
    await tx.run(_UPDATE, scope=scope, item_id=item_id, new_updated_at_ms=clock.now_ms(), **after)


async def set_files(
    tx: Tx,
    scope: Scope,
    project_id: str,
    item_id: str,
    paths: Iterable[str],
    fingerprints: Mapping[str, str | None] | None = None,
) -> None:
    """The files of an item are these from now on. A path that stays keeps its fingerprint unless one is given."""
    known = {
        row["path"]: row["fingerprint"]
        for row in await tx.many(_FINGERPRINTS, scope=scope, of_project=project_id, of_item=item_id)
    }
    wanted = clean_paths(paths)
    given = fingerprints or {}
    gone = [path for path in known if path not in wanted]
    if gone:
        await tx.run(_DELETE_FILES, scope=scope, of_project=project_id, of_item=item_id, paths=gone)
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


async def want_vector(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """The item's text has changed; until it is embedded anew the old vector serves."""
    await tx.run(_WANT_VECTOR, project_id=project_id, item_id=item_id, team_id=scope)


async def delete_item(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """The item with its files and vectors."""
    for statement in (_DELETE_ALL_FILES, _DELETE_VECTORS, _UNWANT_VECTOR):
        await tx.run(statement, scope=scope, of_project=project_id, of_item=item_id)
    await index.drop_entry(tx, scope, project_id, item_id)
    await tx.run(_DELETE, scope=scope, item_id=item_id)


async def create_conflict(tx: Tx, scope: Scope, project_id: str, item_id: str, other_id: str, reason: str) -> None:
    """Both ways, so that each side finds the other."""
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
        )


async def list_conflicting(tx: Tx, scope: Scope, project_id: str, item_id: str) -> list[str]:
    """The ids of the items that contradict this one."""
    rows = await tx.many(_OTHERS, scope=scope, of_project=project_id, of_item=item_id)
    return [row["other_id"] for row in rows]


async def still_in_conflict(tx: Tx, scope: Scope, project_id: str, item_ids: Collection[str]) -> set[str]:
    rows = await tx.many(_IN_CONFLICT, scope=scope, of_project=project_id, item_ids=list(item_ids))
    return {row["item_id"] for row in rows}


async def delete_conflicts(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    await tx.run(_DELETE_CONFLICTS, scope=scope, of_project=project_id, of_item=item_id)
