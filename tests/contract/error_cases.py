"""Error cases that apply everywhere, triggered with real requests.

A runner gets the routes of an error row and yields, for each route it can trigger the error on, the response and,
if the text is not fixed, the field it must mention.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import httpx
import msgspec
from sqlalchemy import text, update

from loremark.base import clock, ids, limits
from loremark.storage.tables import projects
from loremark.web.authentication import LOGIN
from loremark.web.routes import Route
from tests.contract.cast import Ask, Cast, new_email
from tests.contract.contract import load
from tests.contract.examples import BY_NAME, examples_of
from tests.support.cheap_passwords import real_passwords
from tests.support.service import PASSWORD


class ErrorCase(NamedTuple):
    route: Route | None
    answer: httpx.Response
    names: str = ""


ErrorCaseRunner = Callable[[Cast, list[Route]], AsyncIterator[ErrorCase]]


class ErrorCases(dict[tuple[int, str], ErrorCaseRunner]):
    """Keyed by status and text, or by status and cause if the text is not fixed."""

    def of(self, status: int, text_or_cause: str) -> Callable[[ErrorCaseRunner], ErrorCaseRunner]:
        def register(run: ErrorCaseRunner) -> ErrorCaseRunner:
            self[status, text_or_cause] = run
            return run

        return register


EVERYWHERE = ErrorCases()
PARAMETERS = ("id", "memberId", "deliveryId", "projectId")


async def valid(cast: Cast, route: Route) -> Ask:
    return await examples_of(route)[0](cast, cast["owner"])


def _guarded(routes: list[Route]) -> list[Route]:
    return [route for route in routes if route.needs.credentials is not None]


def _with_body(routes: list[Route]) -> list[Route]:
    """Routes that read a body."""
    return [route for route in routes if route.body is not None or route.raw_body is not None]


@EVERYWHERE.of(401, "Invalid or missing authentication credentials")
async def _unauthenticated(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    credentials: tuple[dict[str, str], ...] = (
        {},
        {"Authorization": "Bearer service_sk_nobodys"},
        {"Authorization": f"Basic {cast.owner.key}"},
        {"Authorization": f"Bearer {cast['removed'].person.key}"},
        {"Cookie": f"loremark_login={cast['removed'].login}", "Sec-Fetch-Site": "same-origin"},
    )
    for route in _guarded(routes):
        ask = replace(await valid(cast, route), login="")
        for headers in credentials:
            yield ErrorCase(route, await cast.send(cast["anonymous"], route, ask, headers=headers))


@EVERYWHERE.of(429, "Rate limit exceeded. Please retry after {n} seconds.")
async def _rate_limited(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        async with cast.elsewhere(LOREMARK_RATE_LIMIT_PER_MINUTE="1") as service:
            await service.http.get("/api/projects")
            for route in [route for route in routes if route.counted]:
                path = route.path.format_map(dict.fromkeys(PARAMETERS, ids.new("prj")))
                yield ErrorCase(route, await service.http.request(route.method, path))
            yield ErrorCase(None, await service.http.get("/nowhere"))


def _can_be_wrong(route: Route, name: str) -> bool:
    """Excludes fields with their own error text and fields that accept any type."""
    if name == "ticket" and route.needs.by_ticket:
        return False
    known = msgspec.structs.fields(route.body) if route.body is not None else ()
    kinds = [kind for field in known if field.encode_name == name for kind in (field.type, *get_args(field.type))]
    return Any not in kinds


@EVERYWHERE.of(400, "a field is missing, too long, out of range or of the wrong kind; one sentence naming it")
async def _invalid_field(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in _with_body(routes):
        ask = await valid(cast, route)
        for name in [name for name in ask.json if _can_be_wrong(route, name)]:
            kind: Any = 7 if isinstance(ask.json[name], dict) else {"of": "the wrong kind"}
            wrong = replace(ask, json={**ask.json, name: kind})
            yield ErrorCase(route, await cast.send(cast["owner"], route, wrong), name)
            if not route.body_optional and len(ask.json) == 1:
                yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json={})), name)
    for route in routes:
        if route.query is not None and "limit" in route.query.__struct_fields__:
            ask = await valid(cast, route)
            query = f"{ask.query}&limit=0" if ask.query else "?limit=0"
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, query=query)), "limit")


@EVERYWHERE.of(400, "Request body is not valid JSON")
async def _malformed_json(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in _with_body(routes):
        ask = await valid(cast, route)
        for content in (b'{"name": ', b"\xff\xfe", b'{"x": NaN}', b'{"x":' * 100_000):
            yield ErrorCase(route, await _send_raw(cast, route, ask, content))


@EVERYWHERE.of(400, "Request body is incomplete")
async def _incomplete(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """The client disconnects while sending the body."""
    for route in _with_body(routes):
        yield ErrorCase(route, await cast.send_partial_body(cast["owner"], route, await valid(cast, route)))


@EVERYWHERE.of(400, "Request body must be a JSON object")
async def _no_object(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in _with_body(routes):
        ask = await valid(cast, route)
        for content in (b"[]", b'"text"', b"null", *([] if route.body_optional else [b""])):
            yield ErrorCase(route, await _send_raw(cast, route, ask, content))


@EVERYWHERE.of(400, "Text must not contain NUL characters")
async def _nul(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in _with_body(routes):
        ask = await valid(cast, route)
        body = {**ask.json, "name": "a\0b"}
        yield ErrorCase(route, await _send_raw(cast, route, ask, json.dumps(body).encode()))
    for route in routes:
        if route.query is not None:
            yield ErrorCase(route, await _send_query(cast, route, "?cursor=a%00b"))


@EVERYWHERE.of(403, "Forbidden")
async def _forbidden(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """A member calls routes for owners and admins."""
    for route in routes:
        if load().endpoint(route.name).roles:
            yield ErrorCase(route, await cast.send(cast["assigned"], route, await valid(cast, route)))
    whole_team = Ask(query="?include=team")
    yield ErrorCase(BY_NAME["keys.list"], await cast.send(cast["assigned"], BY_NAME["keys.list"], whole_team))


@EVERYWHERE.of(403, "Cross-site request refused")
async def _cross_site(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    foreign = ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"})
    for route in [route for route in routes if route.method != "GET"]:
        accepted = route.needs.credentials
        if accepted is not None and LOGIN not in accepted:
            continue
        ask = await valid(cast, route)
        cookie = {"Cookie": f"loremark_login={ask.login or cast['owner'].login}"}
        for headers in (*foreign, {}) if accepted else foreign:
            bare = replace(ask, login="")
            yield ErrorCase(route, await cast.send(cast["anonymous"], route, bare, headers={**cookie, **headers}))


@EVERYWHERE.of(
    403, "The server does not answer for this host name. Use its base URL, or add the name to LOREMARK_ALLOWED_HOSTS"
)
async def _unknown_host(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """As after DNS rebinding: the browser thinks that this server is the other page's."""
    for route in routes:
        if route.group != "operations":
            ask = await valid(cast, route)
            foreign = {"Host": "evil.example.com:8000", "Origin": "http://evil.example.com:8000"}
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers=foreign))


