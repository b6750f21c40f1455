"""Accounts and logins: who may register, how somebody proves who they are, and how long that holds."""

from __future__ import annotations

import asyncio
import statistics
import time

import pytest
from sqlalchemy import select

from loremark.base import clock
from loremark.base.clock import DAY_MS, MINUTE_MS
from loremark.features.identity import store as people
from loremark.storage.tables import teams, users
from tests.features.world import (
    REFUSED_LOGIN,
    UNAUTHENTICATED,
    accept,
    cookies_of,
    log_in,
    register,
    told,
)
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

ON_SQLITE = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)  # for what no database has a part in
BY_INVITATION = (403, {"error": "Registration is by invitation only"})
TAKEN = (409, {"error": "An account with this e-mail already exists"})


async def _count_accounts(service: Service) -> tuple[int, int]:
    async with service.house.database.read() as tx:
        return len(await tx.many(select(users.c.id))), len(await tx.many(select(teams.c.id)))


async def test_the_first_account_is_free_and_later_ones_need_an_invitation(service: Service) -> None:
    first = await register(service, "Rita@Example.com", teamName="Rivers")
    me = first.json()
    assert first.status_code == 201
    assert {name: me[name] for name in ("name", "email", "role", "teamName", "plan", "via")} == {
        "name": "Rita",
        "email": "Rita@Example.com",
        "role": "owner",
        "teamName": "Rivers",
        "plan": "team",
        "via": "login",
    }
    assert me["teams"] == [{"id": me["teamId"], "name": "Rivers"}]

    assert told(await register(service, "sam@example.com")) == BY_INVITATION
    assert told(await register(service, "rita@example.com")) == BY_INVITATION  # an address is not told to exist
    assert await _count_accounts(service) == (1, 1)


async def test_two_first_registrations_at_once_give_exactly_one_account(service: Service) -> None:
    answers = await asyncio.gather(*(register(service, f"first{number}@example.com") for number in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, 403, 403, 403, 403, 403]
    assert [told(answer) for answer in answers if answer.status_code == 403] == [BY_INVITATION] * 5
    assert await _count_accounts(service) == (1, 1)


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_an_open_installation_takes_everyone_once(service: Service) -> None:
    assert (await register(service, "one@example.com")).status_code == 201
    assert (await register(service, "two@example.com")).json()["teamName"] == "Rita's team"
    assert told(await register(service, "ONE@Example.com")) == TAKEN
    racing = await asyncio.gather(*(register(service, name) for name in ("me@x.org", "ME@X.org", "Me@x.ORG")))
    assert sorted(answer.status_code for answer in racing) == [201, 409, 409]
    assert await _count_accounts(service) == (3, 3)

    for field, value in (("email", "no address"), ("password", "short"), ("name", " "), ("teamName", "")):
        refused = await register(service, **{"email": "three@example.com", field: value})
        assert refused.status_code == 400
        assert refused.json()["error"].startswith(f"{field} ")


@pytest.mark.settings(LOREMARK_REGISTRATION="closed")
async def test_a_closed_installation_takes_nobody(service: Service) -> None:
    assert told(await register(service, "one@example.com")) == (403, {"error": "Registration is closed"})
    assert await _count_accounts(service) == (0, 0)


async def test_login_refuses_the_wrong_and_the_unknown_alike(service: Service) -> None:
    await register(service, "rita@example.com")
    right = await log_in(service, "RITA@example.com")
    assert (right.status_code, right.json()["email"]) == (200, "rita@example.com")

    async def seconds(email: str) -> float:
        started = time.perf_counter()
        assert told(await log_in(service, email, "not the password")) == REFUSED_LOGIN
        return time.perf_counter() - started

    wrong, unknown = [], []
    for number in range(5):
        wrong.append(await seconds("rita@example.com"))
        unknown.append(await seconds(f"nobody{number}@example.com"))
    # An unknown address that skipped the hash would answer some twenty times sooner.
    assert min(unknown) > 0.5 * min(wrong)
    assert statistics.median(wrong) > 0.3 * statistics.median(unknown)


@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=3/minute", LOREMARK_TRUSTED_PROXIES="127.0.0.1/32")
async def test_login_is_throttled_per_account_and_per_address(service: Service) -> None:
    await register(service, "rita@example.com")
    start_ms = clock.now_ms() // MINUTE_MS * MINUTE_MS + MINUTE_MS

    def from_address(address: str) -> dict[str, str]:
        return {"X-Forwarded-For": address}

    with clock.use(lambda: start_ms + 17_000):
        for number in range(3):  # one account from many addresses
            answer = await log_in(service, "rita@example.com", "guess", headers=from_address(f"203.0.113.{number}"))
            assert told(answer) == REFUSED_LOGIN
        answer = await log_in(service, "RITA@example.com", headers=from_address("203.0.113.99"))
        assert told(answer) == (429, {"error": "Rate limit exceeded. Please retry after 43 seconds."})
        assert answer.headers["retry-after"] == "43"

        for number in range(3):  # one address against many accounts
            answer = await log_in(service, f"nobody{number}@example.com", headers=from_address("198.51.100.7"))
            assert told(answer) == REFUSED_LOGIN
        answer = await log_in(service, "nobody9@example.com", headers=from_address("198.51.100.7"))
        assert told(answer) == (429, {"error": "Rate limit exceeded. Please retry after 43 seconds."})

    with clock.use(lambda: start_ms + MINUTE_MS):
        assert (await log_in(service, "rita@example.com", headers=from_address("203.0.113.1"))).status_code == 200


@ON_SQLITE
@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=3/minute", LOREMARK_TRUSTED_PROXIES="127.0.0.1/32")
async def test_an_ipv6_host_cannot_dodge_the_address_limit_within_its_own_network(service: Service) -> None:
    start_ms = clock.now_ms() // MINUTE_MS * MINUTE_MS + MINUTE_MS
    with clock.use(lambda: start_ms):
        answers = [
            await log_in(service, f"nobody{number}@example.com", headers={"X-Forwarded-For": f"2001:db8::{number}"})
            for number in range(1, 5)
        ]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]


