"""Rate limits: counted by address and reported on every response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx
import pytest

from loremark.base import clock, errors, limits
from loremark.base.caller import MEMBER, OWNER, AuthMethod
from loremark.storage.database import Database, StorageUnavailable
from loremark.web.authentication import ANYONE, KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.client_address import bucket
from loremark.web.rate_limits import Limit, parse_route_limits
from loremark.web.response import Response, Stream
from loremark.web.routes import Routes, TxMode
from loremark.wire.shapes import Shape
from tests.web.kit import COOKIE, NOON_MS, authenticators, caller, client_for, make_app

pytestmark = pytest.mark.anyio


class Note(Shape):
    text: str


routes = Routes("small")
plain = Routes("plain", rate_limited=errors.RATE_LIMITED_PLAIN)


@routes.add("GET", "/note", ANYONE, name="note")
@plain.add("GET", "/note", ANYONE, name="note")
async def note(call: Call) -> Note:
    """A note."""
    return Note(text="hello")


@routes.add("POST", "/note", ANYONE, name="write")
async def write_note(call: Call, body: Note) -> Note:
    """Write it."""
    return body


@routes.add("DELETE", "/note", ANYONE, name="delete", status=204)
async def delete_note(call: Call) -> None:
    """Delete it."""


@routes.add("GET", "/unchanged", ANYONE, name="unchanged")
async def unchanged(call: Call) -> Response:
    """Not modified."""
    return Response(304, headers=[(b"etag", b'"1"')])


@routes.add("POST", "/mine", needs(KEY | LOGIN, "write", roles=frozenset((OWNER,))), name="mine")
async def mine(call: Call) -> Note:
    """For owners."""
    return Note(text=call.caller.name)


@routes.add("GET", "/broken", ANYONE, name="broken")
async def broken(call: Call) -> Note:
    """Fails."""
    raise RuntimeError("an internal secret")


@routes.add("GET", "/away", ANYONE, name="away")
async def away(call: Call) -> Note:
    """The database is unavailable."""
    raise StorageUnavailable("gone")


@routes.add("GET", "/stream", ANYONE, name="stream", tx=TxMode.NONE, content_type="text/event-stream")
async def stream(call: Call) -> Stream:
    """Two chunks."""

    async def chunks() -> AsyncGenerator[bytes, None]:
        yield b"data: 1\n\n"
        yield b"data: 2\n\n"

    return Stream(chunks())


@routes.add("POST", "/spend", ANYONE, name="spend", tx=TxMode.NONE)
async def spend(call: Call) -> Note:
    """Counts against a named limit."""
    await call.check_rate_limit("login", call.request.address)
    return Note(text="spent")


@routes.add("GET", "/free", ANYONE, name="free", counted=False)
async def free(call: Call) -> Note:
    """Not counted."""
    return Note(text="free")


SendRequest = Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]
JSON = {"Content-Type": "application/json"}
EVERY_RESPONSE: dict[str, tuple[int, SendRequest]] = {
    "ok": (200, lambda http: http.get("/note")),
    "head": (200, lambda http: http.head("/note")),
    "created and gone": (204, lambda http: http.delete("/note")),
    "not modified": (304, lambda http: http.get("/unchanged")),
    "malformed": (400, lambda http: http.post("/note", content=b"{", headers=JSON)),
    "invalid": (400, lambda http: http.post("/note", json={"text": 5})),
    "unauthenticated": (401, lambda http: http.post("/mine")),
    "forbidden": (403, lambda http: http.post("/mine", headers={"Authorization": "Bearer members"})),
    "cross-site": (403, lambda http: http.post("/mine", headers={"Cookie": f"{COOKIE}=owner"})),
    "unknown path": (404, lambda http: http.get("/nothing")),
    "unknown method": (405, lambda http: http.patch("/note")),
    "too large": (413, lambda http: http.post("/note", content=b" " * (limits.BODY_BYTES + 1), headers=JSON)),
    "media type": (415, lambda http: http.post("/note", content=b"x")),
    "a fault of ours": (500, lambda http: http.get("/broken")),
    "no database": (503, lambda http: http.get("/away")),
    "stream": (200, lambda http: http.get("/stream")),
}
AUTH = authenticators(
    keys={"members": caller("member", AuthMethod.KEY, MEMBER)}, logins={"owner": caller("owner", AuthMethod.LOGIN)}
)


@pytest.mark.parametrize("what", EVERY_RESPONSE)
async def test_every_response_reports_the_limit(sqlite: Database, what: str) -> None:
    status, send = EVERY_RESPONSE[what]
    async with client_for(make_app(routes, sqlite, per_minute=10, auth=AUTH)) as http:
        with clock.use(lambda: NOON_MS + 15_000):
            first, second = await send(http), await send(http)
    assert (first.status_code, second.status_code) == (status, status)
    for response, remaining in ((first, "9"), (second, "8")):
        assert response.headers["x-ratelimit-limit"] == "10"
        assert response.headers["x-ratelimit-remaining"] == remaining
        assert response.headers["x-ratelimit-reset"] == str(NOON_MS // 1000 + 60)
        assert "retry-after" not in response.headers or status == 503


async def test_limit_is_enforced_and_resets_with_the_next_window(sqlite: Database) -> None:
    async with client_for(make_app(routes, sqlite, per_minute=3)) as http:
        with clock.use(lambda: NOON_MS + 15_000):
            assert [(await http.get("/note")).status_code for _ in range(3)] == [200, 200, 200]
            for request in (http.get("/note"), http.post("/note", json={"text": "x"}), http.get("/nothing")):
                refused = await request
                assert refused.status_code == 429
                assert refused.json() == {"error": "Rate limit exceeded. Please retry after 45 seconds."}
                assert refused.headers["retry-after"] == "45"
                assert refused.headers["x-ratelimit-limit"] == "3"
                assert refused.headers["x-ratelimit-remaining"] == "0"
                assert refused.headers["x-ratelimit-reset"] == str(NOON_MS // 1000 + 60)
        with clock.use(lambda: NOON_MS + 59_999):
            last = await http.get("/note")
            assert (last.status_code, last.headers["retry-after"]) == (429, "1")
        with clock.use(lambda: NOON_MS + 60_000):
            fresh = await http.get("/note")
            assert (fresh.status_code, fresh.headers["x-ratelimit-remaining"]) == (200, "2")
            assert fresh.headers["x-ratelimit-reset"] == str(NOON_MS // 1000 + 120)


async def test_group_may_use_a_plain_error(sqlite: Database) -> None:
    async with client_for(make_app(plain, sqlite, per_minute=1)) as http:
        with clock.use(lambda: NOON_MS):
            await http.get("/note")
            refused = await http.get("/note")
    assert (refused.status_code, refused.json()) == (429, {"error": "Rate limit exceeded"})
    assert refused.headers["retry-after"] == "60"


async def test_concurrent_requests_are_each_counted_once(sqlite: Database) -> None:
    async with client_for(make_app(routes, sqlite, per_minute=20)) as http:
        with clock.use(lambda: NOON_MS):
            responses = await asyncio.gather(*(http.get("/note") for _ in range(50)))
    allowed = [response for response in responses if response.status_code == 200]
    assert sorted(int(response.headers["x-ratelimit-remaining"]) for response in allowed) == list(range(20))
    assert {response.status_code for response in responses} == {200, 429}


async def test_limit_of_zero_means_unlimited(sqlite: Database) -> None:
    async with client_for(make_app(routes, sqlite, per_minute=0)) as http:
        responses = [await http.get("/note") for _ in range(20)]
    assert {response.status_code for response in responses} == {200}
    assert not any("x-ratelimit-limit" in response.headers for response in responses)


async def test_uncounted_routes_bypass_the_limit(sqlite: Database) -> None:
    async with client_for(make_app(routes, sqlite, per_minute=1)) as http:
        assert [(await http.get("/free")).status_code for _ in range(5)] == [200] * 5
        assert (await http.get("/note")).status_code == 200


async def test_addresses_are_counted_separately_and_ipv6_by_network(sqlite: Database) -> None:
    app = make_app(routes, sqlite, per_minute=2)

    async def remaining(address: str) -> int:
        async with client_for(app, address) as http:
            return int((await http.get("/note")).headers["x-ratelimit-remaining"])

    with clock.use(lambda: NOON_MS):
        assert await remaining("192.0.2.1") == 1
        assert await remaining("192.0.2.2") == 1
        assert await remaining("::ffff:192.0.2.1") == 0, "the same host in IPv6 notation"
        assert await remaining("2001:db8:0:1::1") == 1
        assert await remaining("2001:db8:0:1:ffff:ffff:ffff:ffff") == 0
        assert await remaining("2001:db8:0:2::1") == 1
        assert await remaining("fe80::1%eth0") == 1
        assert await remaining("fe80::2%eth0") == 0


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:DB8::1", "2001:db8::/64"),
        ("[2001:db8::1]", "2001:db8::/64"),
        ("", ""),
        ("unix", "unix"),
    ],
)
def test_address_bucket(address: str, counted_as: str) -> None:
    assert bucket(address) == counted_as


async def test_named_limit_is_counted_separately(sqlite: Database) -> None:
    app = make_app(routes, sqlite, limits={"login": Limit(2, 3600)})
    async with client_for(app) as http:
        with clock.use(lambda: NOON_MS):
            assert [(await http.post("/spend")).status_code for _ in range(2)] == [200, 200]
            refused = await http.post("/spend")
            assert refused.status_code == 429
            wait_s = 3600 - NOON_MS // 1000 % 3600
            assert refused.json() == {"error": f"Rate limit exceeded. Please retry after {wait_s} seconds."}
            assert refused.headers["retry-after"] == str(wait_s)
            assert refused.headers["x-ratelimit-limit"] == "1000", "the global limit, which is not exhausted"
            assert (await http.get("/note")).status_code == 200
        with clock.use(lambda: NOON_MS + wait_s * 1000):
            assert (await http.post("/spend")).status_code == 200


async def test_named_limit_that_is_zero_or_unknown_means_unlimited(sqlite: Database) -> None:
    for named in ({}, {"login": Limit(0, 60)}, {"another": Limit(1, 60)}):
        async with client_for(make_app(routes, sqlite, limits=named)) as http:
            assert [(await http.post("/spend")).status_code for _ in range(5)] == [200] * 5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("login=10/minute", {"login": Limit(10, 60)}),
        (
            "login=10/minute,ask=30/minute,genesis.start=6/hour",
            {"login": Limit(10, 60), "ask": Limit(30, 60), "genesis.start": Limit(6, 3600)},
        ),
        (" login = 1 / second , ask=2/day ,", {"login": Limit(1, 1), "ask": Limit(2, 86_400)}),
        ("login=0", {"login": Limit(0, 60)}),
        ("login=0/hour", {"login": Limit(0, 3600)}),
        ("login=1/minute,login=2/minute", {"login": Limit(2, 60)}),
    ],
)
def test_route_limits_are_parsed(text: str, found: dict[str, Limit]) -> None:
    assert parse_route_limits(text) == found


@pytest.mark.parametrize(
    "text",
    ["login", "login=10", "login=ten/minute", "login=-1/minute", "login=1/week", "=1/minute", "a=1/minute;b=2/minute"],
)
def test_invalid_route_limits_are_quoted_in_the_error(text: str) -> None:
    with pytest.raises(ValueError, match="must have the form name=count/window") as caught:
        parse_route_limits(text)
    assert repr(text) in str(caught.value)
