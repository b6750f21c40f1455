"""Figures about briefings: how many there were, and what sessions made of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, case, func, select

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.projects.store import list_briefing_switches
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import briefing_entries, briefings, items
from loremark.wire.usefulness import BriefingPeriod, ItemUsage, ItemUsefulness, Usefulness

_ITEMS = 50


@dataclass(frozen=True, slots=True)
class Usage:
    """How often an item was served, and what came of it."""

    served: int = 0
    used: int = 0
    corrected: int = 0


def _with_outcome(outcome: str) -> ColumnElement[int]:
    return case((briefing_entries.c.outcome == outcome, 1), else_=0)


_counts = (
    func.count().label("served"),
    func.coalesce(func.sum(_with_outcome("used")), 0).label("used"),
    func.coalesce(func.sum(_with_outcome("corrected")), 0).label("corrected"),
)
_of_project = and_(briefings.c.team_id == bindparam("scope"), briefings.c.project_id == bindparam("of_project"))
_in_time = and_(
    _of_project,
    briefings.c.created_at_ms >= bindparam("since_ms", type_=BigInteger),
    briefings.c.created_at_ms < bindparam("until_ms", type_=BigInteger),
    briefings.c.served == bindparam("was_served"),
)
_entries_of = and_(
    briefing_entries.c.project_id == briefings.c.project_id, briefing_entries.c.briefing_id == briefings.c.id
)
_BRIEFINGS = Sql(
    select(func.count().label("briefings"), func.count(briefings.c.source.distinct()).label("sessions")).where(_in_time)
)
_TOKENS_AT = Sql(
    select(briefings.c.tokens)
    .where(_in_time)
    .order_by(briefings.c.tokens)
    .limit(1)
    .offset(bindparam("place", type_=BigInteger))
)
_ENTRIES = Sql(select(*_counts).select_from(briefings).join(briefing_entries, _entries_of).where(_in_time))
_TOP_ITEMS = Sql(
    select(items.c.id, items.c.title, *_counts)
    .select_from(briefings)
    .join(briefing_entries, and_(_entries_of, briefing_entries.c.kind == "item"))
    .join(items, items.c.id == briefing_entries.c.entry_id)
    .where(_in_time, items.c.team_id == bindparam("scope"), items.c.project_id == bindparam("of_project"))
    .group_by(items.c.id, items.c.title)
    .order_by(func.count().desc(), items.c.id.desc())
    .limit(bindparam("take"))
)
_served_entries = (
    select(*_counts, func.max(briefings.c.created_at_ms).label("last_served_at_ms"))
    .select_from(briefing_entries)
    .join(briefings, _entries_of)
)
_of_entries = and_(
    _of_project,
    briefings.c.served,
    briefing_entries.c.team_id == bindparam("scope"),
    briefing_entries.c.project_id == bindparam("of_project"),
    briefing_entries.c.kind == "item",
)
_ITEM = Sql(_served_entries.where(_of_entries, briefing_entries.c.entry_id == bindparam("of_item")))
_FOLLOWED = Sql(
    _served_entries.add_columns(briefing_entries.c.entry_id)
    .where(
        _of_entries,
        InList(briefing_entries.c.entry_id, "item_ids"),
        briefings.c.looked_at_turn.is_not(None),
        briefings.c.created_at_ms >= bindparam("since_ms", type_=BigInteger),
    )
    .group_by(briefing_entries.c.entry_id)
)


async def get_usefulness(tx: Tx, scope: Scope, project: Row, since_ms: int) -> Usefulness:
    """Return the figures since a time; items by how often they were served."""
    project_id, now_ms = project["id"], clock.now_ms() + 1
    window = {"scope": scope, "of_project": project_id, "since_ms": since_ms, "until_ms": now_ms, "was_served": True}
    totals = await _one(tx, _BRIEFINGS, window)
    entries = await _one(tx, _ENTRIES, window)
    rows = await tx.many(_TOP_ITEMS, **window, take=_ITEMS)
    served, corrected = int(entries["served"]), int(entries["corrected"])
    return Usefulness(
        briefings=totals["briefings"],
        tokens_median=await _median(tx, window, totals["briefings"]),
        sessions_briefed=totals["sessions"],
        entries_served=served,
        entries_used=int(entries["used"]),
        entries_corrected=corrected,
        repeat_correction_rate=round(corrected / served, 4) if served else 0.0,
        periods=await _list_periods(tx, scope, project, max(since_ms, project["created_at_ms"]), now_ms),
        items=[
            ItemUsefulness(
                item_id=row["id"],
                title=row["title"],
                served=row["served"],
                used=int(row["used"]),
                corrected=int(row["corrected"]),
            )
            for row in rows
        ],
    )


async def get_item_usage(tx: Tx, scope: Scope, project_id: str, item_id: str) -> ItemUsage:
    """Return what came of an item in all briefings."""
    row = await _one(tx, _ITEM, {"scope": scope, "of_project": project_id, "of_item": item_id})
    last_ms = row["last_served_at_ms"]
    return ItemUsage(
        served=row["served"],
        used=int(row["used"]),
        corrected=int(row["corrected"]),
        last_served_at=None if last_ms is None else clock.iso(last_ms),
    )


async def find_usage(
    tx: Tx, scope: Scope, project_id: str, item_ids: Collection[str], since_ms: int
) -> Mapping[str, Usage]:
    """Return what came of items since a time, in briefings whose session went on so that it could use them."""
    if not item_ids:
        return {}
    rows = await tx.many(_FOLLOWED, scope=scope, of_project=project_id, item_ids=list(item_ids), since_ms=since_ms)
    return {row["entry_id"]: Usage(row["served"], int(row["used"]), int(row["corrected"])) for row in rows}


async def _list_periods(tx: Tx, scope: Scope, project: Row, since_ms: int, until_ms: int) -> list[BriefingPeriod]:
    """Return the periods between the changes of the setting, oldest first."""
    switches = await list_briefing_switches(tx, scope, project["id"], since_ms)
    is_enabled = not switches[0]["enabled"] if switches else bool(project["briefings_enabled"])
    starts = [(since_ms, is_enabled), *((row["created_at_ms"], bool(row["enabled"])) for row in switches)]
    ends = [*(start for start, _ in starts[1:]), until_ms]
    periods = []
    for (start_ms, enabled), end_ms in zip(starts, ends, strict=True):
        window = {
            "scope": scope,
            "of_project": project["id"],
            "since_ms": start_ms,
            "until_ms": end_ms,
            "was_served": enabled,
        }
        totals = await _one(tx, _BRIEFINGS, window)
        periods.append(
            BriefingPeriod(
                from_=clock.iso(start_ms),
                to=clock.iso(end_ms),
                enabled=enabled,
                sessions=totals["sessions"],
                corrections=int((await _one(tx, _ENTRIES, window))["corrected"]),
                tokens_median=await _median(tx, window, totals["briefings"]) if enabled else 0,
            )
        )
    return periods


async def _median(tx: Tx, window: Mapping[str, object], count: int) -> int:
    """The tokens of the briefing in the middle; 0 if there are none."""
    if not count:
        return 0
    return int((await _one(tx, _TOKENS_AT, {**window, "place": (count - 1) // 2}))["tokens"])


async def _one(tx: Tx, statement: Sql, values: Mapping[str, object]) -> Row:
    """The first row of a statement that reads many, away from the event loop."""
    return (await tx.many(statement, **values))[0]
