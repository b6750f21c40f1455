"""Signed requests: the three headers, the order of the checks and the exact errors, on both engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest

from loremark.base import clock, ids, limits, signing
from loremark.features.projects.signatures import Signatures
from loremark.storage.connect import open_database
from loremark.storage.database import Database
from loremark.web.app import App
from loremark.web.authentication import ANYONE, SIGNATURE, needs
from loremark.web.call import Call
from loremark.web.request import Message
from loremark.web.routes import Routes, TxMode
from loremark.wire.shapes import Shape
from tests.support.databases import storage_address
from tests.support.people import Person
from tests.support.service import Service
from tests.web.kit import authenticators, client_for, make_app

pytestmark = pytest.mark.anyio

BODY = b'{"event": "session_save", "payload": {"summary": "x"}}'
NOW_MS = 1_900_000_000_500
NOW_S = NOW_MS // 1000


class Event(Shape):
    event: str


class Accepted(Shape):
    team: str
    project: str
    via: str
    event: str


routes = Routes("signed")


@routes.add("POST", "/events", needs(SIGNATURE), name="take", status=202)
async def accept(call: Call, body: Event) -> Accepted:
    """Accept an event."""
    return Accepted(
        team=call.caller.team_id, project=call.caller.credential_id, via=call.caller.auth_method, event=body.event
    )


@routes.add("GET", "/events", needs(SIGNATURE), name="list")
async def list_events(call: Call) -> Accepted:
    """A signed request without a body."""
    return Accepted(team=call.caller.team_id, project=call.caller.credential_id, via=call.caller.auth_method, event="")


@routes.add("POST", "/raw", needs(SIGNATURE), name="raw", status=204, tx=TxMode.NONE)
async def accept_raw(call: Call) -> None:
    """A signed body that is never read."""


@routes.add("GET", "/open", ANYONE, name="open")
async def public(call: Call) -> Event:
    """Public; needs only the database."""
    return Event(event="none")


@dataclass(frozen=True)
class Signer:
    """A client that signs requests for a project."""

    http: httpx.AsyncClient
    owner: Person
    project_id: str
    secret: str

    def headers(self, body: bytes = BODY, *, at: str = str(NOW_S), secret: str | None = None) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "X-Service-Project": self.project_id,
            "X-Service-Timestamp": at,
            "X-Service-Signature": signing.sign_request(secret or self.secret, at, body),
        }

    async def send(self, headers: dict[str, str], body: bytes = BODY, *, at_ms: int = NOW_MS) -> tuple[int, object]:
        with clock.use(lambda: at_ms):
            async with asyncio.timeout(60):
                raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
                response = await self.http.post("/events", content=body, headers=raw)
        return response.status_code, response.json()


@pytest.fixture
async def signer(service: Service) -> AsyncIterator[Signer]:
    """The signed routes above on the service's database, with its real signature check."""
    owner = await service.owner()
    project_id = await owner.create_project()
    secret = (await owner.get(f"/api/projects/{project_id}/hmac-secret")).json()["secret"]
    app = make_app(
        routes,
        service.runtime.database,
        auth=authenticators(verify_signature=Signatures(service.runtime.sealer).verify),
    )
    async with client_for(app) as http:
        yield Signer(http, owner, project_id, secret)


MISSING = (401, {"error": "Missing required header"})
EXPIRED = (401, {"error": "Timestamp expired"})
UNKNOWN = (404, {"error": "Project not found"})
WRONG = (401, {"error": "Invalid signature"})


async def test_signed_request_acts_for_its_project(signer: Signer) -> None:
    status, accepted = await signer.send(signer.headers())
    assert status == 202
    assert accepted == {
        "team": signer.owner.team_id,
        "project": signer.project_id,
        "via": "signature",
        "event": "session_save",
    }


async def test_signed_body_that_is_not_read_is_accepted(signer: Signer) -> None:
    with clock.use(lambda: NOW_MS):
        response = await signer.http.post("/raw", content=BODY, headers=signer.headers())
    assert response.status_code == 204


async def test_request_without_a_body_is_signed_as_empty(signer: Signer) -> None:
    with clock.use(lambda: NOW_MS):
        right = await signer.http.get("/events", headers=signer.headers(b""))
        wrong = await signer.http.get("/events", headers=signer.headers(b"{}"))
    assert (right.status_code, right.json()["project"]) == (200, signer.project_id)
    assert (wrong.status_code, wrong.json()) == WRONG


async def test_required_headers_are_checked_first(signer: Signer) -> None:
    names = ("X-Service-Project", "X-Service-Timestamp", "X-Service-Signature")
    nonsense = {**signer.headers(), **dict.fromkeys(names, "nonsense")}
    for name in names:
        assert await signer.send({**nonsense, name: ""}) == MISSING
        del (without := dict(nonsense))[name]
        assert await signer.send(without) == MISSING


async def test_key_does_not_replace_a_signature(signer: Signer) -> None:
    assert await signer.send({"Authorization": f"Bearer {signer.owner.key}"}) == MISSING


async def test_timestamp_is_checked_before_project_and_signature(signer: Signer) -> None:
    for timestamp in (
        str(NOW_S - 301),
        str(NOW_S + 302),
        "0",
        str(NOW_MS),
        "-5",
        "+1900000000",
        "1900000000.5",
        "1.9e9",
        "now",
        "19_00000000",
        "²",
        "9" * 400,
        "2030-03-17T17:46:40Z",
    ):
        headers = {"X-Service-Timestamp": timestamp, "X-Service-Project": "x", "X-Service-Signature": "sha256=00"}
        assert await signer.send({**signer.headers(), **headers}) == EXPIRED, timestamp


