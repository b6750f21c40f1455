"""Plan limits for a group of events: which events are accepted, and how usage is counted.

The counters of a group are updated before its events are written, team by team in a fixed order. Everything that may
be new is counted first; duplicates are subtracted at the end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from loremark.base.caller import Scope
from loremark.base.plans import Plan
from loremark.features.ingest import store
from loremark.features.ingest.payload import CapturedEvent
from loremark.features.ingest.session_linking import SessionLinks
from loremark.features.metering import counter_slots
from loremark.features.metering.counter_slots import EVENTS, SESSIONS, STORAGE, random_slot
from loremark.features.metering.periods import period
from loremark.features.metering.plan_limits import HeadroomCache, limits_of, share_of
from loremark.storage.database import Tx

Blob = tuple[str, str]
"""Project id and hash."""


class SlotLimitReached(Exception):
    """Concurrent requests used up the slot's share. Nothing was stored; the retry locks all slots."""


@dataclass
class _Tally:
    """Usage of one team within a group of events."""

    scope: Scope
    month: str
    slot: str
    taken: Counter[str] = field(default_factory=Counter)
    """Counted in advance, in one slot."""
    before: dict[str, int] | None = None
    """Usage before the group, if all slots are locked."""
    actual: Counter[str] = field(default_factory=Counter)
    """Usage by events that were actually new."""


class Admission:
    """Counts the usage of event groups and rejects events over the plan limits."""

    def __init__(self) -> None:
        self._slot = random_slot()
        self._headroom = HeadroomCache()

    async def admit(
        self, tx: Tx, accepted: Sequence[CapturedEvent], links: SessionLinks, plans: Mapping[str, Plan], now_ms: int
    ) -> Group:
        by_team: dict[str, list[int]] = defaultdict(list)
        for at, item in enumerate(accepted):
            by_team[item.team_id].append(at)
        group = Group(accepted, links)
        for team_id in sorted(by_team):
            tally = _Tally(Scope(team_id), period(now_ms), self._slot)
            group.tallies[team_id] = tally
            await self._admit_team(tx, group, tally, plans[team_id], by_team[team_id])
        return group

    async def _admit_team(self, tx: Tx, group: Group, tally: _Tally, plan: Plan, positions: list[int]) -> None:
        wanted = group.max_usage(positions)
        fits, used = await self._headroom.has_room(tx, tally.scope, plan, tally.month, wanted)
        limits = limits_of(plan)
        if fits:
            added = await counter_slots.add(tx, tally.scope, tally.month, wanted, self._slot)
            tally.taken.update(wanted)
            for counter, in_slot in added.items():
                self._headroom.record_usage(tally.scope, counter, in_slot)
                if in_slot > share_of(limits[counter]):
                    self._headroom.forget(tally.scope)
                    raise SlotLimitReached
            return
        totals = {counter: use.total for counter, use in (used or {}).items()}
        if all(totals[counter] < limits[counter] for counter in (EVENTS, STORAGE)):
            totals = tally.before = await counter_slots.lock(tx, tally.scope, tally.month, wanted)
        left = {counter: limits[counter] - totals[counter] for counter in wanted}
        if any(left[counter] < more for counter, more in wanted.items()):
            await group.reject_over_limit(tx, left, positions)


