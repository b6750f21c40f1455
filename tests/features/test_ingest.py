"""Ingest: authentication, errors, deduplication and session linking."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from loremark.base import clock
from loremark.base.clock import HOUR_MS, MINUTE_MS
from loremark.features.ingest import store
from tests.features.signed_tool import INGEST, Tool, event_body, events_of, rotate, sessions_of, tool_for
from tests.features.steps import ARCHIVED, NO_PROJECT, run_sql, status_and_body
from tests.support import databases
from tests.support.service import Service, run_service

pytestmark = pytest.mark.anyio

MISSING = (401, {"error": "Missing required header"})
EXPIRED = (401, {"error": "Timestamp expired"})
WRONG = (401, {"error": "Invalid signature"})
BAD_BODY = (400, {"error": "Invalid request body"})
MEDIA_TYPE = (415, {"error": "Content-Type must be application/json"})


async def test_event_is_stored_and_its_ids_returned(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        raw = event_body({"summary": "Did it", "changes": []})
        answer = await tool.post(service.http, raw)
        assert answer.status_code == 202
        accepted = answer.json()
        assert sorted(accepted) == ["eventId", "sessionId"]
        [found] = await events_of(owner, accepted["sessionId"])
        assert found == {
            "id": accepted["eventId"],
            "event": "session_save",
            "payload": {"summary": "Did it", "changes": []},
            "createdAt": clock.iso(now_ms),
        }
        [session] = await sessions_of(owner, tool.project_id)
        assert (session["id"], session["status"], session["eventCount"]) == (accepted["sessionId"], "active", 1)
        for event in ("scan_result", "git_digest", "context_update", "memory_operation"):
            answer = await tool.send(service.http, {"summary": "Did it", "changes": []}, event)
            assert answer.json()["sessionId"] == accepted["sessionId"]
            assert "duplicate" not in answer.json()
    assert [each["event"] for each in await events_of(owner, accepted["sessionId"])][-1] == "memory_operation"


async def test_signature_covers_the_exact_bytes_sent(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    odd = b'{ "payload":\n {"b": 1, "a": "\\u00e9"} ,"event" : "session_save"}'
    assert (await tool.post(service.http, odd)).status_code == 202
    reencoded = json.dumps(json.loads(odd)).encode()
    refused = await service.http.post(INGEST, content=reencoded, headers=tool.headers(odd))
    assert status_and_body(refused) == WRONG

    plain = event_body({"packed": True})
    packed = gzip.compress(plain)
    zipped = {"Content_Encoding": "gzip"}
    assert (
        status_and_body(await service.http.post(INGEST, content=packed, headers=tool.headers(plain, **zipped))) == WRONG
    )
    accepted = await tool.post(service.http, packed, **zipped)
    assert accepted.status_code == 202
    again = await tool.post(service.http, plain)
    assert again.json() == {**accepted.json(), "duplicate": True}
    assert [each["payload"] for each in await events_of(owner, accepted.json()["sessionId"])][1] == {"packed": True}


@pytest.mark.own_service
async def test_errors_are_checked_in_order(service: Service) -> None:
    """Missing header, timestamp, project, signature, then the body, and the project's status last."""
    owner = await service.owner()
    tool = await tool_for(owner)
    now_ms = clock.now_ms() // 1000 * 1000
    unknown = Tool("prj_" + "0" * 26, "wrong")
    bad = b"{"
    with clock.use(lambda: now_ms):
        old = now_ms // 1000 - 301
        for name in ("X-Service-Project", "X-Service-Timestamp", "X-Service-Signature"):
            headers = unknown.headers(bad, at_s=old)
            del headers[name]
            assert status_and_body(await service.http.post(INGEST, content=bad, headers=headers)) == MISSING
        for at_s in (old, now_ms // 1000 + 301):
            headers = unknown.headers(bad, at_s=at_s)
            assert status_and_body(await service.http.post(INGEST, content=bad, headers=headers)) == EXPIRED
        assert status_and_body(await unknown.post(service.http, bad)) == NO_PROJECT
        assert status_and_body(await Tool(tool.project_id, "wrong").post(service.http, bad)) == WRONG
        assert status_and_body(await tool.post(service.http, bad, Content_Type="text/plain")) == MEDIA_TYPE
        assert status_and_body(await tool.post(service.http, bad)) == BAD_BODY
        for at_s in (now_ms // 1000 - 300, now_ms // 1000 + 300):
            raw = event_body({"at": at_s})
            answer = await service.http.post(INGEST, content=raw, headers=tool.headers(raw, at_s=at_s))
            assert answer.status_code == 202
        by_key = await owner.post(INGEST, {"event": "session_save", "payload": {}})
        assert status_and_body(by_key) == MISSING
        path = f"/api/projects/{tool.project_id}"
        assert (await owner.patch(path, {"status": "archived"})).status_code == 200
        assert status_and_body(await tool.send(service.http, {"late": True})) == ARCHIVED
        assert status_and_body(await Tool(tool.project_id, "wrong").send(service.http, {"late": True})) == WRONG
        assert (await owner.patch(path, {"status": "active"})).status_code == 200
        await tool.ingest(service.http, {"late": True})
    assert await run_sql(service, "SELECT count(*) FROM events") == [(3,)]


@pytest.mark.own_service
async def test_revoked_secret_and_deleted_project_are_rejected_immediately(service: Service) -> None:
    """Although the fast check has cached the old secret, here and in another process."""
    owner = await service.owner()
    tool = await tool_for(owner)
    async with run_service(service.settings) as second:
        clients = (service.http, second.http)
        for number, client in enumerate(clients):
            await tool.ingest(client, {"warm": number})
        rotated = await rotate(owner, tool)
        for number, client in enumerate(clients):
            await tool.ingest(client, {"still good": number})
        revoked = await rotate(owner, rotated, revokeNow=True)
        for number, client in enumerate(clients):
            for invalid in (tool, rotated):
                assert status_and_body(await invalid.send(client, {"too late": number})) == WRONG
            await revoked.ingest(client, {"new": number})
            assert status_and_body(await rotated.send(client, {"too late": number})) == WRONG
        assert await run_sql(service, "SELECT count(*) FROM events") == [(6,)]
        path = f"/api/projects/{tool.project_id}"
        assert (await owner.patch(path, {"status": "archived"})).status_code == 200
        for client in clients:
            assert status_and_body(await revoked.send(client, {"late": 1})) == ARCHIVED
        assert (await owner.delete(path)).status_code == 204
        for client in clients:
            assert status_and_body(await revoked.send(client, {"late": 2})) == NO_PROJECT
        await service.wait_for_jobs()


async def test_duplicate_event_returns_the_first_one(service: Service) -> None:
    owner = await service.owner()
    tool, other = await tool_for(owner), await tool_for(owner, name="Other")
    first = await tool.ingest(service.http, {"a": 1, "b": {"c": [1, 2], "d": None}})
    assert await tool.ingest(service.http, {"b": {"d": None, "c": [1, 2]}, "a": 1}) == {**first, "duplicate": True}
    for different in ({"a": 1, "b": {"c": [2, 1], "d": None}}, {"a": 1, "b": {"c": [1, 2]}}, {"a": "1"}):
        assert "duplicate" not in await tool.ingest(service.http, different)
    other_event = await other.ingest(service.http, {"a": 1, "b": {"c": [1, 2], "d": None}})
    assert other_event["eventId"] != first["eventId"]
    assert "duplicate" not in other_event
    later_ms = clock.now_ms() + 1000 * HOUR_MS
    with clock.use(lambda: later_ms):
        again = await tool.ingest(service.http, {"a": 1, "b": {"c": [1, 2], "d": None}})
    assert again == {**first, "duplicate": True}
    assert len(await sessions_of(owner, tool.project_id)) == 1
    assert len(await events_of(owner, first["sessionId"])) == 4


async def test_concurrent_duplicates_are_stored_once_in_one_session(service: Service) -> None:
    owner = await service.owner()
    tool, other = await tool_for(owner), await tool_for(owner, name="Other")
    async with run_service(service.settings) as second:
        clients = (
            (service.http, second.http) if service.runtime.database.engine.name == "postgresql" else (service.http,)
        )
        same = await asyncio.gather(*(tool.ingest(clients[n % len(clients)], {"same": True}) for n in range(30)))
        assert len({each["eventId"] for each in same}) == 1
        assert [each for each in same if "duplicate" not in each] == [
            {"eventId": same[0]["eventId"], "sessionId": same[0]["sessionId"]}
        ]
        mixed = await asyncio.gather(*(other.ingest(clients[n % len(clients)], {"n": n}) for n in range(30)))
    assert len({each["eventId"] for each in mixed}) == 30
    assert len({each["sessionId"] for each in mixed}) == 1
    for sender, count in ((tool, 1), (other, 30)):
        [session] = await sessions_of(owner, sender.project_id)
        assert session["eventCount"] == count


async def test_invalid_event_does_not_affect_its_group(service: Service) -> None:
    """All of these share one commit."""
    owner = await service.owner()
    tool, archived = await tool_for(owner), await tool_for(owner, name="Archived")
    await archived.ingest(service.http, {"warm": True})
    await tool.ingest(service.http, {"warm": True})
    revoked = await tool_for(owner, name="Revoked")
    await revoked.ingest(service.http, {"warm": True})
    await rotate(owner, revoked, revokeNow=True)
    await owner.patch(f"/api/projects/{archived.project_id}", {"status": "archived"})
    senders = [(tool, archived, revoked)[n % 3] for n in range(60)]
    answers = await asyncio.gather(*(each.send(service.http, {"n": n}) for n, each in enumerate(senders)))
    expected = {archived.project_id: ARCHIVED, revoked.project_id: WRONG}
    for n, (sender, answer) in enumerate(zip(senders, answers, strict=True)):
        if sender is tool:
            assert answer.status_code == 202, n
        else:
            assert status_and_body(answer) == expected[sender.project_id], n
    [session] = await sessions_of(owner, tool.project_id)
    assert session["eventCount"] == 21
    found = {each["id"]: each["payload"] for each in await events_of(owner, session["id"])}
    for n in range(0, 60, 3):
        assert found[answers[n].json()["eventId"]] == {"n": n}


async def _stored(service: Service, event_id: str) -> int:
    """What another connection sees at this moment."""
    query = f"SELECT count(*) FROM events WHERE id = '{event_id}'"
    address = databases.storage_address(service.settings.database_url)
    if isinstance(address, Path):
        with closing(sqlite3.connect(f"file:{address}?mode=ro", uri=True)) as file:
            return int(file.execute(query).fetchone()[0])
    connection = await asyncpg.connect(address)
    try:
        return int(await connection.fetchval(query))
    finally:
        await connection.close()


async def test_response_comes_after_the_commit(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)

    async def send(number: int) -> int:
        return await _stored(service, (await tool.ingest(service.http, {"n": number}))["eventId"])

    assert await asyncio.gather(*map(send, range(20))) == [1] * 20


async def test_each_source_has_its_own_sessions(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    http = service.http
    plain = await tool.ingest(http, {"n": 1})
    assert (await tool.ingest(http, {"n": 2, "source": "api"}))["sessionId"] == plain["sessionId"]
    by_header = await tool.ingest(http, {"n": 3}, X_Service_Source="cli")
    assert (await tool.ingest(http, {"n": 4, "source": "cli"}))["sessionId"] == by_header["sessionId"]
    by_payload = await tool.ingest(http, {"n": 5, "source": "editor"}, X_Service_Source="cli")
    odd: list[Any] = [5, None, [], {}, "", "  ", "\0"]
    for n, source in enumerate(odd):
        accepted = await tool.ingest(http, {"odd": n, "source": source})
        assert accepted["sessionId"] == plain["sessionId"], source
    sessions = {each["id"]: each["eventCount"] for each in await sessions_of(owner, tool.project_id)}
    assert sessions == {plain["sessionId"]: 9, by_header["sessionId"]: 2, by_payload["sessionId"]: 1}
    long = "ß" * 5000
    first, second = [await tool.ingest(http, {"n": n, "source": long}) for n in (6, 7)]
    assert first["sessionId"] == second["sessionId"]


async def test_session_window_slides(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    now_ms = clock.now_ms()
    seen: list[str] = []
    for n, step_ms in enumerate((0, 239 * MINUTE_MS, 239 * MINUTE_MS, 241 * MINUTE_MS, 239 * MINUTE_MS)):
        now_ms += step_ms
        with clock.use(lambda at_ms=now_ms: at_ms):  # type: ignore[misc]
            seen.append((await tool.ingest(service.http, {"n": n}))["sessionId"])
    assert seen[0] == seen[1] == seen[2]
    assert seen[3] == seen[4] != seen[0]
    counts = {each["id"]: each["eventCount"] for each in await sessions_of(owner, tool.project_id)}
    assert counts == {seen[0]: 3, seen[3]: 2}


@pytest.mark.settings(LOREMARK_SESSION_WINDOW_S="60")
async def test_session_window_is_configurable_and_completed_sessions_stay_closed(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    now_ms = clock.now_ms()
    seen: list[str] = []
    for n, at_ms in enumerate((now_ms, now_ms + 59_000, now_ms + 120_000)):
        with clock.use(lambda at_ms=at_ms: at_ms):  # type: ignore[misc]
            seen.append((await tool.ingest(service.http, {"n": n}))["sessionId"])
    assert seen[0] == seen[1] != seen[2]
    with clock.use(lambda: now_ms + 121_000):
        done = await owner.patch(f"/api/v2/sessions/{seen[2]}", {"status": "completed"})
        assert done.status_code == 200
        assert (await tool.ingest(service.http, {"n": 3}))["sessionId"] not in seen


async def test_session_is_not_closed_while_an_event_joins(service: Service) -> None:
    """Completing a session or deleting its project waits for the group being written, and counts it."""
    owner = await service.owner()
    tool = await tool_for(owner)
    session_id = (await tool.ingest(service.http, {"n": 1}))["sessionId"]
    path = f"/api/v2/sessions/{session_id}"
    for method, target, body in (
        ("PATCH", path, {"status": "completed"}),
        ("DELETE", f"/api/projects/{tool.project_id}", None),
    ):
        async with service.runtime.database.write() as tx:
            assert await store.lock_projects(tx, [tool.project_id])
            joined = await store.join_session(tx, tool.project_id, "api", count=1, since_ms=0, now_ms=clock.now_ms())
            request = asyncio.create_task(owner.call(method, target, body))
            await asyncio.sleep(0.3)
            assert not request.done()
        answer = await request
        if method == "PATCH":
            assert (joined, answer.json()["eventCount"]) == (session_id, 2)
        else:
            assert (joined, answer.status_code) == (None, 204)
    assert (await tool.send(service.http, {"n": 2})).status_code == 404
    await service.wait_for_jobs()
