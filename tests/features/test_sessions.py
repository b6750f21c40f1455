"""Sessions: access, creation, completion, reopening and exact counters."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import Table, update

from loremark.base import clock
from loremark.base.clock import HOUR_MS
from loremark.storage.tables import sessions, teams
from tests.features.signed_tool import events_of, sessions_of, tool_for
from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, run_sql, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/sessions"
NO_SESSION = (404, {"error": "Session not found"})
INVALID_TRANSITION = (400, {"error": "Invalid status transition"})


async def _create_session(person: Person, project_id: str) -> str:
    answer = await person.post(PATH, {"projectId": project_id})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def _update_all(service: Service, table: Table, **values: Any) -> None:
    """Update all rows of a table, bypassing the API."""
    async with service.runtime.database.write() as tx:
        assert await tx.run(update(table).values(**values)) == 1


async def _ids(person: Person, query: str = "") -> list[str]:
    answer = await person.get(f"{PATH}{query}")
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()]


async def test_events_join_a_manually_created_session(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        created = await owner.post(PATH, {"projectId": tool.project_id})
    expected = {
        "id": created.json()["id"],
        "projectId": tool.project_id,
        "status": "active",
        "eventCount": 0,
        "source": "api",
        "createdAt": clock.iso(now_ms),
        "completedAt": None,
    }
    detail = {**expected, "itemsExtracted": 0, "enrichmentModel": "builtin-medium"}
    path = f"{PATH}/{expected['id']}"
    assert status_and_body(created) == (201, detail)
    assert status_and_body(await owner.get(path)) == (200, detail)
    assert await sessions_of(owner, tool.project_id) == [expected]
    assert status_and_body(await owner.get(f"{PATH}?projectId={tool.project_id}&detail=true")) == (200, [detail])
    assert status_and_body(await owner.get(f"{PATH}?detail=true")) == (200, [detail])
    assert (
        status_and_body(await owner.get(f"{path}/events"))
        == status_and_body(await owner.get(f"{path}/jobs"))
        == (200, [])
    )
    assert (await tool.ingest(service.http, {"n": 1}))["sessionId"] == expected["id"]
    assert status_and_body(await owner.get(path)) == (200, {**detail, "eventCount": 1})
    assert status_and_body(await owner.post(PATH, {})) == (400, {"error": "projectId is required"})
    assert status_and_body(await owner.post(PATH, {"projectId": "prj_nothing"})) == NO_PROJECT


async def test_lists_filter_and_page_newest_first(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    created = [await _create_session(owner, project) for project in (first, second) for _ in range(3)]
    newest = created[::-1]
    for session_id in (created[0], created[4]):
        assert (await owner.patch(f"{PATH}/{session_id}", {"status": "completed"})).status_code == 200
    assert await _ids(owner) == newest
    assert await _ids(owner, f"?projectId={first}") == newest[3:]
    assert await _ids(owner, "?status=completed") == [created[4], created[0]]
    assert await _ids(owner, f"?status=active&projectId={second}") == [created[5], created[3]]
    assert await _ids(owner, "?status=failed") == []
    seen: list[str] = []
    query = "?limit=4"
    for _ in range(3):
        page = await owner.get(PATH + query)
        seen += [each["id"] for each in page.json()]
        if "x-next-cursor" not in page.headers:
            break
        query = f"?limit=4&cursor={page.headers['x-next-cursor']}"
    assert seen == newest
    message = "status must be one of active, completed, enriching, failed"
    assert status_and_body(await owner.get(f"{PATH}?status=done")) == (400, {"error": message})
    assert (await owner.get(f"{PATH}?limit=0")).status_code == 400


async def test_events_page_oldest_first(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    accepted = [await tool.ingest(service.http, {"n": n}) for n in range(5)]
    session_id = accepted[0]["sessionId"]
    assert [each["payload"]["n"] for each in await events_of(owner, session_id)] == [0, 1, 2, 3, 4]
    page = await owner.get(f"{PATH}/{session_id}/events?limit=3")
    assert [each["id"] for each in page.json()] == [each["eventId"] for each in accepted[:3]]
    rest = await owner.get(f"{PATH}/{session_id}/events?limit=3&cursor={page.headers['x-next-cursor']}")
    assert [each["id"] for each in rest.json()] == [each["eventId"] for each in accepted[3:]]
    assert "x-next-cursor" not in rest.headers
    assert (await owner.get(f"{PATH}/{session_id}/events?blobs=all")).status_code == 400


async def test_who_may_see_and_change_a_session(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    admin, member = await service.join(owner, "admin"), await service.join(owner)
    mine, hidden, public = [
        await owner.create_project(name, visibility=visibility)
        for name, visibility in (("Mine", "private"), ("Hidden", "private"), ("Public", "public"))
    ]
    assert (await owner.post(f"/api/projects/{mine}/members", {"email": member.email})).status_code == 201
    in_mine, in_hidden, in_public = [await _create_session(owner, project) for project in (mine, hidden, public)]
    assert await _ids(admin) == [in_public, in_hidden, in_mine]
    assert await _ids(member) == [in_public, in_mine]
    assert await _ids(stranger) == []
    for person, project in ((member, hidden), (stranger, mine), (stranger, public)):
        assert status_and_body(await person.get(f"{PATH}?projectId={project}")) == NO_PROJECT
        assert status_and_body(await person.post(PATH, {"projectId": project})) == NO_PROJECT
    for person, session_id in ((member, in_hidden), (stranger, in_mine), (stranger, in_public), (owner, "ses_x")):
        for suffix in ("", "/events", "/jobs"):
            assert status_and_body(await person.get(f"{PATH}/{session_id}{suffix}")) == NO_SESSION
        assert status_and_body(await person.patch(f"{PATH}/{session_id}", {"status": "completed"})) == NO_SESSION
    assert (await member.get(f"{PATH}/{in_public}")).status_code == 200
    assert status_and_body(await member.patch(f"{PATH}/{in_public}", {"status": "completed"})) == FORBIDDEN
    assert status_and_body(await member.post(PATH, {"projectId": public})) == FORBIDDEN
    assert (await member.patch(f"{PATH}/{in_mine}", {"status": "completed"})).status_code == 200
    assert (await service.anonymous.get(PATH)).status_code == 401
    await owner.patch(f"/api/projects/{mine}", {"status": "archived"})
    assert (await member.get(f"{PATH}/{in_mine}")).status_code == 200
    assert status_and_body(await member.patch(f"{PATH}/{in_mine}", {"status": "active"})) == ARCHIVED
    assert status_and_body(await member.post(PATH, {"projectId": mine})) == ARCHIVED
    assert (await owner.delete(f"/api/projects/{mine}")).status_code == 204
    assert status_and_body(await owner.get(f"{PATH}/{in_mine}")) == NO_SESSION
    assert in_mine not in await _ids(owner)
    await service.wait_for_jobs()


@pytest.mark.own_service
async def test_user_status_transitions(service: Service) -> None:
    """Users can switch between active and completed only, and not while the pipeline is running."""
    owner = await service.owner()
    project = await owner.create_project()
    session_id = await _create_session(owner, project)
    path = f"{PATH}/{session_id}"
    states = ("active", "completed", "enriching", "failed")
    for before in states:
        for after in states:
            await _update_all(service, sessions, status=before, completed_at_ms=None)
            answer = await owner.patch(path, {"status": after})
            is_allowed = {before, after} <= {"active", "completed"}
            now = (await owner.get(path)).json()
            if is_allowed:
                assert status_and_body(answer) == (200, now), (before, after)
                assert now["status"] == after
                assert (now["completedAt"] is not None) == (after == "completed" != before)
            else:
                assert status_and_body(answer) == INVALID_TRANSITION, (before, after)
                assert now["status"] == before
    assert (await owner.patch(path, {})).status_code == 200
    assert (await owner.patch(path, {"status": "done"})).status_code == 400
    assert (await owner.patch(path, {"status": None})).status_code == 400


async def test_reopened_session_gets_a_full_window(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    now_ms = clock.now_ms()
    session_id = (await tool.ingest(service.http, {"n": 1}))["sessionId"]
    assert (await owner.patch(f"{PATH}/{session_id}", {"status": "completed"})).status_code == 200
    with clock.use(lambda: now_ms + 9 * HOUR_MS):
        assert (await owner.patch(f"{PATH}/{session_id}", {"status": "active"})).status_code == 200
    with clock.use(lambda: now_ms + 12 * HOUR_MS):
        assert (await tool.ingest(service.http, {"n": 2}))["sessionId"] == session_id
        assert (await owner.get(f"{PATH}/{session_id}")).json()["status"] == "active"


async def test_if_match_is_checked_on_update(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    path = f"{PATH}/{(await tool.ingest(service.http, {'n': 1}))['sessionId']}"
    seen = (await owner.get(path)).headers["etag"]
    await tool.ingest(service.http, {"n": 2})
    late = await owner.patch(path, {"status": "completed"}, headers={"If-Match": seen})
    assert status_and_body(late) == (
        412,
        {"error": "The resource has changed since you read it. Fetch it again and retry."},
    )
    fresh = (await owner.get(path)).headers["etag"]
    assert fresh != seen
    done = await owner.patch(path, {"status": "completed"}, headers={"If-Match": f'"other", {fresh}'})
    assert (done.status_code, done.json()["status"]) == (200, "completed")
    assert done.headers["etag"] == (await owner.get(path)).headers["etag"] != fresh
    assert (await owner.patch(path, {"status": "active"}, headers={"If-Match": "*"})).status_code == 200
    updates = [owner.patch(path, {"status": "completed"}, headers={"If-Match": fresh}) for _ in range(10)]
    assert sorted(each.status_code for each in await asyncio.gather(*updates)) == [200] * 1 + [412] * 9


@pytest.mark.own_service
async def test_model_depends_on_plan_and_tier(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    path = f"{PATH}/{await _create_session(owner, project)}"
    for plan, tier, model in (
        ("free", None, "builtin-small"),
        ("free", "medium", "builtin-small"),
        ("personal", "medium", "builtin-small"),
        ("team", None, "builtin-medium"),
        ("team", "small", "builtin-small"),
        ("team", "medium", "builtin-medium"),
        ("enterprise", None, "builtin-medium"),
    ):
        await _update_all(service, teams, plan=plan)
        changed = await owner.patch(f"/api/projects/{project}", {"aiTier": tier})
        assert changed.status_code == 200, changed.text
        assert (await owner.get(path)).json()["enrichmentModel"] == model, (plan, tier)
    await _update_all(service, sessions, enrichment_model="what-ran")
    assert (await owner.get(path)).json()["enrichmentModel"] == "what-ran"


async def _deliveries(owner: Person, webhook_id: str, count: int) -> list[str]:
    """The event types delivered to a webhook, oldest first, once there are this many."""
    async with asyncio.timeout(60):
        while True:
            found = (await owner.get(f"/api/webhooks/{webhook_id}/deliveries")).json()
            if len(found) >= count:
                return [each["type"] for each in reversed(found)]
            await asyncio.sleep(0.05)


async def test_sweeper_completes_idle_sessions_and_emits_events(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    webhook_body = {"url": "https://nobody.invalid/hook", "events": ["session.created", "session.completed"]}
    webhook = (await owner.post("/api/webhooks", {**webhook_body, "projectId": tool.project_id})).json()["id"]
    now_ms = clock.now_ms()
    idle = (await tool.ingest(service.http, {"n": 1}))["sessionId"]
    with clock.use(lambda: now_ms + 2 * HOUR_MS):
        busy = (await tool.ingest(service.http, {"n": 2}, X_Service_Source="cli"))["sessionId"]
    later_ms = now_ms + 4 * HOUR_MS + 60_000
    with clock.use(lambda: later_ms):
        async with asyncio.timeout(60):
            while (found := (await owner.get(f"{PATH}/{idle}")).json())["status"] != "completed":
                await asyncio.sleep(0.05)
        assert (found["completedAt"], found["eventCount"]) == (clock.iso(later_ms), 1)
        assert (await owner.get(f"{PATH}/{busy}")).json()["status"] == "active"
        delivered = await _deliveries(owner, webhook, 3)
    assert sorted(delivered) == ["session.completed", "session.created", "session.created"]
    [(body,)] = await run_sql(service, "SELECT body FROM webhook_deliveries WHERE type = 'session.completed'")
    assert f'"data":{{"sessionId":"{idle}","status":"completed","eventCount":1}}' in body


async def test_counters_are_exact_under_concurrency(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    accepted = await asyncio.gather(
        *(tool.ingest(service.http, {"n": n % 90}, X_Service_Source=("cli", "editor")[n % 2]) for n in range(100))
    )
    counts = {each["id"]: each["eventCount"] for each in await sessions_of(owner, tool.project_id)}
    assert len(counts) == 2
    assert sum("duplicate" in each for each in accepted) == 10
    assert sum(counts.values()) == 90
    for session_id, count in counts.items():
        assert len(await events_of(owner, session_id)) == count
