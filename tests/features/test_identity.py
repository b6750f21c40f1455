"""Registration, login, cookies and passwords."""

from __future__ import annotations

import asyncio

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from sqlalchemy import select

from loremark.base import clock, ids
from loremark.base.clock import DAY_MS, MINUTE_MS
from loremark.base.passwords import Passwords
from loremark.features.identity import store as people
from loremark.features.identity.last_use import LoginUse
from loremark.features.identity.logins import describe_device
from loremark.storage.tables import logins, teams, users
from tests.features.steps import (
    UNAUTHENTICATED,
    WRONG_PASSWORD,
    accept,
    cookies_of,
    log_in,
    register,
    status_and_body,
)
from tests.support.service import PASSWORD, Service, setup_token

pytestmark = [pytest.mark.anyio, pytest.mark.own_service]

ON_SQLITE = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)  # independent of the database engine
BY_INVITATION = (403, {"error": "Registration is by invitation only"})
NEEDS_TOKEN = (
    403,
    {
        "error": "The first account needs the token in the link the server printed. "
        "Print another: loremark admin signin-link"
    },
)
TAKEN = (409, {"error": "An account with this email already exists"})


async def _count_accounts(service: Service) -> tuple[int, int]:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(users.c.id))), len(await tx.many(select(teams.c.id)))


async def test_from_another_machine_the_first_account_needs_the_printed_token(service: Service) -> None:
    """Whoever reaches the server from elsewhere has not seen what it printed. A proxy on this machine is elsewhere."""
    owner = await setup_token(service)
    async with service.runtime.database.write() as tx:
        user = await people.create_user(tx, email="u@example.com", name="U", password_hash=None)
        of_account = await people.create_link(tx, user)
    elsewhere = {"X-Forwarded-For": "203.0.113.9"}
    assert not (await service.http.get("/api/auth/registration")).json()["needsSetupToken"]
    assert (await service.http.get("/api/auth/registration", headers=elsewhere)).json()["needsSetupToken"]
    body = {"email": "eve@example.com", "password": PASSWORD, "name": "Eve"}
    for token in (None, "x", of_account):
        refused = await service.http.post("/api/auth/register", json={**body, "setupToken": token}, headers=elsewhere)
        assert status_and_body(refused) == NEEDS_TOKEN
    given = await service.http.post("/api/auth/register", json={**body, "setupToken": owner}, headers=elsewhere)
    assert given.status_code == 201


@pytest.mark.settings(LOREMARK_BASE_URL="https://memory.example.com", LOREMARK_ALLOWED_HOSTS="proxy.example.com")
async def test_behind_a_proxy_that_adds_no_header_the_first_account_needs_the_token(service: Service) -> None:
    """nginx and HAProxy forward requests from anywhere like requests from this machine, unless configured."""
    owner = await setup_token(service)
    body = {"email": "eve@example.com", "password": PASSWORD, "name": "Eve"}
    headers = {"Origin": "https://memory.example.com"}
    for host in ("127.0.0.1:8000", "memory.example.com", "proxy.example.com"):
        headers["Host"] = host
        assert (await service.http.get("/api/auth/registration", headers=headers)).json()["needsSetupToken"]
        refused = await service.http.post("/api/auth/register", json=body, headers=headers)
        assert status_and_body(refused) == NEEDS_TOKEN
    given = await service.http.post("/api/auth/register", json={**body, "setupToken": owner}, headers=headers)
    assert given.status_code == 201


@pytest.mark.settings(LOREMARK_ALLOWED_HOSTS="proxy.example.com")
async def test_a_proxy_that_keeps_the_host_name_is_not_this_machine(service: Service) -> None:
    for host, needed in (("proxy.example.com", True), ("localhost:8000", False), ("[::1]", False)):
        answer = await service.http.get("/api/auth/registration", headers={"Host": host})
        assert answer.json()["needsSetupToken"] is needed, host


async def test_only_the_first_account_registers_without_invitation(service: Service) -> None:
    first = await register(service, "Rita@Example.com", teamName="Rivers")
    me = first.json()
    assert first.status_code == 201
    assert {name: me[name] for name in ("name", "email", "role", "teamName", "plan", "authMethod")} == {
        "name": "Rita",
        "email": "Rita@Example.com",
        "role": "owner",
        "teamName": "Rivers",
        "plan": "team",
        "authMethod": "login",
    }
    assert me["teams"] == [{"id": me["teamId"], "name": "Rivers"}]

    assert status_and_body(await register(service, "sam@example.com")) == BY_INVITATION
    assert (
        status_and_body(await register(service, "rita@example.com")) == BY_INVITATION
    )  # does not reveal that the address exists
    assert await _count_accounts(service) == (1, 1)


