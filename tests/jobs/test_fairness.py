"""Fairness: a team delays only itself, each kind has its own slots, and a long queue is as cheap as a short one."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from loremark.jobs import lanes, queue, runner
from loremark.jobs.run import Run
from loremark.jobs.runner import JobKind, RunnerTiming
from loremark.storage.database import Database
from loremark.storage.statements import SQLITE
from loremark.storage.tables import jobs
from tests.jobs import work

pytestmark = pytest.mark.anyio

_MANY = 300


async def _fill(database: Database, team_id: str, kind: str = "count", count: int = _MANY) -> None:
    async with database.write() as tx:
        for _ in range(count):
            await queue.enqueue(tx, kind, {}, team_id=team_id)


async def test_team_with_many_jobs_does_not_delay_another(database: Database, second_database: Database) -> None:
    """Two processes share the limit; the other team's only job is enqueued last."""
    active, peak, finished, release = 0, 0, 0, asyncio.Event()

    async def count(run: Run) -> None:
        nonlocal active, peak, finished
        if run.job.team_id == "busy":
            active += 1
            peak = max(peak, active)
            await release.wait()
            active -= 1
            finished += 1

    timing = RunnerTiming(grace_s=0.05)
    await _fill(database, "busy")
    async with work.running(database, count, concurrency=8, per_team=3, timing=timing):
        async with asyncio.timeout(60):
            while peak < 3:
                await asyncio.sleep(0.01)
        async with work.running(second_database, count, concurrency=8, per_team=3, timing=timing):
            single = await work.enqueue(database, team_id="quiet")
            await work.wait_for(database, single, "completed", 10)
            assert (peak, finished) == (3, 0), (
                "the busy team fills its slots and no more, and none of its jobs had to finish"
            )
        release.set()


async def test_freed_slot_is_used_at_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """One team at its limit, jobs ending at any moment: each end is noticed without waiting for the next poll."""
    monkeypatch.setattr(runner, "_POLL_S", 600.0)

    async def count(run: Run) -> None:
        await asyncio.sleep(0)

    job_ids = [await work.enqueue(database, team_id="busy") for _ in range(60)]
    async with work.running(database, count, per_team=2):
        for job_id in job_ids:
            await work.wait_for(database, job_id, "completed", 20)


async def test_slow_kind_delays_no_other_kind_or_team(database: Database) -> None:
    """One team's deliveries hang: its mail still goes out, as do the deliveries of other teams."""
    active: Counter[str | None] = Counter()
    peak: Counter[str | None] = Counter()
    release = asyncio.Event()

    async def slow(run: Run) -> None:
        active[run.job.team_id] += 1
        peak[run.job.team_id] = max(peak[run.job.team_id], active[run.job.team_id])
        if run.job.team_id == "hanging":
            await release.wait()
        active[run.job.team_id] -= 1

    async def swift(run: Run) -> None:
        pass

    await _fill(database, "hanging", "slow", 20)
    kinds = {"slow": JobKind(slow, concurrency=4, per_team=3), "swift": JobKind(swift, concurrency=1, per_team=1)}
    async with work.running_kinds(database, kinds, RunnerTiming(grace_s=0.05)):
        for _ in range(3):
            await work.wait_for(database, await work.enqueue(database, "swift", team_id="hanging"), "completed", 10)
            await work.wait_for(database, await work.enqueue(database, "slow", team_id="other"), "completed", 10)
        assert peak["hanging"] == 3
        release.set()


def test_no_team_may_hold_every_slot_of_a_kind() -> None:
    async def nothing(run: Run) -> None:
        pass

    for concurrency, per_team in ((4, 4), (2, 2), (4, 0)):
        with pytest.raises(ValueError, match="every slot"):
            JobKind(nothing, concurrency=concurrency, per_team=per_team)


async def test_two_processes_polling_at_once_respect_the_limit(database: Database, second_database: Database) -> None:
    """Both see the same waiting jobs and free slots; together they claim no more than one process would."""

    async def hang(run: Run) -> None:
        await asyncio.Event().wait()

    await _fill(database, "busy", count=20)
    async with (
        work.running(database, hang, concurrency=8, per_team=3),
        work.running(second_database, hang, concurrency=8, per_team=3),
    ):
        async with asyncio.timeout(60):
            while not await _running(database):
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        assert await _running(database) == {"busy/count": 3}


async def _running(database: Database) -> dict[str, int]:
    async with database.read() as tx:
        return await lanes.count_running(tx)


