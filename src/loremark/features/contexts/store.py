"""Queries for contexts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, delete, func, literal_column, or_, select, update

from loremark.base import clock, limits
from loremark.base.caller import Caller, Scope
from loremark.features.projects.access import visible_to
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import contexts, projects

_OF_TEAM = contexts.c.team_id == bindparam("scope")
_ONE = and_(_OF_TEAM, contexts.c.id == bindparam("context_id"))
_FIND = Sql(select(contexts).where(_ONE))
_LOCK = Sql(select(contexts).where(_ONE).with_for_update())
_NODE_COLUMNS = (contexts.c.id, contexts.c.name, contexts.c.schema_key, contexts.c.parent_id, contexts.c.project_key)
_FIND_NODE = Sql(select(*_NODE_COLUMNS).where(_ONE))
_FIND_BY_KEY = Sql(
    select(contexts).where(
        _OF_TEAM, contexts.c.project_key == bindparam("of_project"), contexts.c.schema_key == bindparam("key")
    )
)
_NODES = Sql(
    select(*_NODE_COLUMNS).where(_OF_TEAM, InList(contexts.c.project_key, "project_keys")).order_by(contexts.c.id)
)
_LOCK_BY_KEYS = Sql(
    select(contexts)
    .where(_OF_TEAM, contexts.c.project_key == bindparam("of_project"), InList(contexts.c.schema_key, "schema_keys"))
    .order_by(contexts.c.id)
    .with_for_update()
)
_INSERT = Sql(lambda new: new(contexts).on_conflict_do_nothing(index_elements=["team_id", "project_key", "schema_key"]))
_MUTABLE_COLUMNS = (
    "parent_id",
    "name",
    "description",
    "content",
    "state",
    "tier",
    "context_type",
    "token_count",
    "version",
    "updated_at_ms",
)
_UPDATE = Sql(update(contexts).where(_ONE).values({name: bindparam(f"new_{name}") for name in _MUTABLE_COLUMNS}))
_COLUMNS = tuple(contexts.c.keys())
_INSERT_MANY = Bulk(contexts, _COLUMNS, ("team_id", "project_key", "schema_key"))
_DELETE = Sql(delete(contexts).where(_ONE))
_MOVE_CHILDREN = Sql(
    update(contexts)
    .where(_OF_TEAM, contexts.c.parent_id == bindparam("old_parent"))
    .values(parent_id=bindparam("new_parent"), updated_at_ms=bindparam("now_ms"))
)
# A context and its descendants, across projects. The depth is bounded in case of a cycle.
_top = select(contexts.c.id, literal_column("1").label("level")).where(_ONE).cte("below", recursive=True)
_below = _top.union_all(
    select(contexts.c.id, _top.c.level + literal_column("1"))
    .join(_top, contexts.c.parent_id == _top.c.id)
    .where(_OF_TEAM, _top.c.level <= limits.CONTEXT_LEVELS)
)
_LEVELS = Sql(
    select(
        func.max(_below.c.level).label("levels"),
        func.max(case((_below.c.id == bindparam("other_id"), 1), else_=0)).label("holds_other"),
    )
)
_TEAM_WIDE = ""


def project_key(project_id: str | None) -> str:
    """Return the value used for the project in the unique constraint, where NULLs would not conflict."""
    return project_id or _TEAM_WIDE


async def find_context(tx: Tx, scope: Scope, context_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, context_id=context_id)


async def lock_context(tx: Tx, scope: Scope, context_id: str) -> Row | None:
    """Return the context, locked until the transaction ends."""
    return await tx.one(_LOCK, scope=scope, context_id=context_id)


async def find_node(tx: Tx, scope: Scope, context_id: str) -> Row | None:
    """Return a context's position in the tree, without its content."""
    return await tx.one(_FIND_NODE, scope=scope, context_id=context_id)


async def measure_subtree(tx: Tx, scope: Scope, context_id: str, other_id: str) -> tuple[int, bool]:
    """Return the depth of a context's subtree and whether ``other_id`` is in it."""
    (row,) = await tx.many(_LEVELS, scope=scope, context_id=context_id, other_id=other_id)
    return int(row["levels"] or 0), bool(row["holds_other"])


