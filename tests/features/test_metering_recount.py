"""The nightly recount, and counters after a project deletion."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from sqlalchemy import select, update

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.metering import recount
from loremark.features.metering.counter_slots import COUNTERS
from loremark.features.metering.periods import ALL_TIME, month_start_ms, period
from loremark.features.metering.recount import Difference, Recount, recount_team, set_mark
from loremark.jobs import queue
from loremark.jobs.lanes import lane_of
from loremark.jobs.run import Run
from loremark.storage.tables import jobs, projects, usage_counters
from tests.features.plan_usage import count_rows, read_counters
from tests.features.signed_tool import Tool, tool_for
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio


async def _create_usage(service: Service, owner: Person, count: int = 30) -> Tool:
    """A project with events, a large text, sessions and an enrichment."""
    tool = await tool_for(owner)
    await asyncio.gather(*(tool.send(service.http, {"n": n, "p": tool.project_id}) for n in range(count)))
    await tool.ingest(service.http, {"large": "x" * 100_000})
    session = (await owner.post("/api/v2/sessions", {"projectId": tool.project_id})).json()["id"]
    assert (await owner.post(f"/api/v2/sessions/{session}/enrich")).status_code == 202
    await service.wait_for_jobs()
    return tool


async def _shift_counter(service: Service, owner: Person, counter: str, delta: int) -> None:
    in_period = ALL_TIME if counter == "storage" else period()
    any_slot = (
        select(usage_counters.c.slot)
        .where(
            usage_counters.c.team_id == owner.team_id,
            usage_counters.c.period == in_period,
            usage_counters.c.counter == counter,
        )
        .limit(1)
    )
    async with service.runtime.database.write() as tx:
        slot = await tx.one(any_slot)
        assert slot is not None
        await tx.run(
            update(usage_counters)
            .where(
                usage_counters.c.team_id == owner.team_id,
                usage_counters.c.period == in_period,
                usage_counters.c.counter == counter,
                usage_counters.c.slot == slot["slot"],
            )
            .values(used=usage_counters.c.used + delta)
        )


@pytest.mark.parametrize("early", [True, False])
async def test_recount_corrects_wrong_counters(service: Service, early: bool) -> None:
    """For rows from before and after the mark."""
    owner, other = await service.owner(), await service.owner("Pebbles")
    mark = None if early else set_mark()
    await _create_usage(service, owner)
    await _create_usage(service, other)
    database, scope = service.runtime.database, Scope(owner.team_id)
    mark = mark or set_mark()
    assert await recount_team(database, scope, mark) == []
    correct = await read_counters(database, owner.team_id)
    assert correct == await count_rows(database, owner.team_id)
    assert correct["enrichments"] == 1
    wrong = {"events": 7, "sessions": -1, "storage": -5_000, "enrichments": 3}
    for counter, delta in wrong.items():
        await _shift_counter(service, owner, counter, delta)
    found = await recount_team(database, scope, mark)
    expected = [Difference(name, correct[name] + wrong[name], correct[name]) for name in COUNTERS]
    if clock.now_ms() - month_start_ms(clock.now_ms()) > recount._JOBS_KEPT_MS:  # see the next test
        correct["enrichments"] += expected.pop().was - correct["enrichments"]
    assert found == expected
    assert await read_counters(database, owner.team_id) == correct
    assert await recount_team(database, scope, mark) == []
    assert await read_counters(database, other.team_id) == await count_rows(database, other.team_id)


async def test_pruned_jobs_stay_counted(service: Service) -> None:
    """Finished jobs are deleted after two weeks; from then on only a counter that is too low is wrong for sure."""
    owner = await service.owner()
    now_ms = clock.now_ms()
    for day, expected in ((3, 1), (20, 4)):
        day_ms = month_start_ms(now_ms) + day * clock.DAY_MS
        async with service.runtime.database.write() as tx:
            await tx.run(update(jobs).where(jobs.c.team_id == owner.team_id).values(created_at_ms=day_ms))
        with clock.use(lambda: day_ms):  # noqa: B023 - used at once
            if day == 3:
                await _create_usage(service, owner, count=1)
            await _shift_counter(service, owner, "enrichments", 3)
            await recount_team(service.runtime.database, Scope(owner.team_id), set_mark())
            assert (await read_counters(service.runtime.database, owner.team_id))["enrichments"] == expected
            await _shift_counter(service, owner, "enrichments", -expected)
            await recount_team(service.runtime.database, Scope(owner.team_id), set_mark())
            assert (await read_counters(service.runtime.database, owner.team_id))["enrichments"] == 1


async def test_recount_is_correct_during_writes(service: Service) -> None:
    owner = await service.owner()
    tools = [await _create_usage(service, owner) for _ in range(2)]
    database, scope = service.runtime.database, Scope(owner.team_id)
    stopped = False
    statuses: set[int] = set()

    async def write(tool: Tool, writer: int) -> None:
        number = 0
        while not stopped:
            number += 1
            answer = await tool.send(service.http, {"n": number, "writer": writer}, X_Service_Source=f"s{number % 7}")
            statuses.add(answer.status_code)

    writers = [asyncio.create_task(write(tools[number % 2], number)) for number in range(6)]
    found: list[Difference] = []
    for attempt in range(12):
        mark = set_mark()
        await asyncio.sleep(0.2)  # transactions running at the mark have finished
        if attempt % 3 == 0:
            await _shift_counter(service, owner, "events", 1_000)
            await _shift_counter(service, owner, "storage", -1_000_000)
        found += await recount_team(database, scope, mark)
    stopped = True
    await asyncio.gather(*writers)
    assert statuses == {202}
    assert [(wrong.counter, wrong.was - wrong.found) for wrong in found] == [
        ("events", 1_000),
        ("storage", -1_000_000),
    ] * 4
    assert await read_counters(database, owner.team_id) == await count_rows(database, owner.team_id)


async def test_project_deletion_releases_storage_only(service: Service) -> None:
    owner = await service.owner()
    deleted, remaining = await _create_usage(service, owner), await _create_usage(service, owner)
    database, scope = service.runtime.database, Scope(owner.team_id)
    before = await read_counters(database, owner.team_id)
    assert (await owner.delete(f"/api/projects/{deleted.project_id}")).status_code == 204
    await service.wait_for_jobs(30)
    after, rows = await read_counters(database, owner.team_id), await count_rows(database, owner.team_id)
    assert after["storage"] == rows["storage"] == before["storage"] // 2
    assert rows["events"] == 31
    assert {**after, "storage": 0} == {**before, "storage": 0}
    assert await recount_team(database, scope, set_mark()) == []
    assert await read_counters(database, owner.team_id) == after
    await remaining.ingest(service.http, {"n": "on we go"})


async def test_recount_skips_teams_with_a_running_deletion(service: Service) -> None:
    owner = await service.owner()
    tool = await _create_usage(service, owner)
    await _shift_counter(service, owner, "events", 5)
    async with service.runtime.database.write() as tx:
        await tx.run(update(projects).where(projects.c.id == tool.project_id).values(deleted_at_ms=1))
    assert await recount_team(service.runtime.database, Scope(owner.team_id), set_mark()) == []
    async with service.runtime.database.write() as tx:
        await tx.run(update(projects).where(projects.c.id == tool.project_id).values(deleted_at_ms=None))
    assert len(await recount_team(service.runtime.database, Scope(owner.team_id), set_mark())) == 1


async def test_recount_job_runs_once_a_day(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = await service.owner()
    await _create_usage(service, owner)
    database = service.runtime.database
    await _shift_counter(service, owner, "events", 5)
    job_id = ids.new("job")

    async def run_recount() -> Any:
        async with database.write() as tx:
            if await tx.one(select(jobs.c.id).where(jobs.c.id == job_id)) is None:
                await queue.enqueue(tx, recount.RECOUNT + ".test", {}, job_id=job_id)
            await tx.run(update(jobs).where(jobs.c.id == job_id).values(status="queued"))
            job = await queue.claim(tx, lane_of(None, recount.RECOUNT + ".test"), "me", 60_000)
        assert job is not None
        await Recount(database)(Run(database, job))
        async with database.read() as tx:
            row = await tx.one(select(jobs.c.result).where(jobs.c.id == job_id))
        return msgspec.json.decode(row["result"]) if row and row["result"] else None

    now_ms = clock.now_ms()
    wrong = await read_counters(database, owner.team_id)
    first = await run_recount()
    assert first["mark"] is not None
    assert await run_recount() == first, "too early"
    monkeypatch.setattr(clock, "_source", lambda: now_ms + recount.INTERVAL_MS)
    after = await run_recount()
    assert after["mark"] is None
    assert after["due_ms"] > now_ms + clock.DAY_MS
    correct = await read_counters(database, owner.team_id)
    assert correct["events"] == wrong["events"] - 5
    await _shift_counter(service, owner, "events", 5)
    assert await run_recount() == after, "not until the next night"
    monkeypatch.setattr(clock, "_source", lambda: now_ms + recount.INTERVAL_MS + clock.DAY_MS)
    assert (await run_recount())["mark"] is not None