def test_slots_are_shared_among_teams() -> None:
    ready = [lanes.Lane("a/x", 1), lanes.Lane("b/x", 2), lanes.Lane("c/x", 3)]
    share = lanes.allocate_slots
    assert share(ready, {}, 5, per_team=4) == {"a/x": 2, "b/x": 2, "c/x": 1}
    assert list(share(ready, {"a/x": 2, "b/x": 1}, 3, per_team=4)) == ["c/x", "b/x"], "fewest running first"
    assert share(ready, {"a/x": 2}, 9, per_team=2) == {"b/x": 2, "c/x": 2}, "slots that no team may use stay free"
    assert share([lanes.Lane("/x", 1)], {"/x": 7}, 3, per_team=1) == {"/x": 3}, "jobs without a team have no team limit"


async def test_team_with_the_fewest_running_jobs_comes_first(database: Database) -> None:
    """With a single slot, teams take turns regardless of the order in which they enqueued."""
    order: list[str | None] = []

    async def count(run: Run) -> None:
        order.append(run.job.team_id)

    await work.enqueue(database, team_id="busy")
    held = await work.claim(database, "another process", 60_000)
    assert held is not None
    await _fill(database, "busy", count=5)
    late = await work.enqueue(database, team_id="quiet")
    async with work.running(database, count, concurrency=1):
        await work.wait_for(database, late, "completed", 10)
        first = list(order)
    assert first[0] == "quiet"


async def test_teams_take_turns_when_none_has_a_running_job(database: Database) -> None:
    """A queue that began earlier must not be worked off first: the other teams would wait for all of it."""
    order: list[str | None] = []

    async def count(run: Run) -> None:
        order.append(run.job.team_id)

    await _fill(database, "busy", count=30)
    await _fill(database, "other", count=30)
    last = [await work.enqueue(database, team_id="quiet") for _ in range(3)][-1]
    async with work.running(database, count, concurrency=1):
        await work.wait_for(database, last, "completed", 30)
    before = order[: [place for place, team in enumerate(order) if team == "quiet"][-1]]
    assert before == ["busy", "other", "quiet"] * 2 + ["busy", "other"]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
async def test_listing_lanes_uses_the_index(database: Database, address: str | Path) -> None:
    """Every step of the plan is an index search that stops at its first entry; job rows are never read."""
    with closing(sqlite3.connect(address)) as connection:
        for statement, table in ((lanes._LANES, "jobs"), (lanes._RUNNING, "jobs"), (queue._CLAIM, "waiting")):
            compiled = statement.on(SQLITE)
            values = compiled.arguments({"in_lane": "a/b", "now_ms": 1, "owner": "", "until_ms": 1})
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {compiled.text}", values)]
            on_jobs = [step for step in plan if f" {table} " in f"{step} "]
            assert on_jobs, plan
            assert all(step.startswith("SEARCH") and " INDEX ix_jobs_lane" in step for step in on_jobs), plan
            assert table == "waiting" or all("COVERING" in step for step in on_jobs), plan
            assert not any("TEMP B-TREE" in step or step.startswith("SCAN jobs") for step in plan), plan


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
async def test_polling_cost_does_not_grow_with_the_queue(database: Database, address: str | Path) -> None:
    """Counted in SQLite VM steps, for the same number of lanes."""

    def steps() -> int:
        count = 0

        def tick() -> int:
            nonlocal count
            count += 1
            return 0

        with closing(sqlite3.connect(address)) as connection:
            connection.set_progress_handler(tick, 1)
            found = connection.execute(lanes._LANES.on(SQLITE).text, lanes._LANES.on(SQLITE).arguments({})).fetchall()
        assert len(found) == 5
        return count

    for team in "abcde":
        await _fill(database, team, count=2)
    few = steps()
    for team in "abcde":
        await _fill(database, team, count=200)
    assert steps() < 2 * few


async def test_lanes_include_only_waiting_jobs(database: Database) -> None:
    async with database.write() as tx:
        for name, status, at in (("a", "queued", 5), ("a", "queued", 3), ("b", "running", 1), ("c", "failed", 1)):
            job_id = await queue.enqueue(tx, "count", {}, team_id=name, run_at_ms=at)
            await tx.run(jobs.update().where(jobs.c.id == job_id).values(status=status))
        await queue.enqueue(tx, "count", {}, run_at_ms=9)
    async with database.read() as tx:
        found = await lanes.list_lanes(tx)
    assert found == [lanes.Lane("/count", 9), lanes.Lane("a/count", 3)]
    assert [(lane.team, lane.kind) for lane in found] == [("", "count"), ("a", "count")]
