"""A plan's counters in the database: each is spread over several rows, and their sum is what was used.

Whoever counts adds to one row and so waits only for those who have just chosen the same. Several rows are always taken
in one statement and in one order (team, counter, slot), so that no two transactions wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, func, or_, select, update

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.features.metering.periods import FOR_EVER
from loremark.storage.database import Tx
from loremark.storage.statements import InsertMaker, Sql
from loremark.storage.tables import usage_counters

EVENTS, SESSIONS, STORAGE, ENRICHMENTS = COUNTERS = ("events", "sessions", "storage", "enrichments")
"""In the order in which they are taken."""

SLOTS = ("0", "1", "2", "3", "4", "5", "6", "7", "all")
_KEY = ["team_id", "period", "counter", "slot"]


class Use(NamedTuple):
    """What was used in all slots together, and in the fullest of them."""

    total: int
    most: int


def _period_of(counter: str) -> Any:
    return FOR_EVER if counter == STORAGE else bindparam("in_period")


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
        made = new(usage_counters).values(rows)
        added = made.on_conflict_do_update(
            index_elements=_KEY, set_={"used": usage_counters.c.used + made.excluded.used}
        )
        return added.returning(usage_counters.c.counter, usage_counters.c.used)

    return Sql(build)


def _hold(counters: Sequence[str]) -> Sql:
    """Makes the slots that are missing, and holds all: the newest values are returned, whoever had to be waited for."""

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
        held = new(usage_counters).values(rows)
        held = held.on_conflict_do_update(index_elements=_KEY, set_={"used": usage_counters.c.used})
        return held.returning(usage_counters.c.counter, usage_counters.c.used)

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
_HOLD = {counters: _hold(counters) for counters in _TOGETHER}
_of_team = and_(
    usage_counters.c.team_id == bindparam("scope"),
    or_(
        and_(
            usage_counters.c.period == bindparam("in_period"),
            or_(*(usage_counters.c.counter == counter for counter in COUNTERS if counter != STORAGE)),
        ),
        and_(usage_counters.c.period == FOR_EVER, usage_counters.c.counter == STORAGE),
    ),
)
_USE = Sql(
    select(
        usage_counters.c.counter,
        func.sum(usage_counters.c.used).label("total"),
        func.max(usage_counters.c.used).label("most"),
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


def any_slot() -> str:
    return SLOTS[int(ids.fraction() * (len(SLOTS) - 1))]


def ordered(counters: Iterable[str]) -> tuple[str, ...]:
    wanted = set(counters)
    return tuple(counter for counter in COUNTERS if counter in wanted)


async def read_use(tx: Tx, scope: Scope, period: str) -> dict[str, Use]:
    """Of every counter."""
    rows = await tx.many(_USE, scope=scope, in_period=period)
    found = {row["counter"]: Use(int(row["total"]), int(row["most"])) for row in rows}
    return {counter: found.get(counter, Use(0, 0)) for counter in COUNTERS}


async def add(tx: Tx, scope: Scope, period: str, more: Mapping[str, int], slot: str) -> dict[str, int]:
    """Count in one slot, which is held until the transaction ends; what is in it now."""
    counters = ordered(more)
    values = {f"more_{counter}": more[counter] for counter in counters}
    query = _ADD[counters]
    if len(counters) == 1:
        rows = [await tx.one(query, scope=scope, in_period=period, to_slot=slot, **values)]
    else:
        rows = list(await tx.many(query, scope=scope, in_period=period, to_slot=slot, **values))
    return {row["counter"]: row["used"] for row in rows if row is not None}


async def hold(tx: Tx, scope: Scope, period: str, counters: Iterable[str]) -> dict[str, int]:
    """What was used, exactly: nobody else counts for this team until the transaction ends."""
    taken = ordered(counters)
    totals = dict.fromkeys(taken, 0)
    for row in await tx.many(_HOLD[taken], scope=scope, in_period=period, nothing=0):
        totals[row["counter"]] += row["used"]
    return totals


async def spread(tx: Tx, scope: Scope, period: str, counter: str, total: int) -> None:
    """Write a total down evenly. The counter is held."""
    each, rest = divmod(total, len(SLOTS))
    in_period = FOR_EVER if counter == STORAGE else period
    await tx.run(_SPREAD, scope=scope, in_period=in_period, of_counter=counter, each=each, one_more_below=str(rest))