async def find_by_key(tx: Tx, scope: Scope, project_id: str | None, schema_key: str) -> Row | None:
    return await tx.one(_FIND_BY_KEY, scope=scope, of_project=project_key(project_id), key=schema_key)


async def list_nodes(tx: Tx, scope: Scope, project_id: str | None) -> list[Row]:
    """List tree positions of a project's own and the team-wide contexts, oldest first."""
    return await tx.many(_NODES, scope=scope, project_keys=list({project_key(project_id), _TEAM_WIDE}))


async def lock_by_keys(tx: Tx, scope: Scope, project_id: str | None, schema_keys: Collection[str]) -> list[Row]:
    return await tx.many(_LOCK_BY_KEYS, scope=scope, of_project=project_key(project_id), schema_keys=list(schema_keys))


def _seen_by(caller: Caller, project_id: str | None) -> ColumnElement[bool]:
    """Match team-wide contexts and those of the given project, or of all projects visible to the caller."""
    if project_id is not None:
        own: ColumnElement[bool] = contexts.c.project_id == project_id
    else:
        own = contexts.c.project_id.in_(select(projects.c.id).where(visible_to(caller)))
    return and_(contexts.c.team_id == caller.scope, or_(contexts.c.project_id.is_(None), own))


async def list_contexts(
    tx: Tx, caller: Caller, *, project_id: str | None, parent_id: str | None, before: str | None, take: int
) -> list[Row]:
    """List contexts without content, newest first."""
    columns = [column for column in contexts.c if column.name != "content"]
    statement = select(*columns).where(_seen_by(caller, project_id))
    if parent_id is not None:
        statement = statement.where(contexts.c.parent_id == parent_id)
    if before is not None:
        statement = statement.where(contexts.c.id < before)
    return await tx.many(statement.order_by(contexts.c.id.desc()).limit(take))


async def list_tree(tx: Tx, caller: Caller, project_id: str | None) -> list[Row]:
    """List the tree positions of all visible contexts, oldest first."""
    return await tx.many(select(*_NODE_COLUMNS).where(_seen_by(caller, project_id)).order_by(contexts.c.id))


def _new_row(scope: Scope, columns: Mapping[str, Any]) -> dict[str, Any]:
    now_ms = clock.now_ms()
    return {
        **columns,
        "team_id": scope,
        "project_key": project_key(columns["project_id"]),
        "version": 1,
        "created_at_ms": now_ms,
        "updated_at_ms": now_ms,
    }


async def insert_context(tx: Tx, scope: Scope, columns: Mapping[str, Any]) -> bool:
    """Insert a context; return False if its schema key is taken."""
    return await tx.run(_INSERT, **_new_row(scope, columns)) == 1


async def insert_contexts(tx: Tx, scope: Scope, many: Sequence[Mapping[str, Any]]) -> None:
    """Insert contexts whose keys are known to be free."""
    rows = [_new_row(scope, columns) for columns in many]
    new = await tx.insert_new(_INSERT_MANY, [[row[name] for name in _COLUMNS] for row in rows])
    assert len(new) == len(rows), "contexts are only created under the memory lock"


async def update_context(tx: Tx, scope: Scope, row: Row, changes: Mapping[str, Any]) -> None:
    after = {name: changes[name] if name in changes else row[name] for name in _MUTABLE_COLUMNS}
    after["updated_at_ms"] = clock.now_ms()
    await tx.run(_UPDATE, scope=scope, context_id=row["id"], **{f"new_{name}": value for name, value in after.items()})


async def delete_context(tx: Tx, scope: Scope, context: Row) -> None:
    """Delete a context. Its children move up to its parent."""
    await tx.sweep(
        _MOVE_CHILDREN,
        scope=scope,
        old_parent=context["id"],
        new_parent=context["parent_id"],
        now_ms=clock.now_ms(),
    )
    await tx.run(_DELETE, scope=scope, context_id=context["id"])