async def test_timestamp_tolerance_is_five_minutes_in_whole_seconds(signer: Signer) -> None:
    """Timestamps have no milliseconds, so one from 300 seconds ago is still within five minutes."""
    for age_ms in (-300_000, 0, 300_000, 300_001, 300_999):
        assert (await signer.send(signer.headers(), at_ms=NOW_S * 1000 + age_ms))[0] == 202
    for age_ms in (-300_001, 301_000, 301_500):
        assert await signer.send(signer.headers(), at_ms=NOW_S * 1000 + age_ms) == EXPIRED


async def test_project_is_checked_before_the_signature(signer: Signer) -> None:
    zeros = "0" * 26
    for project in (f"prj_{zeros}", f"team_{zeros}", "x", "ÿ", f"prj_{zeros}" + "x" * 5_000):
        assert await signer.send({**signer.headers(), "X-Service-Project": project}) == UNKNOWN, project


async def test_deleted_project_is_unknown(signer: Signer) -> None:
    await signer.owner.delete(f"/api/projects/{signer.project_id}")
    assert await signer.send(signer.headers()) == UNKNOWN


async def test_every_byte_of_the_body_is_signed(signer: Signer) -> None:
    for at in (0, len(BODY) // 2, len(BODY) - 1):
        altered = bytearray(BODY)
        altered[at] ^= 1
        assert await signer.send(signer.headers(), bytes(altered)) == WRONG
    assert await signer.send(signer.headers(), BODY + b" ") == WRONG
    assert await signer.send(signer.headers(), BODY[:-1]) == WRONG
    assert await signer.send(signer.headers(), b"") == WRONG


async def test_signature_is_checked_before_the_body_is_parsed(signer: Signer) -> None:
    assert await signer.send(signer.headers(b"{"), b"[") == WRONG
    status, refused = await signer.send(signer.headers(b"{"), b"{")
    assert (status, refused) == (400, {"error": "Request body is not valid JSON"})


async def test_malformed_signature_is_rejected(signer: Signer) -> None:
    right = signer.headers()["X-Service-Signature"]
    for signature in (right.upper(), right.removeprefix("sha256="), right[:-1], right + "0", "ÿ", "sha256="):
        assert await signer.send({**signer.headers(), "X-Service-Signature": signature}) == WRONG, signature


async def test_secret_of_another_project_is_rejected(signer: Signer) -> None:
    other = await signer.owner.create_project("Other")
    secret = (await signer.owner.get(f"/api/projects/{other}/hmac-secret")).json()["secret"]
    assert await signer.send(signer.headers(secret=secret)) == WRONG


async def test_rotated_secret_works_until_it_expires_and_revoked_one_never(signer: Signer) -> None:
    rotate = f"/api/projects/{signer.project_id}/hmac-secret/rotate"
    with clock.use(lambda: NOW_MS):
        rotated = (await signer.owner.post(rotate)).json()
    end_ms = NOW_MS + limits.HMAC_PREVIOUS_VALID_MS
    assert rotated["previousValidUntil"] == clock.iso(end_ms)
    assert rotated["secret"] != signer.secret

    async def status(secret: str, at_ms: int) -> int:
        return (await signer.send(signer.headers(at=str(at_ms // 1000), secret=secret), at_ms=at_ms))[0]

    assert await status(rotated["secret"], NOW_MS) == 202
    assert await status(signer.secret, NOW_MS) == 202
    assert await status(signer.secret, end_ms - 1) == 202
    assert await status(signer.secret, end_ms) == 401
    assert await status(rotated["secret"], end_ms) == 202
    with clock.use(lambda: NOW_MS + 1_000):
        third = (await signer.owner.post(rotate)).json()["secret"]
    assert [await status(secret, NOW_MS + 1_000) for secret in (signer.secret, rotated["secret"], third)] == [
        401,
        202,
        202,
    ]
    with clock.use(lambda: NOW_MS + 2_000):
        revoked = (await signer.owner.post(rotate, {"revokeNow": True})).json()
    assert revoked["previousValidUntil"] is None
    assert [await status(secret, NOW_MS + 2_000) for secret in (third, revoked["secret"])] == [401, 202]


async def test_oversized_body_is_refused_before_the_signature_check(signer: Signer) -> None:
    large = b" " * (limits.BODY_BYTES + 1)
    assert await signer.send(signer.headers(), large) == (413, {"error": "Request body too large"})


async def test_stalled_bodies_hold_no_database_connection(service: Service, database_url: str) -> None:
    """Anyone can start a signed request; more of them than there are connections must not block others."""
    database: Database = await open_database(storage_address(database_url), pool=2)
    app = make_app(routes, database, auth=authenticators(verify_signature=Signatures(service.runtime.sealer).verify))
    stop = asyncio.Event()
    stalled = [asyncio.create_task(_send_head(app, stop)) for _ in range(4)]
    try:
        await asyncio.sleep(0.05)
        async with client_for(app) as http, asyncio.timeout(3):
            assert (await http.get("/open")).status_code == 200
    finally:
        stop.set()
        await asyncio.gather(*stalled)
        await database.close()


async def _send_head(app: App, stop: asyncio.Event) -> None:
    """Start a signed request whose body does not arrive before the end of the test."""
    head = {"x-service-project": ids.new("prj"), "x-service-timestamp": str(clock.now_ms() // 1000)}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/events",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in head.items()] + [(b"x-service-signature", b"x")],
        "client": ("192.0.2.1", 1),
    }

    async def receive() -> Message:
        await stop.wait()
        return {"type": "http.disconnect"}

    async def send(_message: Message) -> None:
        pass

    await app(scope, receive, send)