async def test_concurrent_first_registrations_create_one_account(service: Service) -> None:
    answers = await asyncio.gather(*(register(service, f"first{number}@example.com") for number in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, 403, 403, 403, 403, 403]
    assert [status_and_body(answer) for answer in answers if answer.status_code == 403] == [BY_INVITATION] * 5
    assert await _count_accounts(service) == (1, 1)


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_open_registration_rejects_duplicate_emails(service: Service) -> None:
    assert (await register(service, "one@example.com")).status_code == 201
    assert (await register(service, "two@example.com")).json()["teamName"] == "Rita's team"
    assert status_and_body(await register(service, "ONE@Example.com")) == TAKEN
    concurrent = await asyncio.gather(*(register(service, name) for name in ("me@x.org", "ME@X.org", "Me@x.ORG")))
    assert sorted(answer.status_code for answer in concurrent) == [201, 409, 409]
    assert await _count_accounts(service) == (3, 3)

    for field, value in (("email", "no address"), ("password", "short"), ("name", " "), ("teamName", "")):
        refused = await register(service, **{"email": "three@example.com", field: value})
        assert refused.status_code == 400
        assert refused.json()["error"].startswith(f"{field} ")


@pytest.mark.settings(LOREMARK_REGISTRATION="closed")
async def test_closed_registration_rejects_everyone(service: Service) -> None:
    assert status_and_body(await register(service, "one@example.com")) == (403, {"error": "Registration is closed"})
    assert await _count_accounts(service) == (0, 0)


async def test_login_treats_wrong_password_and_unknown_account_alike(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await register(service, "rita@example.com")
    right = await log_in(service, "RITA@example.com")
    assert (right.status_code, right.json()["email"]) == (200, "rita@example.com")

    compared: list[Parameters] = []
    verify = PasswordHasher.verify

    def record(hasher: PasswordHasher, known: str, password: str) -> bool:
        compared.append(extract_parameters(known))
        return bool(verify(hasher, known, password))

    # Without hashing for unknown addresses, response times would reveal which accounts exist.
    monkeypatch.setattr(PasswordHasher, "verify", record)
    for email in ("rita@example.com", "nobody@example.com"):
        assert status_and_body(await log_in(service, email, "not the password")) == WRONG_PASSWORD
    assert len(compared) == 2
    assert compared[0] == compared[1]


@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=3/minute", LOREMARK_TRUSTED_PROXIES="127.0.0.1/32")
async def test_wrong_passwords_do_not_lock_a_colleague_out(service: Service) -> None:
    """Attempts count per account and address, and per address for all accounts."""
    await register(service, "rita@example.com")
    start_ms = clock.now_ms() // MINUTE_MS * MINUTE_MS + MINUTE_MS

    def from_address(address: str) -> dict[str, str]:
        return {"X-Forwarded-For": address}

    with clock.use(lambda: start_ms + 17_000):
        for _ in range(3):
            answer = await log_in(service, "rita@example.com", "guess", headers=from_address("203.0.113.66"))
            assert status_and_body(answer) == WRONG_PASSWORD
        answer = await log_in(service, "RITA@example.com", headers=from_address("203.0.113.66"))
        assert status_and_body(answer) == (429, {"error": "Rate limit exceeded. Please retry after 43 seconds."})
        assert answer.headers["retry-after"] == "43"
        answer = await log_in(service, "rita@example.com", headers=from_address("203.0.113.1"))
        assert answer.status_code == 200, "from her own address"
        answer = await log_in(service, "other@example.com", headers=from_address("203.0.113.66"))
        assert status_and_body(answer) == WRONG_PASSWORD, "others behind the same address are not locked out"

        for number in range(15):  # one address against many accounts
            answer = await log_in(service, f"nobody{number}@example.com", headers=from_address("198.51.100.7"))
            assert status_and_body(answer) == WRONG_PASSWORD
        answer = await log_in(service, "nobody99@example.com", headers=from_address("198.51.100.7"))
        assert status_and_body(answer) == (429, {"error": "Rate limit exceeded. Please retry after 43 seconds."})

    with clock.use(lambda: start_ms + MINUTE_MS):
        assert (await log_in(service, "rita@example.com", headers=from_address("203.0.113.66"))).status_code == 200


@ON_SQLITE
@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=3/minute", LOREMARK_TRUSTED_PROXIES="127.0.0.1/32")
async def test_ipv6_hosts_share_the_limit_of_their_network(service: Service) -> None:
    start_ms = clock.now_ms() // MINUTE_MS * MINUTE_MS + MINUTE_MS
    with clock.use(lambda: start_ms):
        answers = [
            await log_in(service, f"nobody{number}@example.com", headers={"X-Forwarded-For": f"2001:db8::{number}"})
            for number in range(1, 17)
        ]
    assert [answer.status_code for answer in answers] == [401] * 15 + [429]


@ON_SQLITE
@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=3/minute")
async def test_untrusted_peer_cannot_spoof_its_address(service: Service) -> None:
    start_ms = clock.now_ms() // MINUTE_MS * MINUTE_MS + MINUTE_MS
    with clock.use(lambda: start_ms):
        answers = [
            await log_in(service, f"nobody{number}@example.com", headers={"X-Forwarded-For": f"203.0.113.{number}"})
            for number in range(16)
        ]
    assert [answer.status_code for answer in answers] == [401] * 15 + [429]


@ON_SQLITE
async def test_cookie_on_plain_http_loopback(service: Service) -> None:
    answer = await register(service, "rita@example.com")
    value, *attributes = answer.headers["set-cookie"].split("; ")
    assert value.startswith("loremark_login=")
    assert sorted(attributes) == ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]


@ON_SQLITE
@pytest.mark.settings(LOREMARK_BASE_URL="https://loremark.example.com", LOREMARK_REGISTRATION="open")
async def test_cookie_over_https(service: Service) -> None:
    answer = await register(service, "rita@example.com")
    value, *attributes = answer.headers["set-cookie"].split("; ")
    assert value.startswith("__Host-loremark_login=")
    assert sorted(attributes) == ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"]
    assert answer.headers["strict-transport-security"].startswith("max-age=")

    token = value.partition("=")[2]
    assert (await service.browser_call("GET", "/api/auth/me", {"__Host-loremark_login": token})).status_code == 200
    assert (
        status_and_body(await service.browser_call("GET", "/api/auth/me", {"loremark_login": token})) == UNAUTHENTICATED
    )
    cookie = {"Cookie": f"__Host-loremark_login={token}"}
    for origin, status in (
        ("https://loremark.example.com", 201),
        ("http://loremark.example.com", 403),
        ("https://loremark.example.com.evil.org", 403),
        ("null", 403),
    ):
        created = await service.http.post("/api/keys", json={"name": "k"}, headers={**cookie, "Origin": origin})
        assert created.status_code == status, origin
    without_origin = await service.http.post("/api/keys", json={"name": "k"}, headers=cookie)
    assert status_and_body(without_origin) == (403, {"error": "Cross-site request refused"})


async def test_login_expires_after_thirty_days(service: Service) -> None:
    rita = cookies_of(service, await register(service, "rita@example.com"))
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms + 30 * DAY_MS - 60_000):
        assert (await service.browser_call("GET", "/api/auth/me", rita)).status_code == 200
    with clock.use(lambda: now_ms + 31 * DAY_MS):
        assert status_and_body(await service.browser_call("GET", "/api/auth/me", rita)) == UNAUTHENTICATED
        assert (
            status_and_body(await service.browser_call("POST", "/api/keys", rita, json={"name": "k"}))
            == UNAUTHENTICATED
        )
        assert (await log_in(service, "rita@example.com")).status_code == 200


