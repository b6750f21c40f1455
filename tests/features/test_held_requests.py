"""Requests that arrive slowly. They hold nothing, and credentials that become invalid meanwhile are noticed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import msgspec
import pytest

from loremark.base.caller import NO_ORIGIN
from loremark.entry.application import ROUTES
from loremark.features.identity import store as people
from loremark.features.transfer import exporting
from loremark.features.transfer import routes as transfer
from loremark.web.routes import Route
from tests.features.exported_project import export, export_scope
from tests.features.signed_tool import tool_for
from tests.features.steps import UNAUTHENTICATED, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

LINES = "application/x-ndjson"
REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/api/keys", {"name": "another"}),
    ("PATCH", "/api/projects/{project}", {"description": "changed"}),
    ("POST", "/api/team", {"email": "friend@example.com", "role": "admin"}),
    ("POST", "/api/contexts", {"projectId": "{project}", "name": "Billing"}),
    ("POST", "/api/v2/events", {"projectId": "{project}", "event": "session_save", "payload": {"summary": "Done."}}),
    ("POST", "/api/webhooks", {"projectId": "{project}", "url": "https://192.0.2.7/", "events": ["session.created"]}),
    ("POST", "/api/v2/ask", {"projectId": "{project}", "question": "Where are the keys?"}),
    ("POST", "/api/v2/hygiene", {"projectId": "{project}", "action": "analyze", "mode": "quick"}),
    ("POST", "/api/v2/import?projectId={project}", {"loremark": "export", "version": 1}),
]


class _PendingRequest:
    """A request whose last byte has not been sent yet."""

    def __init__(
        self,
        person: Person,
        service: Service,
        method: str,
        path: str,
        body: bytes,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._body = body
        self._may_finish = asyncio.Event()
        self.started = asyncio.Event()
        kind = LINES if "import" in path else "application/json"
        headers = headers or {"Authorization": f"Bearer {person.key}", "Content-Type": kind}
        self._answer = asyncio.create_task(service.http.request(method, path, headers=headers, content=self._chunks()))

    async def _chunks(self) -> AsyncIterator[bytes]:
        yield self._body[:-1]
        self.started.set()
        await self._may_finish.wait()
        yield self._body[-1:]

    async def wait_until_read(self) -> bool:
        """Return whether the service waits for the rest, and does not answer without it."""
        waiting = asyncio.ensure_future(self.started.wait())
        await asyncio.wait((waiting, self._answer), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return self.started.is_set()

    def cancel(self) -> None:
        self._answer.cancel()

    async def finish(self) -> httpx.Response:
        self._may_finish.set()
        async with asyncio.timeout(30):
            return await self._answer


def _body(body: dict[str, Any], project: str) -> bytes:
    return msgspec.json.encode(body).replace(b"{project}", project.encode())


async def _start_all(service: Service, person: Person, project: str) -> list[_PendingRequest]:
    pending = [
        _PendingRequest(person, service, method, path.replace("{project}", project), _body(body, project))
        for method, path, body in REQUESTS
    ]
    async with asyncio.timeout(30):
        for request in pending:
            await request.started.wait()
    return pending


async def test_removed_member_cannot_finish_a_pending_request(service: Service) -> None:
    owner = await service.owner()
    admin = await service.join(owner, "admin")
    project = await owner.create_project()
    before = await export(owner, project)
    pending = await _start_all(service, admin, project)
    assert (await owner.delete(f"/api/team/{admin.member_id}")).status_code == 204
    for request, (method, path, _) in zip(pending, REQUESTS, strict=True):
        answer = await request.finish()
        assert answer.status_code == 401, (method, path, answer.text)
    assert await export(owner, project) == before
    assert [person["email"] for person in (await owner.get("/api/team?include=invited")).json()] == [owner.email]


async def test_deleted_key_cannot_finish_a_pending_request(service: Service) -> None:
    owner = await service.owner()
    leaked = (await owner.post("/api/keys", {"name": "leaked"})).json()
    attacker = Person(service.http, key=leaked["key"])
    request = _PendingRequest(attacker, service, "POST", "/api/keys", b'{"name":"evil"}')
    await request.started.wait()
    assert (await owner.delete("/api/keys", {"keyId": leaked["id"]})).status_code == 204
    assert status_and_body(await request.finish()) == UNAUTHENTICATED
    assert "evil" not in (await owner.get("/api/keys")).text


async def test_rotated_secret_cannot_finish_a_pending_request(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    body = msgspec.json.encode({"projectId": tool.project_id})
    request = _PendingRequest(owner, service, "POST", "/api/v2/genesis/cancel", body, tool.headers(body))
    await request.started.wait()
    rotated = await owner.post(f"/api/projects/{tool.project_id}/hmac-secret/rotate", {"revokeNow": True})
    assert rotated.status_code == 200, rotated.text
    assert (await request.finish()).status_code == 401


async def test_concurrent_signed_requests_use_one_connection_each(service: Service) -> None:
    """Waiting for a second connection while holding the first would deadlock."""
    tool = await tool_for(await service.owner())
    body = msgspec.json.encode({"projectId": tool.project_id})
    calls = [
        service.http.post("/api/v2/genesis/cancel", content=body, headers=tool.headers(body))
        for _ in range(3 * service.settings.database_pool)
    ]
    async with asyncio.timeout(8):
        answers = await asyncio.gather(*calls)
    assert {answer.text for answer in answers} == {'{"error":"No scan in progress"}'}


async def test_pending_request_with_valid_credentials_succeeds(service: Service) -> None:
    owner = await service.owner()
    request = _PendingRequest(owner, service, "POST", "/api/keys", b'{"name":"slow"}')
    await request.started.wait()
    assert (await request.finish()).status_code == 201


async def test_slow_requests_hold_up_nobody(service: Service) -> None:
    """On every route, and as many at a time as there are."""
    owner, other = await service.owner(), await service.owner("Pebbles")
    tool = await tool_for(owner)
    async with service.runtime.database.write() as tx:
        login = await people.create_login(tx, user_id=owner.user_id, team_id=owner.team_id, origin=NO_ORIGIN)
    body = msgspec.json.encode({"projectId": tool.project_id})

    def headers(route: Route) -> dict[str, str]:
        if route.needs.by_signature:
            return tool.headers(body)
        kind = {"Content-Type": "application/json"}
        if route.needs.by_key:
            return {"Authorization": f"Bearer {owner.key}", **kind}
        return {"Cookie": f"loremark_login={login}", "Sec-Fetch-Site": "same-origin", **kind}

    pending = {
        route.name: _PendingRequest(
            owner,
            service,
            route.method,
            re.sub(r"{\w+}", tool.project_id, route.path),
            body,
            {"Content-Length": str(len(body)), **headers(route)},
        )
        for route in ROUTES
        if route.method != "GET" and route.name not in ("projects.delete", "auth.logout", "auth.end_logins")
    }
    try:
        async with asyncio.timeout(60):
            read = {name for name, request in pending.items() if await request.wait_until_read()}
            assert {"dashboard.allow", "billing_pages.confirm", "contexts.populate", "ingest.send"} <= read
            for _ in range(3):
                async with asyncio.timeout(5):
                    assert (await other.post("/api/projects", {"name": "Quick"})).status_code == 201
            answers = {name: (await request.finish()).status_code for name, request in pending.items()}
    finally:
        for request in pending.values():
            request.cancel()
    assert (answers["dashboard.allow"], answers["billing_pages.confirm"]) == (400, 404), "both were allowed to wait"
    assert 500 not in answers.values(), answers


class _Reader:
    """Reads the first chunk of an export, runs a callback, then continues."""

    def __init__(
        self, service: Service, person: Person, project: str, on_first_chunk: Callable[[], Awaitable[object]]
    ) -> None:
        self.received = b""
        self._app: Any = service.app
        self._on_first_chunk = on_first_chunk
        self._requested = False
        self._scope = export_scope(person, project)

    async def read(self) -> bytes:
        async with asyncio.timeout(60):
            await self._app(self._scope, self._receive, self._send)
        return self.received

    async def _receive(self) -> dict[str, Any]:
        if not self._requested:
            self._requested = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    async def _send(self, message: dict[str, Any]) -> None:
        is_first, self.received = not self.received, self.received + message.get("body", b"")
        if is_first and self.received:
            await self._on_first_chunk()


@pytest.mark.parametrize("lost", ["membership", "sight", "nothing"])
async def test_export_stops_when_access_ends(service: Service, monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    monkeypatch.setattr(exporting, "_CHUNK_BYTES", 1)
    monkeypatch.setattr(transfer, "_RECHECK_S", 0.0)
    owner = await service.owner()
    reader = await service.join(owner)
    project = await owner.create_project(visibility="public")
    for name in "abc":
        assert (await owner.post("/api/contexts", {"projectId": project, "name": name})).status_code == 201
    full = await export(reader, project)

    async def revoke_access() -> None:
        if lost == "membership":
            assert (await owner.delete(f"/api/team/{reader.member_id}")).status_code == 204
        elif lost == "sight":
            assert (await owner.patch(f"/api/projects/{project}", {"visibility": "private"})).status_code == 200

    received = await _Reader(service, reader, project, revoke_access).read()
    if lost == "nothing":
        assert received == full
    else:
        assert 0 < len(received) < len(full)
        assert b'"loremark":"end"' in full
        assert b'"loremark":"end"' not in received