@EVERYWHERE.of(404, "Not found")
async def _no_such_route(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for path in ("/api/nothing", "/nothing", "/api/projects/", "/api", "//api/projects"):
        yield ErrorCase(None, await cast.owner.get(path))


@EVERYWHERE.of(405, "Method not allowed")
async def _wrong_method(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    by_path: dict[str, list[Route]] = {}
    for route in routes:
        by_path.setdefault(route.path, []).append(route)
    for path, there in by_path.items():
        methods = {route.method for route in there}
        url = path.format_map(dict.fromkeys(PARAMETERS, ids.new("prj")))
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - methods:
            answer = await cast.owner.call(method, url)
            allowed = {word.strip() for word in answer.headers["allow"].split(",")}
            assert allowed == methods | ({"HEAD"} if "GET" in methods else set()), path
            yield ErrorCase(None, answer)


@EVERYWHERE.of(413, "Request body too large")
async def _too_large(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    async def unannounced() -> AsyncIterator[bytes]:
        for _ in range(limits.BODY_BYTES // 65_536 + 1):
            yield b" " * 65_536

    for route in _with_body(routes):
        ask = await valid(cast, route)
        yield ErrorCase(route, await _send_raw(cast, route, ask, b" " * (limits.BODY_BYTES + 1)))
        yield ErrorCase(route, await _send_raw(cast, route, ask, unannounced()))
    bomb = gzip.compress(b" " * (limits.BODY_BYTES + 1))
    ingest = BY_NAME["ingest.send"]
    yield ErrorCase(ingest, await _send_raw(cast, ingest, await valid(cast, ingest), bomb, encoding="gzip"))


@EVERYWHERE.of(415, "Content-Type must be application/json")
async def _media_type(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in _with_body(routes):
        ask = await valid(cast, route)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
            yield ErrorCase(route, await _send_raw(cast, route, ask, b"{}", kind))


@EVERYWHERE.of(500, "Internal server error")
async def _internal_error(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """A stored secret can no longer be decrypted."""
    project = await cast.project()
    async with cast.service.runtime.database.write() as tx:
        await tx.run(update(projects).where(projects.c.id == project).values(hmac_secret_sealed="v1.AAAA"))
    route = BY_NAME["projects.get_hmac_secret"]
    yield ErrorCase(route, await cast.send(cast["owner"], route, Ask({"id": project})))


@EVERYWHERE.of(503, "Service temporarily unavailable")
async def _unavailable(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """More concurrent logins than the queue allows."""
    route = BY_NAME["auth.login"]
    with real_passwords():
        async with cast.elsewhere() as service:
            flood = [
                asyncio.ensure_future(service.http.post(route.path, json={"email": new_email(), "password": PASSWORD}))
                for _ in range(200)
            ]
            for finished in asyncio.as_completed(flood):
                answer = await finished
                if answer.status_code != 401:
                    break
            for task in flood:
                task.cancel()
            await asyncio.gather(*flood, return_exceptions=True)
            yield ErrorCase(route, answer)


@EVERYWHERE.of(503, "Not ready: {checks}")
async def _not_ready(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """The schema version differs."""
    async with cast.elsewhere() as service:
        async with service.runtime.database.write() as tx:
            await tx.run(text("UPDATE alembic_version SET version_num = '0000'"))
        yield ErrorCase(BY_NAME["operations.readyz"], await service.http.get("/readyz"))


async def _send_raw(
    cast: Cast,
    route: Route,
    ask: Ask,
    content: bytes | AsyncIterator[bytes],
    kind: str = "application/json",
    encoding: str = "identity",
) -> httpx.Response:
    """Call the route with this raw body. A refused body changes nothing, so the next one may use the same request."""
    headers = {"Content-Encoding": encoding, **({"Content-Type": kind} if kind else {})}
    return await cast.send(cast["owner"], route, ask, content=content, headers=headers)


async def _send_query(cast: Cast, route: Route, query: str) -> httpx.Response:
    """Call the route with this raw query."""
    return await cast.send(cast["owner"], route, replace(await valid(cast, route), query=query))
