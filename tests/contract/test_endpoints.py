"""Every implemented endpoint is declared and answers as in the contract."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from loremark.entry.application import ROUTES
from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.contract import Endpoint, load
from tests.contract.examples import BY_NAME, UNIMPLEMENTED_ERRORS, examples_of
from tests.contract.response_checks import body_faults, header_faults

pytestmark = pytest.mark.anyio

CONTRACT = load()
BUILT = [endpoint for endpoint in CONTRACT.endpoints if endpoint.name in BY_NAME]
WITH_BODY = [endpoint for endpoint in BUILT if endpoint.request]
EXPECTED_MISSING = Path(__file__).parent / "expected_missing.txt"


def test_unimplemented_endpoints_are_listed() -> None:
    """Remove an endpoint from the list when it is implemented."""
    missing = [endpoint.name for endpoint in CONTRACT.endpoints if endpoint.name not in BY_NAME]
    assert EXPECTED_MISSING.read_text(encoding="utf-8").split() == missing


def test_every_api_route_is_in_the_contract() -> None:
    known = {endpoint.name for endpoint in CONTRACT.endpoints}
    pages = {"dashboard", "billing_pages"}
    assert [route.name for route in ROUTES if route.name not in known and route.group not in pages] == []
    assert [route.name for route in ROUTES if route.path.startswith("/api") and route.name not in known] == []


@pytest.mark.parametrize("endpoint", BUILT, ids=lambda endpoint: endpoint.name)
def test_route_declaration_matches_the_contract(endpoint: Endpoint) -> None:
    route = BY_NAME[endpoint.name]
    path = endpoint.path if endpoint.base == "api" else f"/worker{endpoint.path}"
    assert (route.method, route.path, route.status) == (endpoint.method, path, endpoint.status)
    assert not route.in_openapi or route.content_type == endpoint.content_type
    assert _accepted(route) == set(endpoint.auth)
    if route.needs.roles is not None:
        assert route.needs.roles == set(endpoint.roles)
    assert _fields(route.body or route.raw_body) == dict(endpoint.request)
    assert _fields(route.query) == dict(endpoint.query)
    defaults = {**_defaults(route.body or route.raw_body), **_defaults(route.query)}
    assert {name: defaults[name] for name in endpoint.defaults} == dict(endpoint.defaults)


def _accepted(route: Route) -> set[str]:
    ways = {"bearer": route.needs.by_key, "cookie": route.needs.by_login, "hmac": route.needs.by_signature}
    ways["ticket"] = route.needs.by_ticket
    return {name for name, taken in ways.items() if taken}


def _fields(kind: type[Any] | None) -> dict[str, str]:
    if kind is None:
        return {}
    return {field.encode_name: "required" if field.required else "optional" for field in msgspec.structs.fields(kind)}


def _defaults(kind: type[Any] | None) -> dict[str, Any]:
    return {} if kind is None else {field.encode_name: field.default for field in msgspec.structs.fields(kind)}


@pytest.mark.parametrize("endpoint", BUILT, ids=lambda endpoint: endpoint.name)
def test_declared_errors_match_the_contract(endpoint: Endpoint) -> None:
    """The errors a route declares (as shown in OpenAPI) are exactly the contract's rows for it."""
    route = BY_NAME[endpoint.name]
    everywhere = {(row.status, row.text) for row in CONTRACT.errors if "any" in row.where}
    rows = [row for row in CONTRACT.errors if endpoint.name in row.where and row.status >= 400]
    own = {(row.status, row.text) for row in rows} - everywhere
    own -= {(status, text) for name, status, text in UNIMPLEMENTED_ERRORS if name == endpoint.name}
    always = (route.unauthorized, route.rate_limited)
    declared = {(kind.status, kind.text.replace("{seconds}", "{n}")) for kind in (*always, *route.errors)} - everywhere
    if route.group == "operations":
        return  # they declare no errors; 503 of readyz has its own error case
    assert declared == own


