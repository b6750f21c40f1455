"""API keys and login cookies: authentication, roles, and protection against cross-site requests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from loremark.base import errors
from loremark.base.caller import ADMIN, MANAGERS, MEMBER, AuthMethod
from loremark.features.identity.cookies import LoginCookie, own_origins
from loremark.storage.database import Database
from loremark.web.authentication import ANYONE, KEY, LOGIN, Origins, needs
from loremark.web.call import Call
from loremark.web.routes import Routes
from loremark.wire.shapes import Shape
from tests.web.kit import BASE_URL, COOKIE, authenticators, caller, client_for, make_app

pytestmark = pytest.mark.anyio


class Identity(Shape):
    name: str
    via: str


routes = Routes("small")
other_routes = Routes("other", unauthorized=errors.UNAUTHORIZED)


@routes.add("GET", "/both", needs(KEY | LOGIN, "read"), name="read")
@routes.add("POST", "/both", needs(KEY | LOGIN, "read"), name="write")
@routes.add("PATCH", "/both", needs(KEY | LOGIN, "read"), name="change")
@routes.add("PUT", "/both", needs(KEY | LOGIN, "read"), name="put")
@routes.add("DELETE", "/both", needs(KEY | LOGIN, "read"), name="delete")
@routes.add("POST", "/login", needs(LOGIN), name="by_login")
@routes.add("POST", "/key", needs(KEY, "read"), name="by_key")
@routes.add("GET", "/managers", needs(KEY | LOGIN, "read", roles=MANAGERS), name="managers")
@other_routes.add("GET", "/other", needs(KEY | LOGIN, "read"), name="other")
async def whoami(call: Call) -> Identity:
    """The caller."""
    return Identity(name=call.caller.name, via=call.caller.auth_method)


@routes.add("GET", "/anyone", ANYONE, name="anyone")
async def anyone(call: Call) -> Identity:
    """Public, yet reads the caller, which does not exist."""
    return Identity(name=call.caller.name, via="")


@routes.add("POST", "/door", ANYONE, name="door")
async def login_form(call: Call) -> Identity:
    """A login form: accepts anyone, but no cross-site requests."""
    call.use(Origins).refuse_cross_site(call.request)
    return Identity(name="", via="")


AUTH = authenticators(
    keys={
        "key": caller("keeper", AuthMethod.KEY),
        "admin": caller("admin", AuthMethod.KEY, ADMIN),
        "member": caller("m", AuthMethod.KEY, MEMBER),
    },
    logins={"token": caller("browser", AuthMethod.LOGIN), "member": caller("m", AuthMethod.LOGIN, MEMBER)},
    origins=own_origins(BASE_URL),
)
LOGGED_IN = {"Cookie": f"{COOKIE}=token"}
BEARER = {"Authorization": "Bearer key"}
UNAUTHENTICATED = (401, {"error": "Invalid or missing authentication credentials"})
CROSS_SITE = (403, {"error": "Cross-site request refused"})
FORBIDDEN = (403, {"error": "Forbidden"})


@pytest.fixture
async def http(sqlite: Database) -> AsyncIterator[httpx.AsyncClient]:
    async with client_for(make_app(routes, sqlite, auth=AUTH, services=(AUTH.origins,))) as client:
        yield client


def _result(response: httpx.Response) -> tuple[int, object]:
    return response.status_code, response.json()


@pytest.mark.parametrize("scheme", ["Bearer key", "bearer key", "BEARER  key", "Bearer key "])
async def test_key_in_the_usual_spellings(http: httpx.AsyncClient, scheme: str) -> None:
    response = await http.post("/both", headers={"Authorization": scheme})
    assert _result(response) == (200, {"name": "keeper", "via": "key"})


@pytest.mark.parametrize(
    "authorization",
    ["", "key", "Bearer", "Bearer ", "Bearer another", "Basic key", "Digest key", "Bearerkey", "Bearer key key"],
)
async def test_malformed_authorization_is_rejected(http: httpx.AsyncClient, authorization: str) -> None:
    assert _result(await http.get("/both", headers={"Authorization": authorization})) == UNAUTHENTICATED


async def test_key_takes_precedence_over_cookie_even_when_invalid(http: httpx.AsyncClient) -> None:
    assert _result(await http.post("/both", headers={**BEARER, **LOGGED_IN})) == (200, {"name": "keeper", "via": "key"})
    wrong = {"Authorization": "Bearer another", **LOGGED_IN, "Sec-Fetch-Site": "same-origin"}
    assert _result(await http.post("/both", headers=wrong)) == UNAUTHENTICATED


async def test_routes_accept_only_their_declared_credentials(http: httpx.AsyncClient) -> None:
    same_origin = {"Sec-Fetch-Site": "same-origin"}
    assert _result(await http.post("/key", headers={**LOGGED_IN, **same_origin})) == UNAUTHENTICATED
    assert _result(await http.post("/login", headers=BEARER)) == UNAUTHENTICATED
    assert (await http.post("/login", headers={**LOGGED_IN, **same_origin, **BEARER})).json()["via"] == "login"


async def test_group_may_define_its_own_unauthorized_error(sqlite: Database) -> None:
    async with client_for(make_app(other_routes, sqlite, auth=AUTH)) as http:
        assert _result(await http.get("/other")) == (401, {"error": "Unauthorized"})


async def test_public_route_has_no_caller(http: httpx.AsyncClient) -> None:
    assert _result(await http.get("/anyone", headers=BEARER)) == UNAUTHENTICATED


async def test_roles(http: httpx.AsyncClient) -> None:
    for key, status in (("key", 200), ("admin", 200), ("member", 403)):
        assert (await http.get("/managers", headers={"Authorization": f"Bearer {key}"})).status_code == status
    refused = await http.get("/managers", headers={"Cookie": f"{COOKIE}=member"})
    assert _result(refused) == FORBIDDEN
    assert _result(await http.get("/managers")) == UNAUTHENTICATED


@pytest.mark.parametrize(
    "cookie",
    [
        f"{COOKIE}=token",
        f"a=b; {COOKIE}=token",
        f"a=b;{COOKIE}=token;c=d",
        f" ; {COOKIE}=token; ",
    ],
)
async def test_login_cookie_is_found_among_others(http: httpx.AsyncClient, cookie: str) -> None:
    assert (await http.get("/both", headers={"Cookie": cookie})).status_code == 200


@pytest.mark.parametrize(
    "cookie",
    [f"{COOKIE}=", COOKIE, f"{COOKIE}=another", f"x{COOKIE}=token", f"a={COOKIE}=token", f"{COOKIE.upper()}=token"],
)
async def test_other_cookies_are_not_a_login(http: httpx.AsyncClient, cookie: str) -> None:
    assert _result(await http.get("/both", headers={"Cookie": cookie})) == UNAUTHENTICATED


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example.com"},
        {"Origin": BASE_URL},
        {"Origin": "http://localhost:8000"},
        {"Origin": "http://[::1]:8000"},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
async def test_same_origin_pages_may_write(http: httpx.AsyncClient, method: str, headers: dict[str, str]) -> None:
    response = await http.request(method, "/both", headers={**LOGGED_IN, **headers})
    assert _result(response) == (200, {"name": "browser", "via": "login"})


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": ""},
        {"Sec-Fetch-Site": "cross-site", "Origin": BASE_URL},
        {"Origin": "https://evil.example.com"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:8001"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Origin": BASE_URL + ".evil.example.com"},
        {"Origin": BASE_URL.upper()},
        {"Referer": BASE_URL + "/"},
        {"Host": "evil.example.com", "Origin": "http://evil.example.com"},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
async def test_cross_site_pages_may_not_write_with_the_cookie(
    http: httpx.AsyncClient, method: str, headers: dict[str, str]
) -> None:
    assert _result(await http.request(method, "/both", headers={**LOGGED_IN, **headers})) == CROSS_SITE


async def test_reading_needs_no_origin(http: httpx.AsyncClient) -> None:
    for headers in ({}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example.com"}):
        assert (await http.get("/both", headers={**LOGGED_IN, **headers})).status_code == 200
        assert (await http.head("/both", headers={**LOGGED_IN, **headers})).status_code == 200


async def test_unknown_cookie_is_unauthenticated_from_any_site(http: httpx.AsyncClient) -> None:
    for site in ("cross-site", "same-origin"):
        headers = {"Cookie": f"{COOKIE}=another", "Sec-Fetch-Site": site}
        assert _result(await http.post("/both", headers=headers)) == UNAUTHENTICATED


async def test_key_needs_no_origin(http: httpx.AsyncClient) -> None:
    assert (await http.post("/both", headers={**BEARER, "Origin": "https://elsewhere.example.com"})).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": BASE_URL}, 403),
        ({"Origin": BASE_URL}, 200),
        ({"Origin": "http://localhost:8000"}, 200),
        ({"Origin": "https://evil.example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
    ],
    ids=str,
)
async def test_cross_site_login_form(http: httpx.AsyncClient, headers: dict[str, str], status: int) -> None:
    """It cannot log a browser in; a program, which sends no origin, can log in."""
    response = await http.post("/door", headers=headers)
    assert response.status_code == status
    if status == 403:
        assert _result(response) == CROSS_SITE


@pytest.mark.parametrize(
    ("base_url", "origins"),
    [
        ("http://127.0.0.1:8000", {"http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"}),
        ("http://localhost", {"http://127.0.0.1", "http://localhost", "http://[::1]"}),
        ("https://loremark.example.com", {"https://loremark.example.com"}),
        ("https://loremark.example.com:8443", {"https://loremark.example.com:8443"}),
        ("https://loremark.example.com/sub/path", {"https://loremark.example.com"}),
        ("https://Loremark.Example.com", {"https://loremark.example.com"}),
        ("https://loremark.example.com:443", {"https://loremark.example.com"}),
        ("http://[2001:db8::1]:8000", {"http://[2001:db8::1]:8000"}),
    ],
)
async def test_own_origins_match_what_browsers_send(base_url: str, origins: set[str]) -> None:
    assert own_origins(base_url) == origins


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("https://loremark.example.com", "__Host-loremark_login"),
        ("http://loremark.internal:8000", "__Host-loremark_login"),
        ("https://127.0.0.1:8000", "__Host-loremark_login"),
        ("http://127.0.0.1:8000", "loremark_login"),
        ("http://localhost:8000", "loremark_login"),
        ("http://[::1]:8000", "loremark_login"),
    ],
)
async def test_cookie_requires_https_except_on_localhost(base_url: str, name: str) -> None:
    assert LoginCookie(base_url).name == name
