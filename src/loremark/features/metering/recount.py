"""The nightly recount: compares the counters with the actual rows and corrects them.

Counting a team's rows takes long, and writes go on meanwhile, so it happens in two steps. A mark (a time and an
identifier of that time) is set in one run and used in the next: by then every transaction from before the mark has
finished. Rows up to the mark are counted in short reads. Then the few rows after the mark are counted in one
transaction that locks all slots of the team. Since counting locks a slot until the commit, the rows visible at that
point are exactly those in the counters.

Teams with a deletion in progress, of a project, a session or expired data, cannot be counted consistently and wait for
the next night.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from loremark.base import clock, ids, log
from loremark.base.caller import Scope
from loremark.features.metering import counter_slots, row_counts
from loremark.features.metering.counter_slots import COUNTERS, ENRICHMENTS, STORAGE
from loremark.features.metering.periods import month_start_ms, period
from loremark.features.metering.project_deletion import deleted_counter
from loremark.features.metering.store import used
from loremark.jobs.run import Run
from loremark.storage.database import Database, Tx

RECOUNT = "metering.recount"
INTERVAL_MS = 5 * clock.MINUTE_MS
_RECOUNT_EVERY_MS = clock.DAY_MS
_MAX_RUN_MS = clock.MINUTE_MS
_BATCH_TEAMS = 100
# Finished jobs are deleted after two weeks, so later in the month the rows may be incomplete.
_JOBS_KEPT_MS = 13 * clock.DAY_MS

_log = log.logger("metering")


class Mark(msgspec.Struct, frozen=True):
    """A point in time, and the part of an identifier generated at that time."""

    at_ms: int
    text: str

    def as_id(self, prefix: str) -> str:
        return f"{prefix}_{self.text}"


def set_mark() -> Mark:
    return Mark(clock.now_ms(), ids.new("evt").removeprefix("evt_"))


class State(msgspec.Struct, frozen=True, kw_only=True):
    """The recount's progress, kept in the job's row so that any process can continue."""

    due_ms: int = 0
    after: str = ""
    mark: Mark | None = None


@dataclass(frozen=True)
class Difference:
    counter: str
    was: int
    found: int


class Recount:
    """Counts every team once a day, working for at most a minute per run."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        state = msgspec.convert(run.job.result or {}, State)
        if clock.now_ms() < state.due_ms:
            return
        if state.mark is None:
            state = State(after=state.after, mark=set_mark())
        elif clock.now_ms() - state.mark.at_ms >= INTERVAL_MS - clock.SECOND_MS:
            state = await self._work(state.after, state.mark)
        async with run.step() as tx:
            await run.save_result(tx, msgspec.to_builtins(state))

    async def _work(self, after: str, mark: Mark) -> State:
        """Recount team by team; the next run continues where this one stops."""
        next_mark, until_ms = set_mark(), clock.now_ms() + _MAX_RUN_MS
        while clock.now_ms() < until_ms:
            async with self._database.read() as tx:
                team_ids = await row_counts.list_teams(tx, after, _BATCH_TEAMS)
            if not team_ids:
                return State(due_ms=clock.now_ms() + _RECOUNT_EVERY_MS)
            for team_id in team_ids:
                await recount_team(self._database, Scope(team_id), mark)
                after = team_id
                if clock.now_ms() >= until_ms:
                    break
        return State(after=after, mark=next_mark)


async def recount_team(database: Database, scope: Scope, mark: Mark) -> list[Difference]:
    """Correct a team's counters and return the differences."""
    now_ms = clock.now_ms()
    month, since_ms = period(now_ms), month_start_ms(now_ms)
    async with database.read() as tx:
        projects = await row_counts.list_projects(tx, scope)
    if not all(projects.values()):
        return []
    before = await _count_before(database, scope, mark, since_ms, list(projects))
    async with database.write() as tx:
        locked = await counter_slots.lock(tx, scope, month, COUNTERS)
        current = await row_counts.list_projects(tx, scope)
        found = before + await _count_after(tx, scope, mark, since_ms, list(current))
        unchanged = all(current.get(project_id) for project_id in projects) and all(current.values())
        no_deletion = await _no_deletion_started(tx, scope, list(current), mark)
        if not unchanged or period() != month or not no_deletion:
            return []
        for counter in COUNTERS:
            if counter != STORAGE:
                found[counter] += await used(tx, scope, month, deleted_counter(counter))
        differences = [
            Difference(counter, locked[counter], found[counter])
            for counter in COUNTERS
            if found[counter] != locked[counter]
            and not _may_be_pruned(counter, locked[counter] - found[counter], now_ms - since_ms)
        ]
        for wrong in differences:
            await counter_slots.rebalance(tx, scope, month, wrong.counter, wrong.found)
    for wrong in differences:
        _log.warning("corrected a usage counter", team=scope, counter=wrong.counter, was=wrong.was, found=wrong.found)
    return differences


async def _count_before(
    database: Database, scope: Scope, mark: Mark, since_ms: int, project_ids: Sequence[str]
) -> Counter[str]:
    """Count the rows before the mark, in many short reads."""
    found: Counter[str] = Counter()
    for project_id in project_ids:
        after = ""
        while True:
            async with database.read() as tx:
                sessions = await row_counts.list_sessions(tx, scope, project_id, after)
                if not sessions:
                    break
                found += await row_counts.count_events_before(tx, scope, sessions, mark.as_id("evt"), since_ms)
            found += row_counts.sessions_up_to(sessions, mark.as_id("ses"), since_ms)
            after = sessions[-1]["id"]
        async with database.read() as tx:
            found += await row_counts.count_jobs_before(tx, scope, project_id, mark.as_id("job"), since_ms)
            found += await row_counts.count_blobs(tx, scope, project_id, until_ms=mark.at_ms)
    return found


async def _count_after(tx: Tx, scope: Scope, mark: Mark, since_ms: int, project_ids: Sequence[str]) -> Counter[str]:
    """Count the rows after the mark, in the transaction that locks the counters."""
    found = await row_counts.count_events_after(tx, scope, mark.as_id("evt"), since_ms)
    found += await row_counts.count_jobs_after(tx, scope, mark.as_id("job"), since_ms)
    for project_id in project_ids:
        found += await row_counts.count_sessions_after(tx, scope, project_id, mark.as_id("ses"), since_ms)
        found += await row_counts.count_blobs(tx, scope, project_id, after_ms=mark.at_ms)
    return found


async def _no_deletion_started(tx: Tx, scope: Scope, project_ids: Sequence[str], mark: Mark) -> bool:
    """Whether nothing was deleted while the rows were counted."""
    current = await row_counts.list_projects(tx, scope)
    if await row_counts.has_deletion(tx, scope, mark.at_ms):
        return False
    return all(current.get(project_id) for project_id in project_ids)


def _may_be_pruned(counter: str, missing: int, into_month_ms: int) -> bool:
    """Whether the missing rows may have been pruned; then the counter is left as it is."""
    return counter == ENRICHMENTS and missing > 0 and into_month_ms > _JOBS_KEPT_MS
