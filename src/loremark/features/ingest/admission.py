"""Which events of a group the plans of their teams still allow, and how those are counted.

All counters of a group are taken before its events are written, team by team in one order. What may come is counted
first; what turns out to be there already is taken off again at the end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from loremark.base.caller import Scope
from loremark.base.plans import Plan
from loremark.features.ingest import store
from loremark.features.ingest.linking import Links
from loremark.features.ingest.payload import Captured
from loremark.features.metering import slots
from loremark.features.metering.counting import Ahead, limits_of, share_of
from loremark.features.metering.periods import period
from loremark.features.metering.slots import EVENTS, SESSIONS, STORAGE, any_slot
from loremark.storage.database import Tx

Blob = tuple[str, str]
"""A project and a hash."""


class AtEdge(Exception):
    """Others have used up the slot's share in this very moment: nothing is kept, and the next try holds all slots."""


@dataclass
class _Tally:
    """How a team's events of a group are counted."""

    scope: Scope
    month: str
    slot: str
    taken: Counter[str] = field(default_factory=Counter)
    """Counted already, in one slot."""
    held: dict[str, int] | None = None
    """What was used before, where all slots are held."""
    kept: Counter[str] = field(default_factory=Counter)
    """What really came."""


class Admission:
    """Counts the events of groups, and says which are refused."""

    def __init__(self) -> None:
        self._slot = any_slot()
        self._ahead = Ahead()

    async def admit(
        self, tx: Tx, accepted: Sequence[Captured], links: Links, plans: Mapping[str, Plan], now_ms: int
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

    async def _admit_team(self, tx: Tx, group: Group, tally: _Tally, plan: Plan, places: list[int]) -> None:
        wanted = group.wanted(places)
        roomy, used = await self._ahead.has_room(tx, tally.scope, plan, tally.month, wanted)
        limits = limits_of(plan)
        if roomy:
            added = await slots.add(tx, tally.scope, tally.month, wanted, self._slot)
            tally.taken.update(wanted)
            for counter, in_slot in added.items():
                self._ahead.saw(tally.scope, counter, in_slot)
                if in_slot > share_of(limits[counter]):
                    self._ahead.forget(tally.scope)
                    raise AtEdge
            return
        totals = {counter: use.total for counter, use in (used or {}).items()}
        if all(totals[counter] < limits[counter] for counter in (EVENTS, STORAGE)):
            totals = tally.held = await slots.hold(tx, tally.scope, tally.month, wanted)
        left = {counter: limits[counter] - totals[counter] for counter in wanted}
        if any(left[counter] < more for counter, more in wanted.items()):
            await group.refuse_beyond(tx, left, places)


class Group:
    """The events of a group, with what was said of them."""

    def __init__(self, accepted: Sequence[Captured], links: Links) -> None:
        self._accepted = accepted
        self._links = links
        self.tallies: dict[str, _Tally] = {}
        self.refused: dict[int, str] = {}
        """By position: the counter that is used up."""

    def wanted(self, places: list[int]) -> dict[str, int]:
        """At most so much is needed for these."""
        items = [self._accepted[at] for at in places]
        wanted = {EVENTS: len(items), STORAGE: sum(map(full_bytes, items))}
        if self._links.begun:
            begun = {self._links.session_ids[at] for at in places} & self._links.begun.keys()
            if begun:
                wanted[SESSIONS] = len(begun)
        return wanted

    async def refuse_beyond(self, tx: Tx, left: dict[str, int], places: list[int]) -> None:
        """One by one in their order, until nothing is left. One that is there already needs nothing."""
        seen: set[bytes] = set()
        stored: set[Blob] = set()
        begun: set[str] = set()
        for at in places:
            item, session_id = self._accepted[at], self._links.session_ids[at]
            if item.content_hash in seen or await store.find_first(tx, item.content_hash) is not None:
                continue
            fresh = await new_blobs(tx, [item]) if item.blobs else {}
            needs = {
                EVENTS: 1,
                SESSIONS: int(session_id in self._links.begun and session_id not in begun),
                STORAGE: item.size_bytes + sum(size for blob, size in fresh.items() if blob not in stored),
            }
            lacking = next((counter for counter, need in needs.items() if need > left.get(counter, 0)), None)
            if lacking is not None:
                self.refused[at] = lacking
                continue
            for counter, need in needs.items():
                if need:
                    left[counter] -= need
            seen.add(item.content_hash)
            stored |= fresh.keys()
            begun.add(session_id)

    def count(self, new: Iterable[int], fresh: Mapping[Blob, int], begun: Iterable[str]) -> None:
        """What really came: new events by their positions, new large texts, begun sessions."""
        for at in new:
            item = self._accepted[at]
            kept = self.tallies[item.team_id].kept
            kept[EVENTS] += 1
            kept[STORAGE] += item.size_bytes
        teams = {item.project_id: item.team_id for item in self._accepted} if fresh else {}
        for (project_id, _), size in fresh.items():
            self.tallies[teams[project_id]].kept[STORAGE] += size
        for session_id in begun:
            self.tallies[self._links.begun[session_id].team_id].kept[SESSIONS] += 1

    async def settle(self, tx: Tx) -> None:
        """Write down what really came, in the slots that are held already."""
        for tally in self.tallies.values():
            if tally.held is not None:
                for counter, more in tally.kept.items():
                    await slots.spread(tx, tally.scope, tally.month, counter, tally.held[counter] + more)
            elif tally.kept != tally.taken:
                less = {counter: tally.kept[counter] - more for counter, more in tally.taken.items()}
                await slots.add(tx, tally.scope, tally.month, less, tally.slot)


def full_bytes(item: Captured) -> int:
    """With its large texts, which it holds until it is kept."""
    return item.size_bytes + sum(map(len, item.blobs.values())) if item.blobs else item.size_bytes


async def new_blobs(tx: Tx, items: Sequence[Captured]) -> dict[Blob, int]:
    """The large texts that are not known yet in their projects, and how large they are. Their projects are held."""
    given: dict[str, dict[str, int]] = defaultdict(dict)
    for item in items:
        for sha256, content in item.blobs.items():
            given[item.project_id][sha256] = len(content)
    fresh: dict[Blob, int] = {}
    for project_id, sizes in given.items():
        known = await store.find_blobs(tx, project_id, list(sizes))
        fresh |= {(project_id, sha256): size for sha256, size in sizes.items() if sha256 not in known}
    return fresh


async def lacking_for(tx: Tx, item: Captured, plan: Plan, since_ms: int, now_ms: int) -> str | None:
    """The counter that would refuse this event now: a look before its large texts are stored."""
    limits = limits_of(plan)
    left = {
        counter: limits[counter] - use.total
        for counter, use in (await slots.read_use(tx, Scope(item.team_id), period(now_ms))).items()
    }
    lacking = None
    if left[EVENTS] < 1:
        lacking = EVENTS
    elif left[SESSIONS] < 1 and not await store.find_open_session(tx, item.project_id, item.source, since_ms):
        lacking = SESSIONS
    elif left[STORAGE] < full_bytes(item) and left[STORAGE] < item.size_bytes + sum(
        (await new_blobs(tx, [item])).values()
    ):
        lacking = STORAGE
    if lacking is not None and await store.find_first(tx, item.content_hash) is not None:
        return None
    return lacking