@ON_SQLITE
@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=3/minute")
async def test_an_untrusted_peer_cannot_invent_its_address(service: Service) -> None:
    start_ms = clock.now_ms() // MINUTE_MS * MINUTE_MS + MINUTE_MS
    with clock.use(lambda: start_ms):
        answers = [
            await log_in(service, f"nobody{number}@example.com", headers={"X-Forwarded-For": f"203.0.113.{number}"})
            for number in range(4)
        ]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]


@ON_SQLITE
async def test_the_cookie_on_this_machine_over_plain_http(service: Service) -> None:
    answer = await register(service, "rita@example.com")
    value, *attributes = answer.headers["set-cookie"].split("; ")
    assert value.startswith("loremark_login=")
    assert sorted(attributes) == ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]


@ON_SQLITE
@pytest.mark.settings(LOREMARK_BASE_URL="https://loremark.example.com")
async def test_the_cookie_under_an_https_address(service: Service) -> None:
    answer = await register(service, "rita@example.com")
    value, *attributes = answer.headers["set-cookie"].split("; ")
    assert value.startswith("__Host-loremark_login=")
    assert sorted(attributes) == ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"]
    assert answer.headers["strict-transport-security"].startswith("max-age=")

    token = value.partition("=")[2]
    assert (await service.browser_call("GET", "/api/auth/me", {"__Host-loremark_login": token})).status_code == 200
    assert told(await service.browser_call("GET", "/api/auth/me", {"loremark_login": token})) == UNAUTHENTICATED
    cookie = {"Cookie": f"__Host-loremark_login={token}"}
    for origin, status in (
        ("https://loremark.example.com", 201),
        ("http://loremark.example.com", 403),
        ("https://loremark.example.com.evil.org", 403),
        ("null", 403),
    ):
        made = await service.http.post("/api/keys", json={"name": "k"}, headers={**cookie, "Origin": origin})
        assert made.status_code == status, origin
    bare = await service.http.post("/api/keys", json={"name": "k"}, headers=cookie)
    assert told(bare) == (403, {"error": "Cross-site request refused"})