async def test_logout_ends_only_this_login(service: Service) -> None:
    laptop = cookies_of(service, await register(service, "rita@example.com"))
    phone = cookies_of(service, await log_in(service, "rita@example.com"))
    logged_out = await service.browser_call("POST", "/api/auth/logout", laptop)
    assert (logged_out.status_code, logged_out.content) == (204, b"")
    assert logged_out.headers["set-cookie"].startswith("loremark_login=; ")
    assert "Max-Age=0" in logged_out.headers["set-cookie"]
    service.http.cookies.clear()
    assert status_and_body(await service.browser_call("GET", "/api/auth/me", laptop)) == UNAUTHENTICATED
    assert status_and_body(await service.browser_call("POST", "/api/auth/logout", laptop)) == UNAUTHENTICATED
    assert (await service.browser_call("GET", "/api/auth/me", phone)).status_code == 200


async def test_concurrent_password_changes_do_not_overwrite_each_other(service: Service) -> None:
    """Hashing happens between the check and the update; a change made in between must not be overwritten."""
    owner = await service.owner()
    async with service.runtime.database.write() as tx:
        assert not await people.set_password(tx, owner.user_id, "another", "mine")
        assert await people.set_password(tx, owner.user_id, None, "mine")
        assert not await people.set_password(tx, owner.user_id, None, "theirs")
        assert await people.set_password(tx, owner.user_id, "mine", "mine too")
        assert (await people.get_user(tx, owner.user_id))["password_hash"] == "mine too"


