"""Fairness: a team waits behind itself only, a kind has its own places, and a long queue costs no more than a short."""

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


async def test_a_team_with_many_jobs_does_not_delay_another(database: Database, second_database: Database) -> None:
    """In two processes that share the limit; the other team's one job was asked for last."""
    under_way, most, ended, release = 0, 0, 0, asyncio.Event()

    async def count(run: Run) -> None:
        nonlocal under_way, most, ended
        if run.job.team_id == "busy":
            under_way += 1
            most = max(most, under_way)
            await release.wait()
            under_way -= 1
            ended += 1

    timing = RunnerTiming(grace_s=0.05)
    await _fill(database, "busy")
    async with work.running(database, count, concurrency=8, per_team=3, timing=timing):
        async with asyncio.timeout(60):
            while most < 3:
                await asyncio.sleep(0.01)
        async with work.running(second_database, count, concurrency=8, per_team=3, timing=timing):
            single = await work.enqueue(database, team_id="quiet")
            await work.until(database, single, "completed", 10)
            assert (most, ended) == (3, 0), "the busy team has its places and no more, and none of its jobs had to end"
        release.set()


async def test_a_place_that_comes_free_is_taken_at_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """One team at its limit, jobs ending at any moment: no end goes unnoticed until a regular look, far away here."""
    monkeypatch.setattr(runner, "_POLL_S", 600.0)

    async def count(run: Run) -> None:
        await asyncio.sleep(0)

    made = [await work.enqueue(database, team_id="busy") for _ in range(60)]
    async with work.running(database, count, per_team=2):
        for job_id in made:
            await work.until(database, job_id, "completed", 20)


async def test_slow_work_of_one_kind_delays_no_other_kind_nor_another_team(database: Database) -> None:
    """A team whose deliveries hang: its own mail goes on, and so do the deliveries of others."""
    under_way: Counter[str | None] = Counter()
    most: Counter[str | None] = Counter()
    release = asyncio.Event()

    async def slow(run: Run) -> None:
        under_way[run.job.team_id] += 1
        most[run.job.team_id] = max(most[run.job.team_id], under_way[run.job.team_id])
        if run.job.team_id == "hanging":
            await release.wait()
        under_way[run.job.team_id] -= 1

    async def swift(run: Run) -> None:
        pass

    await _fill(database, "hanging", "slow", 20)
    kinds = {"slow": JobKind(slow, concurrency=4, per_team=3), "swift": JobKind(swift, concurrency=1, per_team=1)}
    async with work.running_kinds(database, kinds, RunnerTiming(grace_s=0.05)):
        for _ in range(3):
            await work.until(database, await work.enqueue(database, "swift", team_id="hanging"), "completed", 10)
            await work.until(database, await work.enqueue(database, "slow", team_id="other"), "completed", 10)
        assert most["hanging"] == 3
        release.set()


def test_no_team_may_hold_every_place_of_a_kind() -> None:
    async def nothing(run: Run) -> None:
        pass

    for concurrency, per_team in ((4, 4), (2, 2), (4, 0)):
        with pytest.raises(ValueError, match="every slot"):
            JobKind(nothing, concurrency=concurrency, per_team=per_team)


async def test_two_processes_that_look_at_once_keep_to_the_limit(database: Database, second_database: Database) -> None:
    """Both see the same waiting jobs and free places; together they take no more than one would."""

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


def test_places_go_round_among_the_teams() -> None:
    ready = [lanes.Lane("a/x", 1), lanes.Lane("b/x", 2), lanes.Lane("c/x", 3)]
    share = lanes.allocate_slots
    assert share(ready, {}, 5, per_team=4) == {"a/x": 2, "b/x": 2, "c/x": 1}
    assert list(share(ready, {"a/x": 2, "b/x": 1}, 3, per_team=4)) == ["c/x", "b/x"], "the fewest first"
    assert share(ready, {"a/x": 2}, 9, per_team=2) == {"b/x": 2, "c/x": 2}, "what nobody may take stays free"
    assert share([lanes.Lane("/x", 1)], {"/x": 7}, 3, per_team=1) == {"/x": 3}, "work of no team has no team's limit"


async def test_the_team_with_the_fewest_running_comes_first(database: Database) -> None:
    """With one place in all, teams take turns whatever the order of asking, as long as others hold places."""
    order: list[str | None] = []

    async def count(run: Run) -> None:
        order.append(run.job.team_id)

    await work.enqueue(database, team_id="busy")
    held = await work.claim(database, "another process", 60_000)
    assert held is not None
    await _fill(database, "busy", count=5)
    late = await work.enqueue(database, team_id="quiet")
    async with work.running(database, count, concurrency=1):
        await work.until(database, late, "completed", 10)
        first = list(order)
    assert first[0] == "quiet"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
async def test_listing_lanes_jumps_through_the_index(database: Database, address: str | Path) -> None:
    """Every step of the plan is a search in the index that ends at its first entry; the jobs are never read."""
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
async def test_a_hundred_times_the_jobs_cost_no_more_to_look_at(database: Database, address: str | Path) -> None:
    """Counted in steps of SQLite's machine, for the same number of lanes."""

    def steps() -> int:
        taken = 0

        def tick() -> int:
            nonlocal taken
            taken += 1
            return 0

        with closing(sqlite3.connect(address)) as connection:
            connection.set_progress_handler(tick, 1)
            found = connection.execute(lanes._LANES.on(SQLITE).text, lanes._LANES.on(SQLITE).arguments({})).fetchall()
        assert len(found) == 5
        return taken

    for team in "abcde":
        await _fill(database, team, count=2)
    few = steps()
    for team in "abcde":
        await _fill(database, team, count=200)
    assert steps() < 2 * few


async def test_lanes_are_of_waiting_jobs_only(database: Database) -> None:
    async with database.write() as tx:
        for name, status, at in (("a", "queued", 5), ("a", "queued", 3), ("b", "running", 1), ("c", "failed", 1)):
            job_id = await queue.enqueue(tx, "count", {}, team_id=name, run_at_ms=at)
            await tx.run(jobs.update().where(jobs.c.id == job_id).values(status=status))
        await queue.enqueue(tx, "count", {}, run_at_ms=9)
    async with database.read() as tx:
        found = await lanes.list_lanes(tx)
    assert found == [lanes.Lane("/count", 9), lanes.Lane("a/count", 3)]
    assert [(lane.team, lane.kind) for lane in found] == [("", "count"), ("a", "count")]