@pytest.mark.parametrize("endpoint", BUILT, ids=lambda endpoint: endpoint.name)
async def test_response_keys_match_the_contract(cast: Cast, endpoint: Endpoint) -> None:
    """Called with each accepted credential; every form of the body must occur."""
    route = BY_NAME[endpoint.name]
    faults: list[str] = []
    forms: set[frozenset[str]] = set()
    for example in examples_of(route):
        for credential in endpoint.auth or ("none",):
            ask = await example(cast, cast["owner"])
            actor = cast["anonymous" if credential == "none" else "owner"]
            answer = await cast.send(actor, route, ask, by_login=credential == "cookie")
            assert answer.status_code == endpoint.status, (credential, answer.text)
            faults += header_faults(answer, route)
            if endpoint.status == 204:
                assert answer.content == b""
                assert "content-type" not in answer.headers
                continue
            assert answer.headers["content-type"].partition(";")[0] == endpoint.content_type
            if endpoint.keys_from != "open":
                body = answer.json()
                faults += body_faults(CONTRACT, endpoint, body)
                forms |= {frozenset(entry) for entry in (body if endpoint.array else [body])}
    assert faults == []
    if endpoint.keys_from != "open" and endpoint.status != 204:
        assert forms, "no entry was returned"
        assert {key for form in forms for key in form} == set(CONTRACT.types_of(endpoint.name))
        assert not endpoint.alternatives or forms == {frozenset(form) for form in endpoint.alternatives}


@pytest.mark.parametrize("endpoint", [endpoint for endpoint in BUILT if endpoint.auth == ("cookie",)], ids=str)
async def test_key_is_not_a_login(cast: Cast, endpoint: Endpoint) -> None:
    route = BY_NAME[endpoint.name]
    ask = await examples_of(route)[0](cast, cast["owner"])
    answer = await cast.send(cast["owner"], route, ask, by_login=False)
    assert (answer.status_code, answer.json()) == (401, {"error": "Invalid or missing authentication credentials"})


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=lambda endpoint: endpoint.name)
async def test_unknown_request_fields_are_ignored(cast: Cast, endpoint: Endpoint) -> None:
    route = BY_NAME[endpoint.name]
    ask = await examples_of(route)[0](cast, cast["owner"])
    ask.json["somethingNew"] = {"of": ["a", "later", "version"]}
    answer = await cast.send(cast["owner"], route, ask)
    assert answer.status_code == endpoint.status, answer.text


async def test_login_cookie_matches_the_contract(cast: Cast) -> None:
    row = next(header for header in CONTRACT.headers if header.name == "Set-Cookie")
    for endpoint in BUILT:
        route = BY_NAME[endpoint.name]
        answer = await cast.send(cast["owner"], route, await examples_of(route)[0](cast, cast["owner"]))
        cookie = answer.headers.get("set-cookie", "")
        assert bool(cookie) == (endpoint.name in row.where), endpoint.name
        if cookie:
            words = set(cookie.split("; ")[1:])
            assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= words
            assert "Secure" not in words, "plain HTTP on loopback"
    public = {"LOREMARK_BASE_URL": "https://loremark.example.com", "LOREMARK_REGISTRATION": "open"}
    async with cast.elsewhere(**public) as service:
        body = {"email": "first@example.com", "password": "correct horse battery", "name": "First"}
        made = await service.http.post("/api/auth/register", json=body)
    assert re.match(r"__Host-loremark_login=\S+; .*; Secure$", made.headers["set-cookie"])


async def test_etags_match_the_contract(cast: Cast) -> None:
    """Updates accept ``If-Match``, and every change gives a new ETag."""
    tagged = {name for header in CONTRACT.headers if header.name == "ETag" for name in header.where}
    for endpoint in BUILT:
        route = BY_NAME[endpoint.name]
        answer = await cast.send(cast["owner"], route, await examples_of(route)[0](cast, cast["owner"]))
        assert bool(answer.headers.get("etag")) == (endpoint.name in tagged), endpoint.name
    get, update = BY_NAME["sessions.get"], BY_NAME["sessions.update"]
    ask = await examples_of(update)[0](cast, cast["owner"])
    before = (await cast.send(cast["owner"], get, ask)).headers["etag"]
    changed = await cast.send(cast["owner"], update, ask, headers={"If-Match": before})
    assert changed.status_code == 200
    assert changed.headers["etag"] == (await cast.send(cast["owner"], get, ask)).headers["etag"] != before


async def test_live_events_match_the_contract(cast: Cast) -> None:
    answer = await cast.send(cast["owner"], BY_NAME["live.stream"])
    assert answer.content.startswith(b"data: ")
    first = msgspec.json.decode(answer.content.removeprefix(b"data: ").strip())
    ready = next(event for event in CONTRACT.events("live") if event.name == "ready")
    assert first["type"] == ready.name
    assert set(first) == {"type", *ready.fields}