class Group:
    """A group of events and the decision on each."""

    def __init__(self, accepted: Sequence[CapturedEvent], links: SessionLinks) -> None:
        self._accepted = accepted
        self._links = links
        self.tallies: dict[str, _Tally] = {}
        self.rejected: dict[int, str] = {}
        """The exhausted counter, by position."""

    def max_usage(self, positions: list[int]) -> dict[str, int]:
        """Return the most these events can use."""
        items = [self._accepted[at] for at in positions]
        wanted = {EVENTS: len(items), STORAGE: sum(map(total_bytes, items))}
        if self._links.new_sessions:
            new_sessions = {self._links.session_ids[at] for at in positions} & self._links.new_sessions.keys()
            if new_sessions:
                wanted[SESSIONS] = len(new_sessions)
        return wanted

    async def reject_over_limit(self, tx: Tx, left: dict[str, int], positions: list[int]) -> None:
        """Reject events in order once the limit is reached. Duplicates use nothing and are never rejected."""
        seen: set[bytes] = set()
        stored: set[Blob] = set()
        new_sessions: set[str] = set()
        for at in positions:
            item, session_id = self._accepted[at], self._links.session_ids[at]
            if item.content_hash in seen or await store.find_by_hash(tx, item.content_hash) is not None:
                continue
            fresh = await new_blobs(tx, [item]) if item.blobs else {}
            needs = {
                EVENTS: 1,
                SESSIONS: int(session_id in self._links.new_sessions and session_id not in new_sessions),
                STORAGE: item.size_bytes + sum(size for blob, size in fresh.items() if blob not in stored),
            }
            exceeded = next((counter for counter, need in needs.items() if need > left.get(counter, 0)), None)
            if exceeded is not None:
                self.rejected[at] = exceeded
                continue
            for counter, need in needs.items():
                if need:
                    left[counter] -= need
            seen.add(item.content_hash)
            stored |= fresh.keys()
            new_sessions.add(session_id)

    def count(self, new: Iterable[int], fresh: Mapping[Blob, int], new_sessions: Iterable[str]) -> None:
        """Count what was actually new: events by position, large texts and sessions."""
        for at in new:
            item = self._accepted[at]
            actual = self.tallies[item.team_id].actual
            actual[EVENTS] += 1
            actual[STORAGE] += item.size_bytes
        teams = {item.project_id: item.team_id for item in self._accepted} if fresh else {}
        for (project_id, _), size in fresh.items():
            self.tallies[teams[project_id]].actual[STORAGE] += size
        for session_id in new_sessions:
            self.tallies[self._links.new_sessions[session_id].team_id].actual[SESSIONS] += 1

    async def settle(self, tx: Tx) -> None:
        """Correct the counters to the actual usage, in the slots that are already locked."""
        for tally in self.tallies.values():
            if tally.before is not None:
                for counter, more in tally.actual.items():
                    await counter_slots.rebalance(tx, tally.scope, tally.month, counter, tally.before[counter] + more)
            elif tally.actual != tally.taken:
                less = {counter: tally.actual[counter] - more for counter, more in tally.taken.items()}
                await counter_slots.add(tx, tally.scope, tally.month, less, tally.slot)


def total_bytes(item: CapturedEvent) -> int:
    """Return the size of an event including its large texts."""
    return item.size_bytes + sum(map(len, item.blobs.values())) if item.blobs else item.size_bytes


async def new_blobs(tx: Tx, items: Sequence[CapturedEvent]) -> dict[Blob, int]:
    """Return the sizes of large texts that are new in their projects. The projects are locked."""
    given: dict[str, dict[str, int]] = defaultdict(dict)
    for item in items:
        for sha256, content in item.blobs.items():
            given[item.project_id][sha256] = len(content)
    fresh: dict[Blob, int] = {}
    for project_id, sizes in given.items():
        known = await store.find_blobs(tx, project_id, list(sizes))
        fresh |= {(project_id, sha256): size for sha256, size in sizes.items() if sha256 not in known}
    return fresh


async def find_exceeded_limit(tx: Tx, item: CapturedEvent, plan: Plan, since_ms: int, now_ms: int) -> str | None:
    """Return the counter that would reject this event, checked before its large texts are stored."""
    limits = limits_of(plan)
    left = {
        counter: limits[counter] - use.total
        for counter, use in (await counter_slots.read_usage(tx, Scope(item.team_id), period(now_ms))).items()
    }
    exceeded = None
    if left[EVENTS] < 1:
        exceeded = EVENTS
    elif left[SESSIONS] < 1 and not await store.has_open_session(tx, item.project_id, item.source, since_ms):
        exceeded = SESSIONS
    elif left[STORAGE] < total_bytes(item) and left[STORAGE] < item.size_bytes + sum(
        (await new_blobs(tx, [item])).values()
    ):
        exceeded = STORAGE
    if exceeded is not None and await store.find_by_hash(tx, item.content_hash) is not None:
        return None
    return exceeded
