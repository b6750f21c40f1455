"""Lanes: the queued jobs of one team and kind, and fair scheduling between them."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec
from sqlalchemy import func, select

from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import jobs

_KNOWN_LANES = 10_000


class Lane(msgspec.Struct, frozen=True):
    """The queued jobs of one team and kind."""

    name: str
    due_at_ms: int

    @property
    def team(self) -> str:
        return self.name.partition("/")[0]

    @property
    def kind(self) -> str:
        return self.name.partition("/")[2]


# The lanes with queued jobs, found by a loose index scan.
_first_lane = select(func.min(jobs.c.lane)).where(jobs.c.status == "queued").scalar_subquery()
_lanes = select(_first_lane.label("lane")).cte("lanes", recursive=True)
_next_lane = (
    select(func.min(jobs.c.lane))
    .where(jobs.c.status == "queued", jobs.c.lane > _lanes.c.lane)
    .correlate(_lanes)
    .scalar_subquery()
)
_lanes = _lanes.union_all(select(_next_lane).where(_lanes.c.lane.is_not(None)))
_due_at = (
    select(func.min(jobs.c.run_at_ms))
    .where(jobs.c.status == "queued", jobs.c.lane == _lanes.c.lane)
    .correlate(_lanes)
    .scalar_subquery()
)
_LANES = Sql(select(_lanes.c.lane, _due_at.label("due_at_ms")).where(_lanes.c.lane.is_not(None)))
_RUNNING = Sql(
    select(jobs.c.lane, func.count().label("running")).where(jobs.c.status == "running").group_by(jobs.c.lane)
)


def lane_of(team_id: str | None, kind: str) -> str:
    return f"{team_id or ''}/{kind}"


async def list_lanes(tx: Tx) -> list[Lane]:
    rows = await tx.many(_LANES)
    return [Lane(row["lane"], row["due_at_ms"]) for row in rows if row["due_at_ms"] is not None]


async def count_running(tx: Tx) -> dict[str, int]:
    """Return the number of running jobs per lane, across all processes."""
    return {row["lane"]: row["running"] for row in await tx.many(_RUNNING)}


class Turns:
    """When each lane had its last turn in this process, so that a long queue waits behind lanes that had none."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._count = 0

    def last(self, lane: str) -> int:
        return self._last.get(lane, 0)

    def take(self, lane: str) -> None:
        self._count += 1
        self._last.pop(lane, None)
        self._last[lane] = self._count
        if len(self._last) > _KNOWN_LANES:
            del self._last[next(iter(self._last))]


def allocate_slots(
    ready: Iterable[Lane], running: Mapping[str, int], room: int, per_team: int, turns: Turns | None = None
) -> Counter[str]:
    """Allocate slots to the lanes of one kind: fewest running jobs first, then longest without a turn or longest due.

    A lane may get more slots than it has jobs; the rest is allocated in the next round.
    """
    turns = turns or Turns()
    shares: Counter[str] = Counter()
    queue = [(running.get(lane.name, 0), turns.last(lane.name), lane.due_at_ms, lane.name, lane) for lane in ready]
    heapq.heapify(queue)
    while queue and shares.total() < room:
        held, last, due_at_ms, name, lane = heapq.heappop(queue)
        if not lane.team or held < per_team:
            shares[name] += 1
            heapq.heappush(queue, (held + 1, last, due_at_ms, name, lane))
    return shares
