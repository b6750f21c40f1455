"""Plan counters: exact at the limit under concurrency, and always equal to the rows."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import insert

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.base.plans import load_plans
from loremark.features.genesis.assembly import SOURCE
from loremark.features.ingest.payload import SentEvent, build_event
from loremark.features.ingest.service import store_internal_event
from loremark.features.metering import service as metering
from loremark.storage.tables import usage_counters
from loremark.wire.events import IngestEvent
from tests.contract.examples_capture import fail_job
from tests.features.plan_usage import WIDE_LIMITS, count_rows, limit_reached, read_counters, set_plan, write_plans
from tests.features.signed_tool import Tool, events_of, sessions_of, tool_for
from tests.features.steps import status_and_body
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

PLANS = {
    "team": {},
    "events50": {"events": 50},
    "events5000": {"events": 5_000},
    "sessions5": {"sessions": 5},
    "sessions50": {"sessions": 50},
    "bytes2000": {"storage_bytes": 2_000},
    "bytes200000": {"storage_bytes": 200_000},
    "enrichments2": {"enrichments": 2},
    "nothing": dict.fromkeys(WIDE_LIMITS, 0),
}


@pytest.fixture
async def service(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    """The service with plans of different sizes."""
    settings = settings_for(tmp_path, database_url, LOREMARK_PLANS_FILE=write_plans(tmp_path, **PLANS))
    async with run_service(settings) as running:
        yield running


async def _owner(service: Service, plan: str) -> Person:
    owner = await service.owner()
    await set_plan(service, owner.team_id, plan)
    return owner


async def _check_counters(service: Service, owner: Person, **expected: int) -> None:
    database = service.runtime.database
    found = await read_counters(database, owner.team_id)
    assert found == await count_rows(database, owner.team_id)
    assert found | expected == found


def _tally(answers: list[httpx.Response]) -> Counter[tuple[int, str]]:
    return Counter((answer.status_code, answer.json().get("error", "")) for answer in answers)


async def test_event_limit_is_exact(service: Service) -> None:
    owner = await _owner(service, "events50")
    tools = [await tool_for(owner) for _ in range(3)]
    answers = await asyncio.gather(*(tools[number % 3].send(service.http, {"n": number}) for number in range(80)))
    assert _tally(answers) == {(202, ""): 50, (403, "Plan limit reached: events"): 30}
    await _check_counters(service, owner, events=50)
    assert status_and_body(await tools[0].send(service.http, {"n": "late"})) == limit_reached("events")
    listed = [len(await events_of(owner, s["id"])) for t in tools for s in await sessions_of(owner, t.project_id)]
    assert sum(listed) == 50, "reads still work"


async def test_event_limit_of_a_large_plan_is_exact(service: Service) -> None:
    """Below the limit each request counts in one slot; earlier usage is all in a single slot."""
    owner = await _owner(service, "events5000")
    earlier = {"team_id": owner.team_id, "period": metering.period(), "counter": "events", "slot": "3"}
    async with service.runtime.database.write() as tx:
        await tx.run(insert(usage_counters).values(**earlier, used=4_900))
    tools = [await tool_for(owner) for _ in range(2)]
    answers = await asyncio.gather(*(tools[number % 2].send(service.http, {"n": number}) for number in range(130)))
    assert _tally(answers) == {(202, ""): 100, (403, "Plan limit reached: events"): 30}
    assert (await read_counters(service.runtime.database, owner.team_id))["events"] == 5_000


async def test_team_at_its_limit_does_not_affect_others(service: Service) -> None:
    full, free = await _owner(service, "events50"), await _owner(service, "team")
    tools = [await tool_for(full), await tool_for(free)]
    answers = await asyncio.gather(*(tools[number % 2].send(service.http, {"n": number}) for number in range(160)))
    assert _tally(answers[::2]) == {(202, ""): 50, (403, "Plan limit reached: events"): 30}
    assert _tally(answers[1::2]) == {(202, ""): 80}
    await _check_counters(service, full, events=50)
    await _check_counters(service, free, events=80)


async def test_duplicate_event_is_neither_counted_nor_refused(service: Service) -> None:
    owner = await _owner(service, "events50")
    tool = await tool_for(owner)
    sent = [tool.send(service.http, {"n": number % 25}) for number in range(75)]
    assert _tally(await asyncio.gather(*sent)) == {(202, ""): 75}
    await _check_counters(service, owner, events=25)
    await asyncio.gather(*(tool.send(service.http, {"n": number}) for number in range(25, 50)))
    again = await asyncio.gather(*(tool.send(service.http, {"n": number}) for number in range(60)))
    assert _tally(list(again)) == {(202, ""): 50, (403, "Plan limit reached: events"): 10}
    assert sum("duplicate" in answer.json() for answer in again) == 50
    await _check_counters(service, owner, events=50, sessions=1)
    assert [row["eventCount"] for row in await sessions_of(owner, tool.project_id)] == [50]


async def test_every_new_session_counts(service: Service) -> None:
    owner = await _owner(service, "sessions5")
    tool = await tool_for(owner)
    for source in ("one", "two", "three"):
        await tool.ingest(service.http, {"from": source}, X_Service_Source=source)
    for _ in range(2):
        assert (await owner.post("/api/v2/sessions", {"projectId": tool.project_id})).status_code == 201
    assert status_and_body(await owner.post("/api/v2/sessions", {"projectId": tool.project_id})) == limit_reached(
        "sessions"
    )
    assert status_and_body(await tool.send(service.http, {"n": 1}, X_Service_Source="four")) == limit_reached(
        "sessions"
    )
    await tool.ingest(service.http, {"n": 2}, X_Service_Source="one")
    await _check_counters(service, owner, sessions=5, events=4)


async def test_session_limit_is_exact(service: Service) -> None:
    owner = await _owner(service, "sessions50")
    project = await owner.create_project()
    responses = await asyncio.gather(*(owner.post("/api/v2/sessions", {"projectId": project}) for _ in range(80)))
    assert _tally(list(responses)) == {(201, ""): 50, (403, "Plan limit reached: sessions"): 30}
    await _check_counters(service, owner, sessions=50)


async def test_internal_sessions_count_but_are_never_refused(service: Service) -> None:
    owner = await _owner(service, "nothing")
    project = await owner.create_project()
    sent = SentEvent(IngestEvent.SCAN_RESULT, {"commit": "abc"})
    async with service.runtime.database.write() as tx:
        await store_internal_event(tx, build_event(sent, project, owner.team_id, SOURCE))
    await _check_counters(service, owner, sessions=1, events=1)
    assert status_and_body(await owner.post("/api/v2/sessions", {"projectId": project})) == limit_reached("sessions")


async def test_storage_counts_events_and_blobs(service: Service) -> None:
    owner = await _owner(service, "bytes200000")
    tool = await tool_for(owner)
    large = "x" * 150_000
    await tool.ingest(service.http, {"large": large})
    await tool.ingest(service.http, {"large": large, "again": True})
    stored = (await read_counters(service.runtime.database, owner.team_id))["storage"]
    assert 150_000 < stored < 151_000, "the same text is stored once"
    await _check_counters(service, owner)
    before = sorted(path for path in (service.settings.data_dir).rglob("*") if path.is_file())
    assert status_and_body(await tool.send(service.http, {"large": "y" * 70_000})) == limit_reached("storage")
    assert sorted(path for path in (service.settings.data_dir).rglob("*") if path.is_file()) == before
    await tool.ingest(service.http, {"small": "z" * 40_000})
    assert "duplicate" in await tool.ingest(service.http, {"large": large})
    await _check_counters(service, owner, events=3)


async def test_storage_limit_is_exact(service: Service) -> None:
    owner = await _owner(service, "bytes2000")
    tool = await tool_for(owner)
    answers = await asyncio.gather(*(tool.send(service.http, {"n": f"{n:03}" + "x" * 89}) for n in range(40)))
    assert _tally(list(answers)) == {(202, ""): 20, (403, "Plan limit reached: storage"): 20}
    await _check_counters(service, owner, storage=2_000)


async def test_enrichments_and_retries_count_once_each(service: Service) -> None:
    owner = await _owner(service, "enrichments2")
    project = await owner.create_project()
    session = (await owner.post("/api/v2/sessions", {"projectId": project})).json()["id"]
    path = f"/api/v2/sessions/{session}"
    assert (await owner.post(f"{path}/enrich")).status_code == 202
    await service.wait_for_jobs()
    await fail_job(service, owner.team_id, project, session)
    assert (await owner.post(f"{path}/retry")).status_code == 202
    await service.wait_for_jobs()
    assert (await read_counters(service.runtime.database, owner.team_id))["enrichments"] == 2
    assert status_and_body(await owner.post(f"{path}/enrich")) == limit_reached("enrichments")
    await fail_job(service, owner.team_id, project, session)
    assert status_and_body(await owner.post(f"{path}/retry")) == limit_reached("enrichments")
    assert (await owner.get(f"{path}/jobs")).status_code == 200


async def test_plan_change_takes_effect_immediately(service: Service) -> None:
    owner = await _owner(service, "team")
    tool = await tool_for(owner)
    accepted = [await tool.ingest(service.http, {"n": number}) for number in range(60)]
    await set_plan(service, owner.team_id, "events50")
    assert status_and_body(await tool.send(service.http, {"n": "more"})) == limit_reached("events")
    assert len(await events_of(owner, accepted[0]["sessionId"])) == 60
    await set_plan(service, owner.team_id, "nothing")
    assert status_and_body(await owner.post("/api/v2/sessions", {"projectId": tool.project_id})) == limit_reached(
        "sessions"
    )
    assert (await owner.get(f"/api/v2/sessions/{accepted[0]['sessionId']}")).status_code == 200
    assert (await owner.get("/api/projects")).status_code == 200
    await set_plan(service, owner.team_id, "team")
    await tool.ingest(service.http, {"n": "more"})
    await _check_counters(service, owner, events=61)


async def test_new_month_resets_all_counters_but_storage(service: Service) -> None:
    owner = await _owner(service, "events50")
    tool: Tool = await tool_for(owner)
    await asyncio.gather(*(tool.send(service.http, {"n": number}) for number in range(60)))
    before = await read_counters(service.runtime.database, owner.team_id)
    later_ms = clock.now_ms() + 32 * clock.DAY_MS
    with clock.use(lambda: later_ms):
        assert await read_counters(service.runtime.database, owner.team_id) == {
            "events": 0,
            "sessions": 0,
            "enrichments": 0,
            "storage": before["storage"],
        }
        await tool.ingest(service.http, {"n": "next month"})
        assert (await read_counters(service.runtime.database, owner.team_id))["events"] == 1


async def test_usage_includes_limits(service: Service) -> None:
    owner = await _owner(service, "events50")
    tool = await tool_for(owner)
    await tool.ingest(service.http, {"n": 1})
    plan = load_plans("team", service.settings.plans_file).get("events50")
    async with service.runtime.database.read() as tx:
        found = await metering.counters(tx, Scope(owner.team_id), plan)
    assert found["events"] == (1, 50)
    assert found["sessions"] == (1, WIDE_LIMITS["sessions"])
    assert found["enrichments"] == (0, WIDE_LIMITS["enrichments"])
    assert found["storage"] == (len('{"n":1}'), WIDE_LIMITS["storage_bytes"])
