"""The nightly recount: what the counters say is compared with what is there, and put right.

Counting a team's rows takes long, and writes go on. So it is done in two steps. A mark (a moment, and the identifier of
that moment) is set at one look and used at the next: by then every row from before the mark is there, or never will be.
Rows up to the mark are counted in short reads while nobody waits. Then, in one transaction that holds all slots of the
team, the few rows after the mark are counted. Whoever counts holds a slot until the commit: while all are held, every
row that is counted in a slot can be seen, and none that can be seen is missing in one.

What a deletion under way takes from the rows and from the counters cannot be read in one look: such a team waits for
the next night.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from loremark.base import clock, ids, log
from loremark.base.caller import Scope
from loremark.features.metering import counted, slots
from loremark.features.metering.clearing import gone
from loremark.features.metering.periods import month_start_ms, period
from loremark.features.metering.slots import COUNTERS, ENRICHMENTS, STORAGE
from loremark.features.metering.store import used
from loremark.jobs.run import Run
from loremark.storage.database import Database, Tx

RECOUNT = "metering.recount"
LOOK_EVERY_MS = 5 * clock.MINUTE_MS
_NIGHT_MS = clock.DAY_MS
_WORK_MS = clock.MINUTE_MS
_TEAMS_AT_ONCE = 100
# Finished jobs are forgotten after two weeks: later in the month there may have been more than are left.
_JOBS_KEPT_MS = 13 * clock.DAY_MS

_log = log.logger("metering")


class Mark(msgspec.Struct, frozen=True):
    """A moment: as time, and as the part of an identifier that tells it."""

    at_ms: int
    text: str

    def as_id(self, prefix: str) -> str:
        return f"{prefix}_{self.text}"


def set_mark() -> Mark:
    return Mark(clock.now_ms(), ids.new("evt").removeprefix("evt_"))


class State(msgspec.Struct, frozen=True, kw_only=True):
    """How far the recount has come: kept in the job's row, so that any process can go on."""

    due_ms: int = 0
    after: str = ""
    mark: Mark | None = None


@dataclass(frozen=True)
class Difference:
    counter: str
    was: int
    found: int


class Recount:
    """Looks often, works for a minute at most, and counts every team once a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        state = msgspec.convert(run.job.result or {}, State)
        if clock.now_ms() < state.due_ms:
            return
        if state.mark is None:
            state = State(after=state.after, mark=set_mark())
        elif clock.now_ms() - state.mark.at_ms >= LOOK_EVERY_MS - clock.SECOND_MS:
            state = await self._work(state.after, state.mark)
        async with run.step() as tx:
            await run.keep_result(tx, msgspec.to_builtins(state))

    async def _work(self, after: str, mark: Mark) -> State:
        """Team by team; the next look goes on where this one ends."""
        next_mark, until_ms = set_mark(), clock.now_ms() + _WORK_MS
        while clock.now_ms() < until_ms:
            async with self._database.read() as tx:
                team_ids = await counted.list_teams(tx, after, _TEAMS_AT_ONCE)
            if not team_ids:
                return State(due_ms=clock.now_ms() + _NIGHT_MS)
            for team_id in team_ids:
                await recount_team(self._database, Scope(team_id), mark)
                after = team_id
                if clock.now_ms() >= until_ms:
                    break
        return State(after=after, mark=next_mark)


async def recount_team(database: Database, scope: Scope, mark: Mark) -> list[Difference]:
    """Put a team's counters right; what was wrong."""
    now_ms = clock.now_ms()
    month, since_ms = period(now_ms), month_start_ms(now_ms)
    async with database.read() as tx:
        projects = await counted.list_projects(tx, scope)
    if not all(projects.values()):
        return []
    before = await _count_before(database, scope, mark, since_ms, list(projects))
    async with database.write() as tx:
        held = await slots.hold(tx, scope, month, COUNTERS)
        there = await counted.list_projects(tx, scope)
        found = before + await _count_after(tx, scope, mark, since_ms, list(there))
        unchanged = all(there.get(project_id) for project_id in projects) and all(there.values())
        if not unchanged or period() != month or not await _still_there(tx, scope, list(there)):
            return []
        for counter in COUNTERS:
            if counter != STORAGE:
                found[counter] += await used(tx, scope, month, gone(counter))
        differences = [
            Difference(counter, held[counter], found[counter])
            for counter in COUNTERS
            if found[counter] != held[counter]
            and not _may_be_forgotten(counter, held[counter] - found[counter], now_ms - since_ms)
        ]
        for wrong in differences:
            await slots.spread(tx, scope, month, wrong.counter, wrong.found)
    for wrong in differences:
        _log.warning("a counter was wrong", team=scope, counter=wrong.counter, was=wrong.was, found=wrong.found)
    return differences


async def _count_before(
    database: Database, scope: Scope, mark: Mark, since_ms: int, project_ids: Sequence[str]
) -> Counter[str]:
    """In many short reads."""
    found: Counter[str] = Counter()
    for project_id in project_ids:
        after = ""
        while True:
            async with database.read() as tx:
                sessions = await counted.list_sessions(tx, scope, project_id, after)
                if not sessions:
                    break
                found += await counted.count_events_before(tx, scope, sessions, mark.as_id("evt"), since_ms)
            found += counted.sessions_up_to(sessions, mark.as_id("ses"), since_ms)
            after = sessions[-1]["id"]
        async with database.read() as tx:
            found += await counted.count_jobs_before(tx, scope, project_id, mark.as_id("job"), since_ms)
            found += await counted.count_blobs(tx, scope, project_id, until_ms=mark.at_ms)
    return found


async def _count_after(tx: Tx, scope: Scope, mark: Mark, since_ms: int, project_ids: Sequence[str]) -> Counter[str]:
    """What has come since the mark, in the transaction that holds the counters."""
    found = await counted.count_events_after(tx, scope, mark.as_id("evt"), since_ms)
    found += await counted.count_jobs_after(tx, scope, mark.as_id("job"), since_ms)
    for project_id in project_ids:
        found += await counted.count_sessions_after(tx, scope, project_id, mark.as_id("ses"), since_ms)
        found += await counted.count_blobs(tx, scope, project_id, after_ms=mark.at_ms)
    return found


async def _still_there(tx: Tx, scope: Scope, project_ids: Sequence[str]) -> bool:
    """Whether no deletion has begun while the rows were counted."""
    living = await counted.list_projects(tx, scope)
    return all(living.get(project_id) for project_id in project_ids)


def _may_be_forgotten(counter: str, missing: int, into_month_ms: int) -> bool:
    """Whether rows that are missing may have been there: then the counter is believed."""
    return counter == ENRICHMENTS and missing > 0 and into_month_ms > _JOBS_KEPT_MS
