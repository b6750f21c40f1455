"""Sharded usage counters: each counter is spread over several rows (slots), and its value is their sum.

Counting adds to one random slot, which keeps contention low. Several rows are always locked in one statement and in the
same order (team, counter, slot), so that transactions cannot deadlock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, func, or_, select, update

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.features.metering.periods import ALL_TIME
from loremark.storage.database import Tx
from loremark.storage.statements import InsertMaker, Sql
from loremark.storage.tables import usage_counters

EVENTS, SESSIONS, STORAGE, ENRICHMENTS = COUNTERS = ("events", "sessions", "storage", "enrichments")
"""In locking order."""

SLOTS = ("0", "1", "2", "3", "4", "5", "6", "7", "all")
_KEY = ["team_id", "period", "counter", "slot"]


class SlotUsage(NamedTuple):
    """The usage in all slots and in the fullest one."""

    total: int
    fullest: int


def _period_of(counter: str) -> Any:
    return ALL_TIME if counter == STORAGE else bindparam("in_period")


def _add(counters: Sequence[str]) -> Sql:
    def build(new: InsertMaker) -> Any:
        rows = [
            {
                "team_id": bindparam("scope"),
                "period": _period_of(counter),
                "counter": counter,
                "slot": bindparam("to_slot"),
                "used": bindparam(f"more_{counter}"),
            }
            for counter in counters
        ]
        insert = new(usage_counters).values(rows)
        added = insert.on_conflict_do_update(
            index_elements=_KEY, set_={"used": usage_counters.c.used + insert.excluded.used}
        )
        return added.returning(usage_counters.c.counter, usage_counters.c.used)

    return Sql(build)


def _lock(counters: Sequence[str]) -> Sql:
    """Creates missing slots, locks all of them, and returns their current values."""

    def build(new: InsertMaker) -> Any:
        rows = [
            {
                "team_id": bindparam("scope"),
                "period": _period_of(counter),
                "counter": counter,
                "slot": slot,
                "used": bindparam("nothing"),
            }
            for counter in counters
            for slot in SLOTS
        ]
        locked = new(usage_counters).values(rows)
        locked = locked.on_conflict_do_update(index_elements=_KEY, set_={"used": usage_counters.c.used})
        return locked.returning(usage_counters.c.counter, usage_counters.c.used)

    return Sql(build)


_TOGETHER: tuple[tuple[str, ...], ...] = (
    (EVENTS, STORAGE),
    (EVENTS, SESSIONS, STORAGE),
    (SESSIONS,),
    (STORAGE,),
    (ENRICHMENTS,),
    COUNTERS,
)
_ADD = {counters: _add(counters) for counters in _TOGETHER}
_LOCK = {counters: _lock(counters) for counters in _TOGETHER}
_of_team = and_(
    usage_counters.c.team_id == bindparam("scope"),
    or_(
        and_(
            usage_counters.c.period == bindparam("in_period"),
            or_(*(usage_counters.c.counter == counter for counter in COUNTERS if counter != STORAGE)),
        ),
        and_(usage_counters.c.period == ALL_TIME, usage_counters.c.counter == STORAGE),
    ),
)
_USE = Sql(
    select(
        usage_counters.c.counter,
        func.sum(usage_counters.c.used).label("total"),
        func.max(usage_counters.c.used).label("fullest"),
    )
    .where(_of_team)
    .group_by(usage_counters.c.counter)
)
_SPREAD = Sql(
    update(usage_counters)
    .where(
        usage_counters.c.team_id == bindparam("scope"),
        usage_counters.c.period == bindparam("in_period"),
        usage_counters.c.counter == bindparam("of_counter"),
    )
    .values(used=bindparam("each") + case((usage_counters.c.slot < bindparam("one_more_below"), 1), else_=0))
)


def random_slot() -> str:
    return SLOTS[int(ids.fraction() * (len(SLOTS) - 1))]


def ordered(counters: Iterable[str]) -> tuple[str, ...]:
    wanted = set(counters)
    return tuple(counter for counter in COUNTERS if counter in wanted)


async def read_usage(tx: Tx, scope: Scope, period: str) -> dict[str, SlotUsage]:
    """Read the usage of every counter."""
    rows = await tx.many(_USE, scope=scope, in_period=period)
    found = {row["counter"]: SlotUsage(int(row["total"]), int(row["fullest"])) for row in rows}
    return {counter: found.get(counter, SlotUsage(0, 0)) for counter in COUNTERS}


async def add(tx: Tx, scope: Scope, period: str, more: Mapping[str, int], slot: str) -> dict[str, int]:
    """Add to one slot, locking it, and return its new values."""
    counters = ordered(more)
    values = {f"more_{counter}": more[counter] for counter in counters}
    query = _ADD[counters]
    if len(counters) == 1:
        rows = [await tx.one(query, scope=scope, in_period=period, to_slot=slot, **values)]
    else:
        rows = list(await tx.many(query, scope=scope, in_period=period, to_slot=slot, **values))
    return {row["counter"]: row["used"] for row in rows if row is not None}


async def lock(tx: Tx, scope: Scope, period: str, counters: Iterable[str]) -> dict[str, int]:
    """Lock all slots of these counters and return the exact totals."""
    locked = ordered(counters)
    totals = dict.fromkeys(locked, 0)
    for row in await tx.many(_LOCK[locked], scope=scope, in_period=period, nothing=0):
        totals[row["counter"]] += row["used"]
    return totals


async def rebalance(tx: Tx, scope: Scope, period: str, counter: str, total: int) -> None:
    """Distribute a total evenly over the slots, which must be locked."""
    each, rest = divmod(total, len(SLOTS))
    in_period = ALL_TIME if counter == STORAGE else period
    await tx.run(_SPREAD, scope=scope, in_period=in_period, of_counter=counter, each=each, one_more_below=str(rest))
