"""Counting against a plan: exact at the limit, and without one row that everybody waits for.

A limit is shared out evenly among the slots of its counter. Whoever counts in one slot and stays within its share needs
to know nothing of the others: as long as each slot is within its share, all are within the limit together. Where a
share does not suffice, all slots are held, the true total is compared with the limit, and what was used is spread
evenly over the slots again. So it does not matter who runs at the same time, or in how many processes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from loremark.base import clock, errors
from loremark.base.caller import Scope
from loremark.base.plans import UNBOUNDED, Plan
from loremark.features.metering import slots
from loremark.features.metering.periods import period
from loremark.features.metering.slots import ENRICHMENTS, EVENTS, SESSIONS, SLOTS, STORAGE, Use
from loremark.storage.database import Tx

# What others may add between a look at a slot and the count: then the share still suffices.
_MARGINS = {EVENTS: 256, SESSIONS: 32, STORAGE: 1024 * 1024, ENRICHMENTS: 32}
_REMEMBERED_S = 1.0
_MOST_REMEMBERED = 10_000


def limits_of(plan: Plan) -> dict[str, int]:
    return {
        EVENTS: plan.events,
        SESSIONS: plan.sessions,
        STORAGE: plan.storage_bytes,
        ENRICHMENTS: plan.enrichments,
    }


def share_of(limit: int) -> int:
    """How much of a limit one slot may hold without a look at the others."""
    return limit if limit >= UNBOUNDED else limit // len(SLOTS)


def has_room(most: int, counter: str, more: int, limit: int) -> bool:
    """Whether every slot is so far from the end of its share that this much can be counted in any of them."""
    return limit >= UNBOUNDED or most + more + _MARGINS[counter] <= share_of(limit)


async def take(tx: Tx, scope: Scope, plan: Plan, counter: str, now_ms: int) -> None:
    """Count one more, or refuse."""
    limit, month = limits_of(plan)[counter], period(now_ms)
    if limit < UNBOUNDED:
        use = (await slots.read_use(tx, scope, month))[counter]
        if use.total >= limit:
            raise errors.PLAN_LIMIT(counter=counter)
        if not has_room(use.most, counter, 1, limit):
            await _take_last(tx, scope, limit, counter, month, 1)
            return
    added = await slots.add(tx, scope, month, {counter: 1}, slots.any_slot())
    if limit < UNBOUNDED and added[counter] > share_of(limit):  # very many others have come in this very moment
        await _take_last(tx, scope, limit, counter, month, 0)


async def _take_last(tx: Tx, scope: Scope, limit: int, counter: str, month: str, more: int) -> None:
    total = (await slots.hold(tx, scope, month, (counter,)))[counter] + more
    if total > limit:
        raise errors.PLAN_LIMIT(counter=counter)
    await slots.spread(tx, scope, month, counter, total)


async def count_own(tx: Tx, scope: Scope, more: Mapping[str, int], now_ms: int) -> None:
    """What we do ourselves for the team counts, and is never refused: no slot may then hold more than the others."""
    month = period(now_ms)
    for counter, total in (await slots.hold(tx, scope, month, more)).items():
        await slots.spread(tx, scope, month, counter, total + more[counter])


@dataclass
class _Known:
    """What a process has seen of a team's counters a moment ago."""

    plan_id: str
    month: str
    until: float
    most: dict[str, int]


class Ahead:
    """Remembers for a moment which teams are far from their limits, so that not every group has to look.

    It only saves looks: whether a slot is within its share is told by the count itself.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def has_room(
        self, tx: Tx, scope: Scope, plan: Plan, month: str, wanted: Mapping[str, int]
    ) -> tuple[bool, dict[str, Use] | None]:
        """Whether so much can be counted in one slot; and what was used, if that had to be looked up."""
        limits = limits_of(plan)

        def roomy(most: Mapping[str, int]) -> bool:
            return all(has_room(most[counter], counter, more, limits[counter]) for counter, more in wanted.items())

        if all(limits[counter] >= UNBOUNDED for counter in wanted):
            return True, None
        known = self._known.get(scope)
        fresh = known is not None and (known.plan_id, known.month) == (plan.id, month)
        if known is not None and fresh and clock.monotonic() < known.until and roomy(known.most):
            return True, None
        used = await slots.read_use(tx, scope, month)
        most = {counter: use.most for counter, use in used.items()}
        self._remember(scope, _Known(plan.id, month, clock.monotonic() + _REMEMBERED_S, most))
        return roomy(most), used

    def saw(self, scope: Scope, counter: str, used: int) -> None:
        """What is in a slot now."""
        known = self._known.get(scope)
        if known is not None:
            known.most[counter] = max(known.most[counter], used)

    def forget(self, scope: Scope) -> None:
        self._known.pop(scope, None)

    def _remember(self, scope: Scope, known: _Known) -> None:
        self._known[scope] = known
        self._known.move_to_end(scope)
        if len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)
