"""Revisions: the whole state of an item or a context at each of its versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    union_all,
)

from loremark.base import clock, limits
from loremark.base.caller import Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, Sql
from loremark.storage.tables import contexts, revisions

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

MOMENT_GAP_MS = 10 * clock.MINUTE_MS
"""After so long without a change of approved memory the next one is of another moment; so it is after a full hour."""
MOMENT_THINGS = 5
_REVISIONS_AT_FIRST = 4_000
_TIMES_MORE = 4
_ZERO: Any = literal_column("0")
_ONE: Any = literal_column("1")
_before = revisions.alias("before")


def _approved(states: Any) -> ColumnElement[bool]:
    """A quote within a text is escaped in a snapshot: these words are only found where they are the state's own."""
    return or_(states.c.snapshot.like('%"status":"approved"%'), states.c.snapshot.like('%"state":"approved"%'))


def _one_if(condition: ColumnElement[bool]) -> Any:
    return case((condition, _ONE), else_=_ZERO)


def _moments() -> Select[Any]:
    """Each step on the way needs the one before it whole, so all of it is left to the database."""
    columns = (
        revisions.c.of_id,
        revisions.c.version,
        revisions.c.created_at_ms.label("at_ms"),
        _one_if(_approved(revisions)).label("is_in"),
        _one_if(_approved(_before)).label("was_in"),
    )
    first = and_(_before.c.of_id == revisions.c.of_id, _before.c.version == revisions.c.version - 1)
    within = and_(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.created_at_ms >= bindparam("since_ms"),
        revisions.c.created_at_ms < bindparam("before_ms"),
    )
    own = (
        select(*columns)
        .join_from(revisions, _before, first, isouter=True)
        .where(within, revisions.c.project_id == bindparam("of_project"))
    )
    team_wide = (
        select(*columns)
        .join_from(contexts, revisions, revisions.c.of_id == contexts.c.id)
        .join(_before, first, isouter=True)
        .where(contexts.c.team_id == bindparam("scope"), contexts.c.project_key == "", within)
    )
    steps = union_all(own, team_wide).subquery()
    in_turn = (steps.c.at_ms, steps.c.of_id, steps.c.version)
    last_ms = func.lag(steps.c.at_ms).over(order_by=in_turn)
    shown = select(steps, last_ms.label("last_ms")).where(steps.c.is_in + steps.c.was_in > _ZERO).subquery()
    goes_on = and_(
        shown.c.at_ms - shown.c.last_ms <= MOMENT_GAP_MS,
        shown.c.at_ms // clock.HOUR_MS == shown.c.last_ms // clock.HOUR_MS,
    )
    begins = func.sum(case((goes_on, _ZERO), else_=_ONE))
    in_moments = select(
        shown, begins.over(order_by=(shown.c.at_ms, shown.c.of_id, shown.c.version)).label("moment")
    ).subquery()
    # Whether a thing was in it before its first change of the moment, and is after its last, beside their versions.
    things = (
        select(
            in_moments.c.moment,
            in_moments.c.of_id,
            func.min(in_moments.c.at_ms).label("first_ms"),
            func.max(in_moments.c.at_ms).label("last_ms"),
            (func.min(in_moments.c.version * 2 + in_moments.c.was_in) % 2).label("was_in"),
            (func.max(in_moments.c.version * 2 + in_moments.c.is_in) % 2).label("is_in"),
        )
        .group_by(in_moments.c.moment, in_moments.c.of_id)
        .subquery()
    )
    differs = things.c.was_in + things.c.is_in
    place = func.row_number().over(
        partition_by=things.c.moment,
        order_by=(case((differs > _ZERO, _ZERO), else_=_ONE), things.c.last_ms.desc(), things.c.of_id),
    )
    placed = select(things, differs.label("differs"), place.label("place")).subquery()
    is_, was = placed.c.is_in, placed.c.was_in
    counted = {"added": is_ * (1 - was), "changed": is_ * was, "removed": was * (1 - is_)}
    firsts = [
        func.max(case((and_(placed.c.place == number, placed.c.differs > _ZERO), placed.c.of_id))).label(f"of_{number}")
        for number in range(1, MOMENT_THINGS + 1)
    ]
    return (
        select(
            func.min(placed.c.first_ms).label("first_ms"),
            func.max(placed.c.last_ms).label("last_ms"),
            *(func.sum(amount).label(name) for name, amount in counted.items()),
            *firsts,
        )
        .group_by(placed.c.moment)
        .having(func.max(placed.c.differs) > _ZERO)
        .order_by(func.max(placed.c.last_ms).desc())
        .limit(bindparam("take"))
    )


_MOMENTS = Sql(_moments())
_NTH_NEWEST = Sql(
    select(revisions.c.created_at_ms)
    .where(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.project_id == bindparam("of_project"),
        revisions.c.created_at_ms < bindparam("before_ms"),
    )
    .order_by(revisions.c.created_at_ms.desc())
    .offset(bindparam("skip"))
    .limit(1)
)


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


async def list_moments(tx: Tx, scope: Scope, project_id: str, before_ms: int | None, take: int) -> list[Row]:
    """When what a project's brain is made of changed, newest first; changes that came close together are one moment.

    Things count once, by what they were before it and are after it; ``of_1`` … are some of them, the newest first.
    """
    asked = {"scope": scope, "of_project": project_id, "before_ms": before_ms or _AFTER_ALL}
    looked_at = _REVISIONS_AT_FIRST
    while True:
        oldest = await tx.many(_NTH_NEWEST, **asked, skip=looked_at)
        since_ms = oldest[0]["created_at_ms"] if oldest else 0
        # Where not all was looked at, the oldest moment found may have begun before.
        found = await tx.many(_MOMENTS, **asked, since_ms=since_ms, take=take + 1)
        if len(found) > take or not oldest:
            return found[:take]
        looked_at *= _TIMES_MORE


async def find_revision(tx: Tx, scope: Scope, of_id: str, version: int) -> Row | None:
    return await tx.one(_FIND, scope=scope, of=of_id, at_version=version)


async def delete_revisions(tx: Tx, scope: Scope, of_id: str) -> None:
    """With the thing itself its history goes."""
    await tx.sweep(_DELETE, scope=scope, of=of_id)
