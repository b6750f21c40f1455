"""Memory at a point in time: rows unchanged since then, and revisions of the others.

Permanently deleted items and contexts have no revisions, so they are never included.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Select, and_, bindparam, func, or_, select

from loremark.base.caller import Scope
from loremark.features.brain.assembly import context_content
from loremark.features.brain.store import CONTEXT_COLUMNS, ITEM_COLUMNS, OF_BRANCH
from loremark.features.history.tokens import count_tokens
from loremark.features.items.store import SESSION_SOURCE
from loremark.memory.brain.entries import Entry, Text, context_origin, item_origin
from loremark.memory.branches import is_default_branch
from loremark.memory.provenance import UNKNOWN_SOURCE, source_name
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import contexts, items, revisions

_BATCH_CHARS = 4_000_000
"""Maximum size of the snapshots loaded at a time."""
_current, _then, _earlier = revisions.alias("current"), revisions.alias("then"), revisions.alias("earlier")

_OF_ITEMS = and_(items.c.team_id == bindparam("scope"), items.c.project_id == bindparam("of_project"))
_OF_CONTEXTS = and_(
    contexts.c.team_id == bindparam("scope"),
    or_(contexts.c.project_key == bindparam("of_project"), contexts.c.project_key == ""),
)


def _unchanged(table: Any) -> ColumnElement[bool]:
    """Match rows whose current version already existed at that time."""
    return (
        select(_current.c.version)
        .where(
            _current.c.record_id == table.c.id,
            _current.c.version == table.c.version,
            _current.c.created_at_ms <= bindparam("at_ms"),
        )
        .correlate(table)
        .exists()
    )


def _changed(table: Any, owned: ColumnElement[bool], approved: str, *columns: Any) -> Select[Any]:
    """Select past states of changed rows. Quotes inside texts are escaped, so only the real status field matches."""
    version = (
        select(func.max(_earlier.c.version))
        .where(_earlier.c.record_id == table.c.id, _earlier.c.created_at_ms <= bindparam("at_ms"))
        .correlate(table)
        .scalar_subquery()
    )
    return (
        select(table.c.id, *columns)
        .join_from(table, _then, and_(_then.c.record_id == table.c.id, _then.c.version == version))
        .where(owned, _then.c.version != table.c.version, _then.c.snapshot.like(f"%{approved}%"))
        .order_by(table.c.id)
    )


_STATE = (_then.c.version, _then.c.snapshot, _then.c.created_at_ms)
_SIZE = func.length(_then.c.snapshot).label("size")
_ITEM_APPROVED, _CONTEXT_APPROVED = '"status":"approved"', '"state":"approved"'
_ITEMS = Sql(
    select(*ITEM_COLUMNS)
    .where(_OF_ITEMS, items.c.status == "approved", OF_BRANCH, _unchanged(items))
    .order_by(items.c.id)
)
_CONTEXTS = Sql(
    select(*CONTEXT_COLUMNS)
    .where(_OF_CONTEXTS, contexts.c.state == "approved", _unchanged(contexts))
    .order_by(contexts.c.id)
)
_CHANGED_ITEMS = Sql(_changed(items, _OF_ITEMS, _ITEM_APPROVED, _SIZE))
_CHANGED_CONTEXTS = Sql(_changed(contexts, _OF_CONTEXTS, _CONTEXT_APPROVED, _SIZE))
_SOME_ITEMS = Sql(
    _changed(
        items,
        _OF_ITEMS,
        _ITEM_APPROVED,
        items.c.created_at_ms.label("made_at_ms"),
        items.c.merged_at_ms,
        SESSION_SOURCE.label("session_source"),
        *_STATE,
    ).where(InList(items.c.id, "ids"))
)
_SOME_CONTEXTS = Sql(
    _changed(contexts, _OF_CONTEXTS, _CONTEXT_APPROVED, contexts.c.created_at_ms.label("made_at_ms"), *_STATE).where(
        InList(contexts.c.id, "ids")
    )
)


async def list_unchanged(
    tx: Tx, scope: Scope, project_id: str, branch: str | None, at_ms: int
) -> tuple[list[Row], list[Row]]:
    """List approved items and contexts that have not changed since, with the columns of the brain store."""
    found = await tx.many(_ITEMS, scope=scope, of_project=project_id, of_branch=branch, at_ms=at_ms)
    return found, await tx.many(_CONTEXTS, scope=scope, of_project=project_id, at_ms=at_ms)


async def list_changed(tx: Tx, scope: Scope, project_id: str, at_ms: int, kind: str) -> dict[str, int]:
    """Return snapshot sizes by id of entries that were approved then and have changed since."""
    statement = _CHANGED_ITEMS if kind == "item" else _CHANGED_CONTEXTS
    rows = await tx.many(statement, scope=scope, of_project=project_id, at_ms=at_ms)
    return {row["id"]: row["size"] for row in rows}


async def list_snapshots(
    tx: Tx, scope: Scope, project_id: str, at_ms: int, kind: str, ids: Collection[str]
) -> list[Row]:
    """List the past snapshots of these ids."""
    statement = _SOME_ITEMS if kind == "item" else _SOME_CONTEXTS
    return await tx.many(statement, scope=scope, of_project=project_id, at_ms=at_ms, ids=list(ids))


def in_batches(sizes: Mapping[str, int]) -> list[list[str]]:
    """Split ids into batches of bounded total size."""
    batches: list[list[str]] = []
    room = 0
    for record_id, size in sizes.items():
        room -= size
        if room < 0:
            batches.append([])
            room = _BATCH_CHARS - size
        batches[-1].append(record_id)
    return batches


def entry_of_item(row: Row, branch: str | None) -> Entry | None:
    """Build the entry of an item snapshot, or return None if it belonged to another branch."""
    state: Mapping[str, Any] = msgspec.json.decode(row["snapshot"])
    merged = row["merged_at_ms"] is not None and row["merged_at_ms"] <= row["created_at_ms"]
    own = not merged and not is_default_branch(state["branch"], None)
    if state["status"] != "approved" or (own and state["branch"] != branch):
        return None
    return Entry(
        row["id"],
        "item",
        state["tier"],
        state["type"],
        state["schemaKey"],
        state["confidence"],
        tuple(state["flags"]),
        count_tokens(f"{state['title']}\n{state['content']}"),
        _updated_at_ms(row),
        bool(state["evidence"]),
        own,
        item_origin(state["tags"]),
        "" if state.get("reviewed", True) else source_name(row["session_source"] or "") or UNKNOWN_SOURCE,
    )


def entry_of_context(row: Row) -> Entry | None:
    """Build the entry of a context snapshot."""
    state: Mapping[str, Any] = msgspec.json.decode(row["snapshot"])
    if state["state"] != "approved":
        return None
    return Entry(
        row["id"],
        "context",
        state["tier"],
        state["contextType"],
        state["schemaKey"],
        1.0,
        (),
        count_tokens(state["content"]),
        _updated_at_ms(row),
        True,
        False,
        context_origin(state["schemaKey"]),
    )


def _updated_at_ms(row: Row) -> int:
    """Return the time of the change: for version 1 the creation time, else the time of the revision."""
    return int(row["made_at_ms"] if row["version"] == 1 else row["created_at_ms"])


def text_of(row: Row, most_chars: int | None) -> Text:
    """Return the text of a snapshot, or its beginning."""
    state: Mapping[str, Any] = msgspec.json.decode(row["snapshot"])
    content = state["content"][:most_chars]
    if "title" in state:
        return Text(state["title"], content, tuple(state["files"]))
    return Text(state["name"], context_content(state["description"], content))
