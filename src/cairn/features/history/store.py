"""Revisions: the whole state of an item or a context at each of its versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from sqlalchemy import bindparam, delete, func, insert, select

from cairn.base import clock, limits
from cairn.base.caller import Scope
from cairn.storage.database import Row, Tx
from cairn.storage.statements import Bulk, Sql
from cairn.storage.tables import revisions

Kind = Literal["item", "context"]

_COLUMNS = tuple(revisions.c.keys())
_INSERT = Sql(insert(revisions))
_INSERT_MANY = Bulk(revisions, _COLUMNS, ("of_id", "version"))
# Sizes first, so that the states beyond a page's characters are not even read.
_page = (
    select(revisions.c.version, func.length(revisions.c.snapshot).label("size"))
    .where(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.of_id == bindparam("of"),
        revisions.c.version < bindparam("before"),
    )
    .order_by(revisions.c.version.desc())
    .limit(bindparam("take"))
    .subquery()
)
_sizes = select(
    _page,
    func.sum(_page.c.size).over(order_by=_page.c.version.desc()).label("up_to"),
    func.count().over().label("found"),
).subquery()
_LIST = Sql(
    select(revisions, _sizes.c.found)
    .join(_sizes, _sizes.c.version == revisions.c.version)
    .where(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.of_id == bindparam("of"),
        _sizes.c.up_to - _sizes.c.size <= limits.TEXTS_PAGE_CHARS,
    )
    .order_by(revisions.c.version.desc())
)
_FIND = Sql(
    select(revisions).where(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.of_id == bindparam("of"),
        revisions.c.version == bindparam("at_version"),
    )
)
_DELETE = Sql(delete(revisions).where(revisions.c.team_id == bindparam("scope"), revisions.c.of_id == bindparam("of")))
_AFTER_ALL = 2**62


def encode(state: Any) -> str:
    """JSON with sorted keys: the same state is always the same text."""
    return msgspec.json.encode(state, order="sorted").decode()


async def record(
    tx: Tx,
    scope: Scope,
    *,
    of_kind: Kind,
    of_id: str,
    project_id: str | None,
    version: int,
    snapshot: Mapping[str, Any],
    reason: str,
    actor_id: str | None,
) -> None:
    """Keep the state a thing has from this version on; version 1 is the state at creation.

    ``reason`` is one word for what was done: created, edited, approved, deprecated, flagged, merged, reverted, …
    """
    await tx.run(
        _INSERT,
        of_id=of_id,
        version=version,
        team_id=scope,
        project_id=project_id,
        of_kind=of_kind,
        snapshot=encode(snapshot),
        reason=reason,
        actor_id=actor_id,
        created_at_ms=clock.now_ms(),
    )


async def record_first(
    tx: Tx,
    scope: Scope,
    *,
    of_kind: Kind,
    project_id: str | None,
    snapshots: Mapping[str, Mapping[str, Any]],
    reason: str,
    actor_id: str | None,
) -> None:
    """The same for many new things at once, by their ids."""
    shared = {
        "version": 1,
        "team_id": scope,
        "project_id": project_id,
        "of_kind": of_kind,
        "reason": reason,
        "actor_id": actor_id,
        "created_at_ms": clock.now_ms(),
    }
    rows = [{**shared, "of_id": of_id, "snapshot": encode(snapshot)} for of_id, snapshot in snapshots.items()]
    await tx.insert_new(_INSERT_MANY, [[row[name] for name in _COLUMNS] for row in rows])


async def list_revisions(tx: Tx, scope: Scope, of_id: str, before_version: int | None, take: int) -> list[Row]:
    """Newest first; fewer where they are very long, and ``found`` in each row says how many there were to take."""
    return await tx.many(_LIST, scope=scope, of=of_id, before=before_version or _AFTER_ALL, take=take)


async def find_revision(tx: Tx, scope: Scope, of_id: str, version: int) -> Row | None:
    return await tx.one(_FIND, scope=scope, of=of_id, at_version=version)


async def delete_revisions(tx: Tx, scope: Scope, of_id: str) -> None:
    """With the thing itself its history goes."""
    await tx.sweep(_DELETE, scope=scope, of=of_id)
