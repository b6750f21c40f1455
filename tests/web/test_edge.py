"""The app's outer layer: request IDs, response headers, errors, and one transaction per request."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from loremark.base import errors, ids
from loremark.features.identity import store as people
from loremark.storage.database import Database, StorageUnavailable
from loremark.web.authentication import ANYONE
from loremark.web.call import Call
from loremark.web.request import Message
from loremark.web.response import HTML, Response
from loremark.web.routes import Routes, TxMode
from loremark.wire.shapes import Shape
from tests.web.kit import client_for, make_app

pytestmark = pytest.mark.anyio


class Note(Shape):
    text: str


routes = Routes("small")


@routes.add("GET", "/note", ANYONE, name="read")
async def read_note(call: Call) -> Note:
    """A note."""
    return Note(text="grüße")


@routes.add("GET", "/page", ANYONE, name="page", content_type="text/html")
async def page(call: Call) -> Response:
    """A page."""
    return Response(200, b"<p>hello", HTML)


@routes.add("GET", "/kept", ANYONE, name="kept")
async def kept(call: Call) -> Response:
    """Cacheable."""
    return Response(200, b"{}", headers=[(b"cache-control", b"no-cache")])


@routes.add("GET", "/marked", ANYONE, name="marked")
async def marked(call: Call) -> Note:
    """Sets its own header."""
    call.set_header("X-Next-Cursor", "prj_1")
    return Note(text="x")


@routes.add("POST", "/keep/{name}", ANYONE, name="keep", status=201)
async def keep(call: Call, name: str) -> Note:
    """Write a row; some names fail afterwards."""
    await people.claim(call.tx, name, "kept")
    if name.startswith("fault"):
        raise RuntimeError(f"the password of {name}")
    if name.startswith("refused"):
        raise errors.FORBIDDEN()
    if name.startswith("away"):
        raise StorageUnavailable("connection lost to db.internal")
    return Note(text=name)


@routes.add("GET", "/loose", ANYONE, name="loose", tx=TxMode.NONE)
async def loose(call: Call) -> Note:
    """Uses a transaction it did not declare."""
    await people.find_claim(call.tx, "x")
    return Note(text="never")


@routes.add("POST", "/late", ANYONE, name="late")
async def late(call: Call) -> Note:
    """Reads the body in its transaction, which is refused."""
    with pytest.raises(RuntimeError, match="inside a write transaction"):
        await call.request.read_body()
    return Note(text="refused")


@routes.add("POST", "/early", ANYONE, name="early", tx=TxMode.NONE)
async def early(call: Call) -> Note:
    """Reads the body before its transaction, and the copy in it."""
    await call.request.read_body()
    async with call.write():
        return Note(text=(await call.request.read_body()).decode())


@pytest.fixture
async def http(sqlite: Database) -> AsyncIterator[httpx.AsyncClient]:
    async with client_for(make_app(routes, sqlite)) as client:
        yield client


async def _is_stored(database: Database, name: str) -> bool:
    async with database.read() as tx:
        return await people.find_claim(tx, name) is not None


@pytest.mark.parametrize("given", ["abcd1234", "req_01JD.-x", "A" * 64])
async def test_valid_request_id_is_echoed(http: httpx.AsyncClient, given: str) -> None:
    assert (await http.get("/note", headers={"X-Request-Id": given})).headers["x-request-id"] == given


@pytest.mark.parametrize(
    "given", [None, "", "short", "A" * 65, "has space", "new\tline1", "grüße-grüße", "<script>1", "a" * 9_000]
)
async def test_invalid_request_id_is_replaced(http: httpx.AsyncClient, given: str | None) -> None:
    headers = [] if given is None else [(b"X-Request-Id", given.encode())]
    first = (await http.get("/note", headers=headers)).headers["x-request-id"]
    second = (await http.get("/nothing", headers=headers)).headers["x-request-id"]
    assert ids.looks_valid(first, "req")
    assert ids.looks_valid(second, "req")
    assert first != second


async def test_every_response_has_the_security_headers(http: httpx.AsyncClient) -> None:
    for path in ("/note", "/page", "/nothing", "/loose"):
        headers = (await http.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in headers


async def test_pages_may_load_only_own_resources(http: httpx.AsyncClient) -> None:
    page_policy = (await http.get("/page")).headers["content-security-policy"]
    data_policy = (await http.get("/note")).headers["content-security-policy"]
    assert "script-src 'self'" in page_policy
    assert "unsafe" not in page_policy
    assert not re.search(r"\*|https?:", page_policy)
    assert "script-src" not in data_policy


async def test_https_responses_set_hsts(sqlite: Database) -> None:
    async with client_for(make_app(routes, sqlite, https=True)) as http:
        for path in ("/note", "/page", "/nothing"):
            assert (await http.get(path)).headers["strict-transport-security"] == "max-age=31536000"


async def test_handler_headers_override_defaults(http: httpx.AsyncClient) -> None:
    assert (await http.get("/kept")).headers.get_list("cache-control") == ["no-cache"]
    assert (await http.get("/marked")).headers["x-next-cursor"] == "prj_1"


async def test_head_is_get_without_the_body(http: httpx.AsyncClient) -> None:
    for path in ("/note", "/page", "/nothing", "/loose"):
        get, head = await http.get(path), await http.head(path)
        assert (head.status_code, head.content) == (get.status_code, b"")
        differing = {"x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"}
        assert head.headers.keys() == get.headers.keys()
        assert int(head.headers["x-ratelimit-reset"]) - int(get.headers["x-ratelimit-reset"]) in (0, 60)
        assert {name: value for name, value in head.headers.items() if name not in differing} == {
            name: value for name, value in get.headers.items() if name not in differing
        }
        assert int(head.headers["content-length"]) == len(get.content)


async def test_unknown_paths_and_methods(http: httpx.AsyncClient) -> None:
    unknown = await http.get("/nothing")
    assert (unknown.status_code, unknown.json()) == (404, {"error": "Not found"})
    for method in ("DELETE", "OPTIONS", "TRACE", "FOO"):
        refused = await http.request(method, "/note")
        assert (refused.status_code, refused.json()) == (405, {"error": "Method not allowed"})
        assert refused.headers["allow"] == "GET, HEAD"
    assert (await http.get("/keep/x")).headers["allow"] == "POST"
    assert (await http.head("/keep/x")).status_code == 405


async def test_internal_error_reveals_nothing_and_is_logged(http: httpx.AsyncClient) -> None:
    with capture_logs() as logs:
        response = await http.post("/keep/fault-1", headers={"X-Request-Id": "find-me-1"})
    assert (response.status_code, response.json()) == (500, {"error": "Internal server error"})
    assert response.headers["x-request-id"] == "find-me-1"
    assert "password" not in str(response.headers)
    (entry,) = [entry for entry in logs if entry["event"] == "unhandled exception"]
    assert (entry["request_id"], entry["log_level"]) == ("find-me-1", "error")


async def test_unavailable_database_returns_503(http: httpx.AsyncClient) -> None:
    response = await http.post("/keep/away-1")
    assert (response.status_code, response.json()) == (503, {"error": "Service temporarily unavailable"})
    assert response.headers["retry-after"] == "5"
    assert "db.internal" not in response.text


async def test_route_cannot_use_an_undeclared_transaction(http: httpx.AsyncClient) -> None:
    assert (await http.get("/loose")).status_code == 500


async def test_failed_request_is_rolled_back(database: Database) -> None:
    async with client_for(make_app(routes, database)) as http:
        for name, status in (("fault", 500), ("refused", 403), ("away", 503), ("fine", 201)):
            name = f"{name}-{ids.new('x')}"
            assert (await http.post(f"/keep/{name}")).status_code == status
            assert await _is_stored(database, name) == (status == 201)


async def test_failed_request_does_not_roll_back_others(database: Database) -> None:
    async with client_for(make_app(routes, database)) as http:
        names = [f"{kind}-{number}-{ids.new('x')}" for number in range(10) for kind in ("fault", "fine")]
        with capture_logs():
            responses = await asyncio.gather(*(http.post(f"/keep/{name}") for name in names))
    for name, response in zip(names, responses, strict=True):
        assert response.status_code == (201 if name.startswith("fine") else 500)
        assert await _is_stored(database, name) == name.startswith("fine")


async def test_response_is_sent_only_after_the_commit(database: Database) -> None:
    app = make_app(routes, database)
    name = f"fine-{ids.new('x')}"
    stored_when_sent: list[bool] = []
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": f"/keep/{name}",
        "query_string": b"",
        "headers": [],
        "client": ("192.0.2.1", 1),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == 201
            stored_when_sent.append(await _is_stored(database, name))

    await app(scope, receive, send)
    assert stored_when_sent == [True]


async def test_a_write_transaction_never_waits_for_a_body(database: Database) -> None:
    """Everybody's writes would wait for the sender."""
    async with client_for(make_app(routes, database)) as client:
        assert (await client.post("/late", content=b"x")).json() == {"text": "refused"}
        assert (await client.post("/early", content=b"x")).json() == {"text": "x"}


async def test_non_http_scopes_are_ignored(sqlite: Database) -> None:
    async def receive() -> Message:
        raise AssertionError("nothing should be read")

    async def send(message: Message) -> None:
        raise AssertionError("nothing should be sent")

    await make_app(routes, sqlite)({"type": "lifespan"}, receive, send)