async def test_password_change_ends_other_logins(service: Service) -> None:
    laptop = cookies_of(service, await register(service, "rita@example.com"))
    lost_phone = cookies_of(service, await log_in(service, "rita@example.com"))
    change = {"currentPassword": "not mine", "newPassword": "another good one"}
    assert (
        status_and_body(await service.browser_call("POST", "/api/auth/password", laptop, json=change)) == WRONG_PASSWORD
    )
    assert (await service.browser_call("GET", "/api/auth/me", lost_phone)).status_code == 200

    change["currentPassword"] = PASSWORD
    assert (await service.browser_call("POST", "/api/auth/password", laptop, json=change)).status_code == 204
    assert status_and_body(await service.browser_call("GET", "/api/auth/me", lost_phone)) == UNAUTHENTICATED
    assert (await service.browser_call("GET", "/api/auth/me", laptop)).status_code == 200
    assert status_and_body(await log_in(service, "rita@example.com", PASSWORD)) == WRONG_PASSWORD
    assert (await log_in(service, "rita@example.com", "another good one")).status_code == 200


async def test_password_change_ends_sign_in_links(service: Service) -> None:
    email = f"{ids.new('own')}@example.com"
    owner = await service.owner()
    invited = (await owner.post("/api/team", {"email": email})).json()["id"]
    accepted = await accept(service, await service.invitation_token(invited), name="Mira", password=PASSWORD)
    laptop = cookies_of(service, accepted)
    async with service.runtime.database.write() as tx:
        user = await people.find_user(tx, email)
        assert user is not None
        link = await people.create_link(tx, user["id"])
        others = await people.create_link(tx, owner.user_id)
    change = {"currentPassword": PASSWORD, "newPassword": "another good one"}
    assert (await service.browser_call("POST", "/api/auth/password", laptop, json=change)).status_code == 204
    async with service.runtime.database.write() as tx:
        assert await people.consume_link(tx, link) is None
        assert await people.consume_link(tx, others) is not None


@pytest.mark.both_engines
@pytest.mark.parametrize("way", ["sign in", "accept an invitation"])
async def test_a_password_that_changes_while_it_is_checked_is_refused(
    service: Service, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Hashing takes a while, outside of any transaction: a thief's attempt must not outlive the change."""
    first, second = await service.owner(), await service.owner("Pebbles")
    rita = await service.join(first)
    invited = (await second.post("/api/team", {"email": rita.email})).json()["id"]
    token = await service.invitation_token(invited)
    matches = Passwords.matches

    async def change_meanwhile(self: Passwords, password: str, hashed: str | None) -> bool:
        async with service.runtime.database.write() as tx:
            assert await people.set_password(tx, rita.user_id, hashed, "changed")
            await people.delete_other_logins(tx, rita.user_id, keep="")
        return await matches(self, password, hashed)

    monkeypatch.setattr(Passwords, "matches", change_meanwhile)
    attempt = log_in(service, rita.email) if way == "sign in" else accept(service, token, password=PASSWORD)
    assert status_and_body(await attempt) == WRONG_PASSWORD
    async with service.runtime.database.read() as tx:
        assert await people.list_logins(tx, rita.user_id) == []


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_login_selects_one_of_several_teams(service: Service) -> None:
    own = (await register(service, "rita@example.com", teamName="Rivers")).json()["teamId"]
    stranger = (await register(service, "sam@example.com", teamName="Sands")).json()["teamId"]
    other = await service.owner("Stones")
    invited = (await other.post("/api/team", {"email": "rita@example.com", "role": "admin"})).json()["id"]
    await accept(service, await service.invitation_token(invited), password=PASSWORD)

    expected_teams = [{"id": own, "name": "Rivers"}, {"id": other.team_id, "name": "Stones"}]
    for fields, expected in (
        ({}, (own, "Rivers", "owner")),
        ({"teamId": own}, (own, "Rivers", "owner")),
        ({"teamId": other.team_id}, (other.team_id, "Stones", "admin")),
    ):
        answer = await log_in(service, "rita@example.com", fields=fields)
        me = answer.json()
        assert (me["teamId"], me["teamName"], me["role"]) == expected
        assert me["teams"] == expected_teams
        seen = await service.browser_call("GET", "/api/team", cookies_of(service, answer))
        assert "rita@example.com" in {member["email"] for member in seen.json()}
        assert len(seen.json()) == (1 if expected[0] == own else 2)
    assert status_and_body(await log_in(service, "rita@example.com", fields={"teamId": stranger})) == WRONG_PASSWORD


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1"


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        (FIREFOX, "Firefox on Linux"),
        (EDGE, "Edge on Windows"),
        (IPHONE, "Safari on iPhone"),
        ("python-httpx/0.28", "python-httpx"),
        ("", "Unknown device"),
        ("<script>", "Unknown device"),
    ],
)
def test_device_is_named(user_agent: str, device: str) -> None:
    assert describe_device(user_agent) == device


