"""How the refusals that hold everywhere are brought about, for real.

A provocation is given the built routes its rows are about and yields, for each one it can provoke, the answer and,
where the wording is free, the field it must name.
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
from loremark.web.needs import LOGIN
from loremark.web.routes import Route
from tests.contract.cast import Ask, Cast, new_email
from tests.contract.contract import load
from tests.contract.examples import BY_NAME, examples_of
from tests.support.service import PASSWORD


class Provoked(NamedTuple):
    route: Route | None
    answer: httpx.Response
    names: str = ""


Provocation = Callable[[Cast, list[Route]], AsyncIterator[Provoked]]


class Provocations(dict[tuple[int, str], Provocation]):
    """By status and text; by status and cause where the wording is free."""

    def of(self, status: int, text_or_cause: str) -> Callable[[Provocation], Provocation]:
        def keep(provocation: Provocation) -> Provocation:
            self[status, text_or_cause] = provocation
            return provocation

        return keep


EVERYWHERE = Provocations()
PARAMETERS = ("id", "memberId", "deliveryId", "projectId")


async def valid(cast: Cast, route: Route) -> Ask:
    return await examples_of(route)[0](cast, cast["owner"])


def _guarded(routes: list[Route]) -> list[Route]:
    return [route for route in routes if route.needs.credentials is not None]


def _with_body(routes: list[Route]) -> list[Route]:
    """Those that read a body: as a shape, or by themselves."""
    return [route for route in routes if route.body is not None or route.reads is not None]


@EVERYWHERE.of(401, "Invalid or missing authentication credentials")
async def _unauthenticated(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
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
            yield Provoked(route, await cast.send(cast["anonymous"], route, ask, headers=headers))


@EVERYWHERE.of(429, "Rate limit exceeded. Please retry after {n} seconds.")
async def _rate_limited(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        async with cast.elsewhere(LOREMARK_RATE_LIMIT_PER_MINUTE="1") as service:
            await service.http.get("/api/projects")
            for route in [route for route in routes if route.counted]:
                path = route.path.format_map(dict.fromkeys(PARAMETERS, ids.new("prj")))
                yield Provoked(route, await service.http.request(route.method, path))
            yield Provoked(None, await service.http.get("/nowhere"))


def _can_be_wrong(route: Route, name: str) -> bool:
    """A bad ticket is refused in other words; and a field of any kind is read as far as it says something."""
    if name == "ticket" and route.needs.by_ticket:
        return False
    known = msgspec.structs.fields(route.body) if route.body is not None else ()
    kinds = [kind for field in known if field.encode_name == name for kind in (field.type, *get_args(field.type))]
    return Any not in kinds


@EVERYWHERE.of(400, "a field is missing, too long, out of range or of the wrong kind; one sentence naming it")
async def _invalid_field(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in _with_body(routes):
        ask = await valid(cast, route)
        for name in [name for name in ask.json if _can_be_wrong(route, name)]:
            kind: Any = 7 if isinstance(ask.json[name], dict) else {"of": "the wrong kind"}
            wrong = replace(ask, json={**ask.json, name: kind})
            yield Provoked(route, await cast.send(cast["owner"], route, wrong), name)
            if not route.body_optional and len(ask.json) == 1:
                yield Provoked(route, await cast.send(cast["owner"], route, replace(ask, json={})), name)
    for route in routes:
        if route.query is not None and "limit" in route.query.__struct_fields__:
            ask = await valid(cast, route)
            query = f"{ask.query}&limit=0" if ask.query else "?limit=0"
            yield Provoked(route, await cast.send(cast["owner"], route, replace(ask, query=query)), "limit")


@EVERYWHERE.of(400, "Request body is not valid JSON")
async def _malformed_json(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in _with_body(routes):
        for content in (b'{"name": ', b"\xff\xfe", b'{"x": NaN}', b'{"x":' * 100_000):
            yield Provoked(route, await _send_raw(cast, route, content))


@EVERYWHERE.of(400, "Request body is incomplete")
async def _incomplete(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    """The client goes away in the middle of it."""
    for route in _with_body(routes):
        yield Provoked(route, await cast.break_off(cast["owner"], route, await valid(cast, route)))


@EVERYWHERE.of(400, "Request body must be a JSON object")
async def _no_object(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in _with_body(routes):
        for content in (b"[]", b'"text"', b"null", *([] if route.body_optional else [b""])):
            yield Provoked(route, await _send_raw(cast, route, content))


@EVERYWHERE.of(400, "Text must not contain NUL characters")
async def _nul(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in _with_body(routes):
        body = {**(await valid(cast, route)).json, "name": "a\0b"}
        yield Provoked(route, await _send_raw(cast, route, json.dumps(body).encode()))
    for route in routes:
        if route.query is not None:
            yield Provoked(route, await _send_query(cast, route, "?cursor=a%00b"))


@EVERYWHERE.of(403, "Forbidden")
async def _forbidden(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    """What is for owners and admins, by a plain member of the project."""
    for route in routes:
        if load().endpoint(route.name).roles:
            yield Provoked(route, await cast.send(cast["assigned"], route, await valid(cast, route)))
    whole_team = Ask(query="?include=team")
    yield Provoked(BY_NAME["keys.list"], await cast.send(cast["assigned"], BY_NAME["keys.list"], whole_team))


@EVERYWHERE.of(403, "Cross-site request refused")
async def _cross_site(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    foreign = ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"})
    for route in [route for route in routes if route.method != "GET"]:
        accepted = route.needs.credentials
        if accepted is not None and LOGIN not in accepted:
            continue
        ask = await valid(cast, route)
        cookie = {"Cookie": f"loremark_login={ask.login or cast['owner'].login}"}
        for headers in (*foreign, {}) if accepted else foreign:
            bare = replace(ask, login="")
            yield Provoked(route, await cast.send(cast["anonymous"], route, bare, headers={**cookie, **headers}))


@EVERYWHERE.of(404, "Not found")
async def _no_such_route(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for path in ("/api/nothing", "/nothing", "/api/projects/", "/api", "//api/projects"):
        yield Provoked(None, await cast.owner.get(path))


@EVERYWHERE.of(405, "Method not allowed")
async def _wrong_method(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
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
            yield Provoked(None, answer)


@EVERYWHERE.of(413, "Request body too large")
async def _too_large(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    async def unannounced() -> AsyncIterator[bytes]:
        for _ in range(limits.BODY_BYTES // 65_536 + 1):
            yield b" " * 65_536

    for route in _with_body(routes):
        yield Provoked(route, await _send_raw(cast, route, b" " * (limits.BODY_BYTES + 1)))
        yield Provoked(route, await _send_raw(cast, route, unannounced()))
    bomb = gzip.compress(b" " * (limits.BODY_BYTES + 1))
    ingest = BY_NAME["ingest.send"]
    yield Provoked(ingest, await _send_raw(cast, ingest, bomb, encoding="gzip"))


@EVERYWHERE.of(415, "Content-Type must be application/json")
async def _media_type(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in _with_body(routes):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
            yield Provoked(route, await _send_raw(cast, route, b"{}", kind))


@EVERYWHERE.of(500, "Internal server error")
async def _fault_of_ours(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    """A stored secret that does not open any more."""
    project = await cast.project()
    async with cast.service.house.database.write() as tx:
        await tx.run(update(projects).where(projects.c.id == project).values(hmac_secret_sealed="v1.AAAA"))
    route = BY_NAME["projects.get_hmac_secret"]
    yield Provoked(route, await cast.send(cast["owner"], route, Ask({"id": project})))


@EVERYWHERE.of(503, "Service temporarily unavailable")
async def _unavailable(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    """More log-ins at once than will be queued."""
    route = BY_NAME["auth.login"]
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
        yield Provoked(route, answer)


@EVERYWHERE.of(503, "Not ready: {checks}")
async def _not_ready(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    """The schema of another version."""
    async with cast.elsewhere() as service:
        async with service.house.database.write() as tx:
            await tx.run(text("UPDATE alembic_version SET version_num = '0000'"))
        yield Provoked(BY_NAME["operations.readyz"], await service.http.get("/readyz"))


async def _send_raw(
    cast: Cast,
    route: Route,
    content: bytes | AsyncIterator[bytes],
    kind: str = "application/json",
    encoding: str = "identity",
) -> httpx.Response:
    """A call of the route with this very body."""
    ask = await valid(cast, route)
    headers = {"Content-Encoding": encoding, **({"Content-Type": kind} if kind else {})}
    return await cast.send(cast["owner"], route, ask, content=content, headers=headers)


async def _send_query(cast: Cast, route: Route, query: str) -> httpx.Response:
    """A call of the route with this very query."""
    return await cast.send(cast["owner"], route, replace(await valid(cast, route), query=query))
