"""Keys and login cookies at the edge: who is believed, and what a browser on somebody else's page cannot do."""

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
from tests.web.kit import BASE_URL, COOKIE, app_of, authenticators, caller, speaking_to

pytestmark = pytest.mark.anyio


class Who(Shape):
    name: str
    via: str


routes = Routes("small")
other_words = Routes("other", unauthorized=errors.UNAUTHORIZED)


@routes.add("GET", "/both", needs(KEY | LOGIN), name="read")
@routes.add("POST", "/both", needs(KEY | LOGIN), name="write")
@routes.add("PATCH", "/both", needs(KEY | LOGIN), name="change")
@routes.add("PUT", "/both", needs(KEY | LOGIN), name="put")
@routes.add("DELETE", "/both", needs(KEY | LOGIN), name="delete")
@routes.add("POST", "/login", needs(LOGIN), name="by_login")
@routes.add("POST", "/key", needs(KEY), name="by_key")
@routes.add("GET", "/managers", needs(KEY | LOGIN, MANAGERS), name="managers")
@other_words.add("GET", "/other", needs(KEY | LOGIN), name="other")
async def who(call: Call) -> Who:
    """Who asks."""
    return Who(name=call.caller.name, via=call.caller.auth_method)


@routes.add("GET", "/anyone", ANYONE, name="anyone")
async def anyone(call: Call) -> Who:
    """Open, and yet it asks for the caller: nobody is there."""
    return Who(name=call.caller.name, via="")


@routes.add("POST", "/door", ANYONE, name="door")
async def door(call: Call) -> Who:
    """Lets anyone in who is not sent by another page: a login form."""
    call.use(Origins).refuse_cross_site(call.request)
    return Who(name="", via="")


BY = authenticators(
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
    async with speaking_to(app_of(routes, sqlite, by=BY, tools=(BY.origins,))) as client:
        yield client


def _said(answer: httpx.Response) -> tuple[int, object]:
    return answer.status_code, answer.json()


@pytest.mark.parametrize("scheme", ["Bearer key", "bearer key", "BEARER  key", "Bearer key "])
async def test_a_key_in_the_usual_spellings(http: httpx.AsyncClient, scheme: str) -> None:
    answer = await http.post("/both", headers={"Authorization": scheme})
    assert _said(answer) == (200, {"name": "keeper", "via": "key"})


@pytest.mark.parametrize(
    "authorization",
    ["", "key", "Bearer", "Bearer ", "Bearer another", "Basic key", "Digest key", "Bearerkey", "Bearer key key"],
)
async def test_anything_else_is_no_key(http: httpx.AsyncClient, authorization: str) -> None:
    assert _said(await http.get("/both", headers={"Authorization": authorization})) == UNAUTHENTICATED


async def test_a_key_beats_a_cookie_and_a_wrong_key_is_not_made_up_for_by_one(http: httpx.AsyncClient) -> None:
    assert _said(await http.post("/both", headers={**BEARER, **LOGGED_IN})) == (200, {"name": "keeper", "via": "key"})
    wrong = {"Authorization": "Bearer another", **LOGGED_IN, "Sec-Fetch-Site": "same-origin"}
    assert _said(await http.post("/both", headers=wrong)) == UNAUTHENTICATED


async def test_each_route_takes_only_what_it_names(http: httpx.AsyncClient) -> None:
    same = {"Sec-Fetch-Site": "same-origin"}
    assert _said(await http.post("/key", headers={**LOGGED_IN, **same})) == UNAUTHENTICATED
    assert _said(await http.post("/login", headers=BEARER)) == UNAUTHENTICATED
    assert (await http.post("/login", headers={**LOGGED_IN, **same, **BEARER})).json()["via"] == "login"


async def test_a_group_may_refuse_in_other_words(sqlite: Database) -> None:
    async with speaking_to(app_of(other_words, sqlite, by=BY)) as http:
        assert _said(await http.get("/other")) == (401, {"error": "Unauthorized"})


async def test_an_open_route_knows_nobody(http: httpx.AsyncClient) -> None:
    assert _said(await http.get("/anyone", headers=BEARER)) == UNAUTHENTICATED


async def test_roles(http: httpx.AsyncClient) -> None:
    for key, status in (("key", 200), ("admin", 200), ("member", 403)):
        assert (await http.get("/managers", headers={"Authorization": f"Bearer {key}"})).status_code == status
    refused = await http.get("/managers", headers={"Cookie": f"{COOKIE}=member"})
    assert _said(refused) == FORBIDDEN
    assert _said(await http.get("/managers")) == UNAUTHENTICATED


@pytest.mark.parametrize(
    "cookie",
    [
        f"{COOKIE}=token",
        f"a=b; {COOKIE}=token",
        f"a=b;{COOKIE}=token;c=d",
        f" ; {COOKIE}=token; ",
    ],
)
async def test_the_cookie_is_found_among_others(http: httpx.AsyncClient, cookie: str) -> None:
    assert (await http.get("/both", headers={"Cookie": cookie})).status_code == 200


@pytest.mark.parametrize(
    "cookie",
    [f"{COOKIE}=", COOKIE, f"{COOKIE}=another", f"x{COOKIE}=token", f"a={COOKIE}=token", f"{COOKIE.upper()}=token"],
)
async def test_other_cookies_are_no_login(http: httpx.AsyncClient, cookie: str) -> None:
    assert _said(await http.get("/both", headers={"Cookie": cookie})) == UNAUTHENTICATED


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
async def test_our_own_pages_may_write(http: httpx.AsyncClient, method: str, headers: dict[str, str]) -> None:
    answer = await http.request(method, "/both", headers={**LOGGED_IN, **headers})
    assert _said(answer) == (200, {"name": "browser", "via": "login"})


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
async def test_other_pages_may_not_write_by_the_cookie(
    http: httpx.AsyncClient, method: str, headers: dict[str, str]
) -> None:
    assert _said(await http.request(method, "/both", headers={**LOGGED_IN, **headers})) == CROSS_SITE


async def test_reading_needs_no_origin(http: httpx.AsyncClient) -> None:
    for headers in ({}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example.com"}):
        assert (await http.get("/both", headers={**LOGGED_IN, **headers})).status_code == 200
        assert (await http.head("/both", headers={**LOGGED_IN, **headers})).status_code == 200


async def test_an_unknown_cookie_is_nobody_wherever_it_comes_from(http: httpx.AsyncClient) -> None:
    for site in ("cross-site", "same-origin"):
        headers = {"Cookie": f"{COOKIE}=another", "Sec-Fetch-Site": site}
        assert _said(await http.post("/both", headers=headers)) == UNAUTHENTICATED


async def test_a_key_needs_no_origin(http: httpx.AsyncClient) -> None:
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
async def test_a_login_form_on_somebody_elses_page(
    http: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    """It cannot sign a browser in; a program, which names no origin, can."""
    answer = await http.post("/door", headers=headers)
    assert answer.status_code == status
    if status == 403:
        assert _said(answer) == CROSS_SITE


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
async def test_the_origins_of_our_own_pages_as_browsers_write_them(base_url: str, origins: set[str]) -> None:
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
async def test_the_cookie_is_bound_to_https_everywhere_but_on_this_machine(base_url: str, name: str) -> None:
    assert LoginCookie(base_url).name == name