async def _list_logins(service: Service, cookies: dict[str, str]) -> list[dict[str, object]]:
    answer = await service.browser_call("GET", "/api/auth/logins", cookies)
    assert answer.status_code == 200
    found: list[dict[str, object]] = answer.json()
    return found


async def test_logins_are_listed_with_device_address_and_last_use(service: Service) -> None:
    laptop = cookies_of(service, await register(service, "rita@example.com"))
    body = {"email": "rita@example.com", "password": PASSWORD}
    phone = cookies_of(
        service, await service.http.post("/api/auth/login", json=body, headers={"User-Agent": IPHONE + " " + "x" * 900})
    )
    on_phone, on_laptop = await _list_logins(service, phone)
    assert (on_phone["device"], on_phone["address"], on_phone["current"]) == ("Safari on iPhone", "127.0.0.1", True)
    assert (on_laptop["device"], on_laptop["current"]) == ("python-httpx", False)
    later_ms = clock.now_ms() + clock.HOUR_MS
    with clock.use(lambda: later_ms):
        assert (await service.browser_call("GET", "/api/auth/me", laptop)).status_code == 200
        assert (await _list_logins(service, phone))[1]["lastUsed"] == clock.iso(later_ms)
        await service.app._services.use(LoginUse).write()
    async with service.runtime.database.read() as tx:
        [row] = await tx.many(select(logins).where(logins.c.id == on_laptop["id"]))
    assert (row["last_used_ms"], row["address"]) == (later_ms, "127.0.0.1")


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_logins_can_be_ended(service: Service) -> None:
    laptop = cookies_of(service, await register(service, "rita@example.com"))
    stranger = cookies_of(service, await register(service, "sam@example.com"))
    phone, tablet, desk = [cookies_of(service, await log_in(service, "rita@example.com")) for _ in range(3)]
    on_phone = (await _list_logins(service, phone))[2]
    assert on_phone["current"]
    path = f"/api/auth/logins/{on_phone['id']}"
    refused = await service.browser_call("DELETE", path, stranger)
    assert status_and_body(refused) == (404, {"error": "Login not found"})
    assert (await service.browser_call("DELETE", path, laptop)).status_code == 204
    assert status_and_body(await service.browser_call("GET", "/api/auth/me", phone)) == UNAUTHENTICATED
    assert (await service.browser_call("GET", "/api/auth/me", tablet)).status_code == 200
    assert (await service.browser_call("DELETE", "/api/auth/logins", laptop)).json() == {"ended": 2}
    for ended in (tablet, desk):
        assert status_and_body(await service.browser_call("GET", "/api/auth/me", ended)) == UNAUTHENTICATED
    assert [login["current"] for login in await _list_logins(service, laptop)] == [True]
    assert (await service.browser_call("GET", "/api/auth/me", stranger)).status_code == 200
    log = (await service.browser_call("GET", "/api/audit", laptop)).json()
    assert [entry["action"] for entry in log][:2] == ["login.others_revoked", "login.revoked"]