async def test_a_login_lasts_thirty_days(service: Service) -> None:
    rita = cookies_of(service, await register(service, "rita@example.com"))
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms + 30 * DAY_MS - 60_000):
        assert (await service.browser_call("GET", "/api/auth/me", rita)).status_code == 200
    with clock.use(lambda: now_ms + 31 * DAY_MS):
        assert told(await service.browser_call("GET", "/api/auth/me", rita)) == UNAUTHENTICATED
        assert told(await service.browser_call("POST", "/api/keys", rita, json={"name": "k"})) == UNAUTHENTICATED
        assert (await log_in(service, "rita@example.com")).status_code == 200


async def test_logout_kills_this_login_and_no_other(service: Service) -> None:
    laptop = cookies_of(service, await register(service, "rita@example.com"))
    phone = cookies_of(service, await log_in(service, "rita@example.com"))
    left = await service.browser_call("POST", "/api/auth/logout", laptop)
    assert (left.status_code, left.content) == (204, b"")
    assert left.headers["set-cookie"].startswith("loremark_login=; ")
    assert "Max-Age=0" in left.headers["set-cookie"]
    service.http.cookies.clear()
    assert told(await service.browser_call("GET", "/api/auth/me", laptop)) == UNAUTHENTICATED
    assert told(await service.browser_call("POST", "/api/auth/logout", laptop)) == UNAUTHENTICATED
    assert (await service.browser_call("GET", "/api/auth/me", phone)).status_code == 200


async def test_a_password_is_set_only_over_the_one_that_was_known(service: Service) -> None:
    """Between looking and setting lies the hashing: whoever set another one meanwhile is not overruled."""
    owner = await service.owner()
    async with service.house.database.write() as tx:
        assert not await people.set_password(tx, owner.user_id, "another", "mine")
        assert await people.set_password(tx, owner.user_id, None, "mine")
        assert not await people.set_password(tx, owner.user_id, None, "theirs")
        assert await people.set_password(tx, owner.user_id, "mine", "mine too")
        assert (await people.get_user(tx, owner.user_id))["password_hash"] == "mine too"


async def test_another_password_ends_all_other_logins(service: Service) -> None:
    laptop = cookies_of(service, await register(service, "rita@example.com"))
    lost_phone = cookies_of(service, await log_in(service, "rita@example.com"))
    change = {"currentPassword": "not mine", "newPassword": "another good one"}
    assert told(await service.browser_call("POST", "/api/auth/password", laptop, json=change)) == REFUSED_LOGIN
    assert (await service.browser_call("GET", "/api/auth/me", lost_phone)).status_code == 200

    change["currentPassword"] = PASSWORD
    assert (await service.browser_call("POST", "/api/auth/password", laptop, json=change)).status_code == 204
    assert told(await service.browser_call("GET", "/api/auth/me", lost_phone)) == UNAUTHENTICATED
    assert (await service.browser_call("GET", "/api/auth/me", laptop)).status_code == 200
    assert told(await log_in(service, "rita@example.com", PASSWORD)) == REFUSED_LOGIN
    assert (await log_in(service, "rita@example.com", "another good one")).status_code == 200


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_somebody_in_two_teams_chooses_one_at_login(service: Service) -> None:
    own = (await register(service, "rita@example.com", teamName="Rivers")).json()["teamId"]
    stranger = (await register(service, "sam@example.com", teamName="Sands")).json()["teamId"]
    other = await service.owner("Stones")
    invited = (await other.post("/api/team", {"email": "rita@example.com", "role": "admin"})).json()["id"]
    await accept(service, await service.invitation_token(invited))

    teams_told = [{"id": own, "name": "Rivers"}, {"id": other.team_id, "name": "Stones"}]
    for fields, expected in (
        ({}, (own, "Rivers", "owner")),
        ({"teamId": own}, (own, "Rivers", "owner")),
        ({"teamId": other.team_id}, (other.team_id, "Stones", "admin")),
    ):
        answer = await log_in(service, "rita@example.com", fields=fields)
        me = answer.json()
        assert (me["teamId"], me["teamName"], me["role"]) == expected
        assert me["teams"] == teams_told
        seen = await service.browser_call("GET", "/api/team", cookies_of(service, answer))
        assert "rita@example.com" in {member["email"] for member in seen.json()}
        assert len(seen.json()) == (1 if expected[0] == own else 2)
    assert told(await log_in(service, "rita@example.com", fields={"teamId": stranger})) == REFUSED_LOGIN
