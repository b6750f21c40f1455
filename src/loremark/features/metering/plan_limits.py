"""Plan limits: exact, without a single hot row per counter.

A limit is divided evenly among the slots of its counter. While every slot stays within its share, the total stays
within the limit, so counting in one slot needs no look at the others. When a share is used up, all slots are locked,
the exact total is checked against the limit and redistributed evenly. This holds for any number of concurrent
transactions and processes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from loremark.base import clock, errors
from loremark.base.caller import Scope
from loremark.base.plans import UNBOUNDED, Plan
from loremark.features.metering import counter_slots
from loremark.features.metering.counter_slots import ENRICHMENTS, EVENTS, SESSIONS, SLOTS, STORAGE, SlotUsage
from loremark.features.metering.periods import period
from loremark.storage.database import Tx

# Headroom for what concurrent transactions may add between the check and the count.
_MARGINS = {EVENTS: 256, SESSIONS: 32, STORAGE: 1024 * 1024, ENRICHMENTS: 32}
_CACHE_S = 1.0
_CACHE_TEAMS = 10_000


def limits_of(plan: Plan) -> dict[str, int]:
    return {
        EVENTS: plan.events,
        SESSIONS: plan.sessions,
        STORAGE: plan.storage_bytes,
        ENRICHMENTS: plan.enrichments,
    }


def share_of(limit: int) -> int:
    """How much of a limit one slot may hold without checking the others."""
    return limit if limit >= UNBOUNDED else limit // len(SLOTS)


def has_room(fullest: int, counter: str, more: int, limit: int) -> bool:
    """Whether ``more`` can be counted in any slot without exceeding its share. ``fullest`` is the largest slot."""
    return limit >= UNBOUNDED or fullest + more + _MARGINS[counter] <= share_of(limit)


async def count_one(tx: Tx, scope: Scope, plan: Plan, counter: str, now_ms: int) -> None:
    """Count one more, or raise if the plan limit is reached."""
    limit, month = limits_of(plan)[counter], period(now_ms)
    if limit < UNBOUNDED:
        use = (await counter_slots.read_usage(tx, scope, month))[counter]
        if use.total >= limit:
            raise errors.PLAN_LIMIT(counter=counter)
        if not has_room(use.fullest, counter, 1, limit):
            await _count_at_limit(tx, scope, limit, counter, month, 1)
            return
    added = await counter_slots.add(tx, scope, month, {counter: 1}, counter_slots.random_slot())
    if limit < UNBOUNDED and added[counter] > share_of(limit):  # many concurrent transactions used the same slot
        await _count_at_limit(tx, scope, limit, counter, month, 0)


async def _count_at_limit(tx: Tx, scope: Scope, limit: int, counter: str, month: str, more: int) -> None:
    total = (await counter_slots.lock(tx, scope, month, (counter,)))[counter] + more
    if total > limit:
        raise errors.PLAN_LIMIT(counter=counter)
    await counter_slots.rebalance(tx, scope, month, counter, total)


async def count_unchecked(tx: Tx, scope: Scope, more: Mapping[str, int], now_ms: int) -> None:
    """Count the service's own work, which is never refused. Rebalances the slots."""
    month = period(now_ms)
    for counter, total in (await counter_slots.lock(tx, scope, month, more)).items():
        await counter_slots.rebalance(tx, scope, month, counter, total + more[counter])


@dataclass
class _CachedUsage:
    """A team's recently read counters."""

    plan_id: str
    month: str
    until: float
    fullest: dict[str, int]


class HeadroomCache:
    """Caches briefly which teams are far from their limits.

    This only saves reads: the count itself still checks that a slot is within its share.
    """

    def __init__(self) -> None:
        self._cache: OrderedDict[str, _CachedUsage] = OrderedDict()

    async def has_room(
        self, tx: Tx, scope: Scope, plan: Plan, month: str, wanted: Mapping[str, int]
    ) -> tuple[bool, dict[str, SlotUsage] | None]:
        """Whether ``wanted`` fits into one slot, and the current usage if it had to be read."""
        limits = limits_of(plan)

        def fits(fullest: Mapping[str, int]) -> bool:
            return all(has_room(fullest[counter], counter, more, limits[counter]) for counter, more in wanted.items())

        if all(limits[counter] >= UNBOUNDED for counter in wanted):
            return True, None
        cached = self._cache.get(scope)
        fresh = cached is not None and (cached.plan_id, cached.month) == (plan.id, month)
        if cached is not None and fresh and clock.monotonic() < cached.until and fits(cached.fullest):
            return True, None
        used = await counter_slots.read_usage(tx, scope, month)
        fullest = {counter: use.fullest for counter, use in used.items()}
        self._store(scope, _CachedUsage(plan.id, month, clock.monotonic() + _CACHE_S, fullest))
        return fits(fullest), used

    def record_usage(self, scope: Scope, counter: str, used: int) -> None:
        """Record the new value of a slot."""
        cached = self._cache.get(scope)
        if cached is not None:
            cached.fullest[counter] = max(cached.fullest[counter], used)

    def forget(self, scope: Scope) -> None:
        self._cache.pop(scope, None)

    def _store(self, scope: Scope, cached: _CachedUsage) -> None:
        self._cache[scope] = cached
        self._cache.move_to_end(scope)
        if len(self._cache) > _CACHE_TEAMS:
            self._cache.popitem(last=False)
