"""Queries for revisions, which store the full state of an item or context at each version."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
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
    update,
)

from loremark.base import clock, limits
from loremark.base.caller import Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, Sql
from loremark.storage.tables import contexts, revisions

Kind = Literal["item", "context"]

_COLUMNS = tuple(revisions.c.keys())
_INSERT = Sql(insert(revisions))
_INSERT_MANY = Bulk(revisions, _COLUMNS, ("record_id", "version"))
# Sum the sizes first, so snapshots beyond the page's character limit are not read.
_page = (
    select(revisions.c.version, func.length(revisions.c.snapshot).label("size"))
    .where(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.record_id == bindparam("of"),
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
        revisions.c.record_id == bindparam("of"),
        _sizes.c.up_to - _sizes.c.size <= limits.TEXTS_PAGE_CHARS,
    )
    .order_by(revisions.c.version.desc())
)
_FIND = Sql(
    select(revisions).where(
        revisions.c.team_id == bindparam("scope"),
        revisions.c.record_id == bindparam("of"),
        revisions.c.version == bindparam("at_version"),
    )
)
_DELETE = Sql(
    delete(revisions).where(revisions.c.team_id == bindparam("scope"), revisions.c.record_id == bindparam("of"))
)
_OF_RECORD = and_(revisions.c.team_id == bindparam("scope"), revisions.c.record_id == bindparam("of"))
_SNAPSHOTS = Sql(select(revisions.c.version, revisions.c.snapshot).where(_OF_RECORD))
_SET_SNAPSHOT = Sql(
    update(revisions)
    .where(_OF_RECORD, revisions.c.version == bindparam("at_version"))
    .values(snapshot=bindparam("new_snapshot"))
)
_DELETE_VERSION = Sql(delete(revisions).where(_OF_RECORD, revisions.c.version == bindparam("at_version")))
_AFTER_ALL = 2**62
KEPT_REVISIONS = 500
"""Revisions kept of an item or context. Nobody reads that far back, and editing in a loop must not fill the disk."""
_PRUNE_EVERY = 20

MOMENT_GAP_MS = 10 * clock.MINUTE_MS
"""A gap this long between changes to approved memory starts a new moment. So does a new hour."""
MOMENT_TITLES = 5
_FIRST_REVISIONS = 4_000
_GROWTH = 4
_ZERO: Any = literal_column("0")
_ONE: Any = literal_column("1")
_before = revisions.alias("before")


def _approved(states: Any) -> ColumnElement[bool]:
    """Match approved snapshots. Quotes inside texts are escaped, so only the real field can match."""
    return or_(states.c.snapshot.like('%"status":"approved"%'), states.c.snapshot.like('%"state":"approved"%'))


def _one_if(condition: ColumnElement[bool]) -> Any:
    return case((condition, _ONE), else_=_ZERO)


def _moments() -> Select[Any]:
    """Build the query for moments. Each step needs the complete result of the previous one, so it runs in SQL."""
    columns = (
        revisions.c.record_id,
        revisions.c.version,
        revisions.c.created_at_ms.label("at_ms"),
        _one_if(_approved(revisions)).label("is_in"),
        _one_if(_approved(_before)).label("was_in"),
    )
    first = and_(_before.c.record_id == revisions.c.record_id, _before.c.version == revisions.c.version - 1)
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
        .join_from(contexts, revisions, revisions.c.record_id == contexts.c.id)
        .join(_before, first, isouter=True)
        .where(contexts.c.team_id == bindparam("scope"), contexts.c.project_key == "", within)
    )
    steps = union_all(own, team_wide).subquery()
    in_turn = (steps.c.at_ms, steps.c.record_id, steps.c.version)
    last_ms = func.lag(steps.c.at_ms).over(order_by=in_turn)
    visible = select(steps, last_ms.label("last_ms")).where(steps.c.is_in + steps.c.was_in > _ZERO).subquery()
    goes_on = and_(
        visible.c.at_ms - visible.c.last_ms <= MOMENT_GAP_MS,
        visible.c.at_ms // clock.HOUR_MS == visible.c.last_ms // clock.HOUR_MS,
    )
    begins = func.sum(case((goes_on, _ZERO), else_=_ONE))
    in_moments = select(
        visible, begins.over(order_by=(visible.c.at_ms, visible.c.record_id, visible.c.version)).label("moment")
    ).subquery()
    # Whether each entry was included before its first change of the moment, and is included after its last.
    entries = (
        select(
            in_moments.c.moment,
            in_moments.c.record_id,
            func.min(in_moments.c.at_ms).label("first_ms"),
            func.max(in_moments.c.at_ms).label("last_ms"),
            (func.min(in_moments.c.version * 2 + in_moments.c.was_in) % 2).label("was_in"),
            (func.max(in_moments.c.version * 2 + in_moments.c.is_in) % 2).label("is_in"),
        )
        .group_by(in_moments.c.moment, in_moments.c.record_id)
        .subquery()
    )
    differs = entries.c.was_in + entries.c.is_in
    place = func.row_number().over(
        partition_by=entries.c.moment,
        order_by=(case((differs > _ZERO, _ZERO), else_=_ONE), entries.c.last_ms.desc(), entries.c.record_id),
    )
    placed = select(entries, differs.label("differs"), place.label("place")).subquery()
    is_, was = placed.c.is_in, placed.c.was_in
    counted = {"added": is_ * (1 - was), "changed": is_ * was, "removed": was * (1 - is_)}
    firsts = [
        func.max(case((and_(placed.c.place == number, placed.c.differs > _ZERO), placed.c.record_id))).label(
            f"of_{number}"
        )
        for number in range(1, MOMENT_TITLES + 1)
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


_STATES = Sql(
    select(revisions.c.version, _one_if(_approved(revisions)).label("is_in"))
    .where(_OF_RECORD)
    .order_by(revisions.c.version)
)


def encode(state: Any) -> str:
    """Encode as JSON with sorted keys, so that equal states have equal text."""
    return msgspec.json.encode(state, order="sorted").decode()


async def record(
    tx: Tx,
    scope: Scope,
    *,
    record_kind: Kind,
    record_id: str,
    project_id: str | None,
    version: int,
    snapshot: Mapping[str, Any],
    reason: str,
    actor_id: str | None,
) -> None:
    """Record the state of an item or context as of this version. Version 1 is the state at creation.

    ``reason`` is one word for the change: created, edited, approved, deprecated, flagged, merged, reverted, …
    """
    await tx.run(
        _INSERT,
        record_id=record_id,
        version=version,
        team_id=scope,
        project_id=project_id,
        record_kind=record_kind,
        snapshot=encode(snapshot),
        reason=reason,
        actor_id=actor_id,
        created_at_ms=clock.now_ms(),
    )
    if version > KEPT_REVISIONS and version % _PRUNE_EVERY == 0:
        await _prune(tx, scope, record_id)


async def _prune(tx: Tx, scope: Scope, record_id: str) -> None:
    """Delete the oldest revisions beyond the limit, but never the first.

    Revisions that were approved, or ended an approval, go last: they say what was served in the past.
    """
    rows = await tx.many(_STATES, scope=scope, of=record_id)
    served = {row["version"] for last, row in pairwise(rows) if last["is_in"] or row["is_in"]}
    oldest = sorted((row["version"] for row in rows[1:-1]), key=lambda version: (version in served, version))
    for version in oldest[: max(0, len(rows) - KEPT_REVISIONS)]:
        await tx.run(_DELETE_VERSION, scope=scope, of=record_id, at_version=version)


async def record_initial(
    tx: Tx,
    scope: Scope,
    *,
    record_kind: Kind,
    project_id: str | None,
    snapshots: Mapping[str, Mapping[str, Any]],
    reason: str,
    actor_id: str | None,
) -> None:
    """Record version 1 of many new items or contexts, by id."""
    shared = {
        "version": 1,
        "team_id": scope,
        "project_id": project_id,
        "record_kind": record_kind,
        "reason": reason,
        "actor_id": actor_id,
        "created_at_ms": clock.now_ms(),
    }
    rows = [
        {**shared, "record_id": record_id, "snapshot": encode(snapshot)} for record_id, snapshot in snapshots.items()
    ]
    await tx.insert_new(_INSERT_MANY, [[row[name] for name in _COLUMNS] for row in rows])


async def list_revisions(tx: Tx, scope: Scope, record_id: str, before_version: int | None, take: int) -> list[Row]:
    """List revisions, newest first. Stops early on long texts; ``found`` in each row is the untruncated count."""
    return await tx.many(_LIST, scope=scope, of=record_id, before=before_version or _AFTER_ALL, take=take)


async def list_moments(tx: Tx, scope: Scope, project_id: str, before_ms: int | None, take: int) -> list[Row]:
    """List the moments at which approved memory changed, newest first. Changes close in time form one moment.

    Each item or context counts once per moment. ``of_1``, ``of_2`` … are ids of some of them, newest first.
    """
    parameters = {"scope": scope, "of_project": project_id, "before_ms": before_ms or _AFTER_ALL}
    window = _FIRST_REVISIONS
    while True:
        oldest = await tx.many(_NTH_NEWEST, **parameters, skip=window)
        since_ms = oldest[0]["created_at_ms"] if oldest else 0
        # Unless everything was read, the oldest moment found may be incomplete.
        found = await tx.many(_MOMENTS, **parameters, since_ms=since_ms, take=take + 1)
        if len(found) > take or not oldest:
            return found[:take]
        window *= _GROWTH


async def find_revision(tx: Tx, scope: Scope, record_id: str, version: int) -> Row | None:
    return await tx.one(_FIND, scope=scope, of=record_id, at_version=version)


async def was_approved(tx: Tx, scope: Scope, record_id: str) -> bool:
    """Return whether any version of an item was approved."""
    rows = await tx.many(_SNAPSHOTS, scope=scope, of=record_id)
    return any(msgspec.json.decode(row["snapshot"]).get("status") == "approved" for row in rows)


async def remove_evidence(tx: Tx, scope: Scope, record_id: str, event_ids: Collection[str]) -> None:
    """Remove the quotes of these events from all versions of an item."""
    for row in await tx.many(_SNAPSHOTS, scope=scope, of=record_id):
        snapshot = msgspec.json.decode(row["snapshot"])
        evidence = [quote for quote in snapshot["evidence"] if quote["eventId"] not in event_ids]
        if len(evidence) < len(snapshot["evidence"]):
            changed = encode({**snapshot, "evidence": evidence})
            await tx.run(_SET_SNAPSHOT, scope=scope, of=record_id, at_version=row["version"], new_snapshot=changed)


async def delete_revisions(tx: Tx, scope: Scope, record_id: str) -> None:
    """Delete the history of a deleted item or context."""
    await tx.sweep(_DELETE, scope=scope, of=record_id)
