"""Error cases of accounts, team, projects and keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from loremark.base import clock, ids, limits
from loremark.base.caller import NO_ORIGIN
from loremark.base.passwords import Passwords
from loremark.features.identity import store as people
from loremark.web.routes import Route
from tests.contract.cast import Actor, Ask, Cast, new_email
from tests.contract.error_cases import ErrorCase, ErrorCases, valid
from tests.contract.examples import BY_NAME, EXAMPLES
from tests.contract.examples_passkeys import add_passkey
from tests.contract.examples_two_factor import set_up
from tests.support.service import PASSWORD

_FROM_ELSEWHERE = {"X-Forwarded-For": "203.0.113.9"}

OWN = ErrorCases()


@OWN.of(404, "Project not found")
async def _no_project(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        by_body = EXAMPLES.get(f"{route.name} (limited)")
        ask = await by_body(cast, cast["owner"]) if by_body else await valid(cast, route)
        for actor in () if ask.secret else (cast["stranger"], cast["unassigned"]):
            yield ErrorCase(route, await cast.send(actor, route, ask))
        strange = ("a" * 5_000,) if ask.path else ("a" * 100,)
        for unknown in (ids.new("prj"), ids.new("usr"), "x", *strange):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask.about(unknown)))
        await cast.send(cast["owner"], route, ask)
        await cast.owner.delete(f"/api/projects/{ask.project}")
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@OWN.of(409, "Project is archived")
async def _archived(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        await cast.owner.patch(f"/api/projects/{ask.project}", {"status": "archived"})
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))
        revived = await cast.owner.patch(f"/api/projects/{ask.project}", {"status": "active"})
        assert revived.status_code == 200, revived.text


@OWN.of(400, "repoUrl must have the form https://<repo_host>/<owner>/<repo>")
async def _bad_repo_url(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for url in ("http://github.com/a/b", "https://github.com/a", "https://evil.example/a/b", "", "github.com/a/b"):
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json={"repoUrl": url})))


@OWN.of(403, "Plan limit reached: {counter}")
async def _plan_limit(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    assert routes == [BY_NAME["projects.create"]], "add cases for the plan's other counters"
    async with cast.elsewhere(LOREMARK_DEFAULT_PLAN="free") as service:
        owner = await service.owner()
        await owner.create_project()
        yield ErrorCase(routes[0], await owner.post("/api/projects", {"name": "one too many"}))


@OWN.of(409, "Already a member")
async def _already_a_member(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for email in (cast["assigned"].email, cast["assigned"].email.upper()):
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json={"email": email})))


@OWN.of(409, "A team can have at most 500 pending invitations")
async def _too_many_invitations(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    async with cast.elsewhere() as service:
        owner = await service.owner()
        project = await owner.create_project()
        for number in range(limits.INVITATIONS):
            sent = await owner.post("/api/team", {"email": f"{number}@example.com", "role": "member"})
            assert sent.status_code == 201, sent.text
        for route in routes:
            path = route.path.replace("{id}", project)
            yield ErrorCase(route, await owner.post(path, {"email": "late@example.com", "role": "member"}))


@OWN.of(409, "The last owner cannot be removed")
async def _last_owner(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = replace(await valid(cast, route), json={"userId": cast.owner.user_id})
        yield ErrorCase(route, await cast.send(cast["admin"], route, ask))


@OWN.of(409, "The owner cannot be removed")
@OWN.of(409, "The owner's role cannot be changed")
async def _owner_not_removable(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    members = (await cast.owner.get("/api/team")).json()
    owner = next(member["id"] for member in members if member["role"] == "owner")
    for route in routes:
        ask = await valid(cast, route)
        for actor in (cast["admin"], cast["owner"]):
            yield ErrorCase(route, await cast.send(actor, route, ask.about(owner)))


@OWN.of(404, "Member not found")
async def _no_member(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    stranger = (await cast["stranger"].person.get("/api/team")).json()[0]
    for route in routes:
        ask = await valid(cast, route)
        if "userId" in (ask.json or {}):
            asks = [replace(ask, json={"userId": given}) for given in (stranger["userId"], "x", ids.new("usr"))]
        else:
            asks = [ask.about(given) for given in (stranger["id"], "x", ids.new("mem"))]
        for wrong in asks:
            yield ErrorCase(route, await cast.send(cast["owner"], route, wrong))


@OWN.of(404, "Login not found")
async def _no_login(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for actor in (cast["stranger"], cast["admin"]):
            yield ErrorCase(route, await cast.send(actor, route, ask))
        for unknown in (ids.new("log"), "x"):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask.about(unknown)))


@OWN.of(404, "Key not found")
async def _no_key(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for actor in (cast["stranger"], cast["assigned"]):
            yield ErrorCase(route, await cast.send(actor, route, ask))
        for unknown in (ids.new("key"), "x"):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask.about(unknown)))


@OWN.of(400, "Invitation is invalid or expired")
async def _bad_invitation(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    accept = BY_NAME["team.accept"]
    used, renewed, revoked, forged = [await valid(cast, accept) for _ in range(4)]
    long_ago_ms = clock.now_ms() - limits.INVITATION_VALID_MS
    with clock.use(lambda: long_ago_ms):
        expired = await valid(cast, accept)
    assert (await cast.send(cast["anonymous"], accept, used)).status_code == 200
    invitations = (await cast.owner.get("/api/team?include=invited")).json()
    by_id = {entry["id"]: entry["email"] for entry in invitations}
    await cast.owner.post("/api/team", {"email": by_id[_named_in(renewed)]})
    await cast.owner.delete(f"/api/team/{_named_in(revoked)}")
    forged.json["token"] = forged.json["token"][:-4] + "AAAA"
    unknown = replace(forged, json={**forged.json, "token": "nonsense"})
    for route in routes:
        for ask in (used, renewed, revoked, forged, unknown, expired):
            yield ErrorCase(route, await cast.send(cast["anonymous"], route, ask))


def _named_in(ask: Ask) -> str:
    return str(ask.json["token"].partition(".")[0])


@OWN.of(
    403, "The first account needs the token in the link the server printed. Print another: loremark admin signin-link"
)
async def _no_setup_token(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    async with cast.elsewhere(LOREMARK_REGISTRATION="invite") as service:
        ask = await valid(cast, routes[0])
        for more in ({}, {"setupToken": "nonsense"}):
            sent = service.http.post(routes[0].path, json={**ask.json, **more}, headers=_FROM_ELSEWHERE)
            yield ErrorCase(routes[0], await sent)


@OWN.of(403, "Registration is by invitation only")
async def _by_invitation(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    async with cast.elsewhere(LOREMARK_REGISTRATION="invite") as service:
        ask, second = await valid(cast, routes[0]), await valid(cast, routes[0])
        assert (await service.http.post(routes[0].path, json=ask.json)).status_code == 201
        service.http.cookies.clear()
        yield ErrorCase(routes[0], await service.http.post(routes[0].path, json=second.json))


@OWN.of(403, "Registration is closed")
async def _closed(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    async with cast.elsewhere(LOREMARK_REGISTRATION="closed") as service:
        yield ErrorCase(routes[0], await service.http.post(routes[0].path, json=(await valid(cast, routes[0])).json))


@OWN.of(409, "An account with this email already exists")
async def _email_taken(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    ask = await valid(cast, routes[0])
    for email in (cast.owner.email, cast["stranger"].email.upper(), cast["removed"].email):
        taken = replace(ask, json={**ask.json, "email": email})
        yield ErrorCase(routes[0], await cast.send(cast["anonymous"], routes[0], taken))


@OWN.of(401, "Incorrect email or password")
async def _wrong_password(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    login, password, accept = BY_NAME["auth.login"], BY_NAME["auth.password"], BY_NAME["team.accept"]
    proven = [BY_NAME[f"auth.{name}"] for name in ("start_totp", "recovery_codes", "end_two_factor", "passkey_options")]
    assert set(map(id, routes)) == set(map(id, (login, password, accept, *proven)))
    for route in proven:
        ask = await valid(cast, route)
        guess = replace(ask, json={**ask.json, "password": "not the password"})
        yield ErrorCase(route, await cast.send(cast["owner"], route, guess))
    await cast.reset_two_factor(cast["owner"])
    for body in (
        {"email": cast.owner.email, "password": "not the password"},
        {"email": new_email(), "password": PASSWORD},
        {"email": cast["removed"].email, "password": PASSWORD},
        {"email": cast.owner.email, "password": PASSWORD, "teamId": cast["stranger"].person.team_id},
    ):
        yield ErrorCase(login, await cast.send(cast["anonymous"], login, Ask(json=body)))
    wrong = Ask(json={"currentPassword": "not the password", "newPassword": PASSWORD})
    yield ErrorCase(password, await cast.send(cast["owner"], password, wrong))
    token = await cast.service.invitation_token(await cast.invitation(cast["stranger"].email))
    guess = Ask(json={"token": token, "password": "not the password"})
    yield ErrorCase(accept, await cast.send(cast["anonymous"], accept, guess))


@OWN.of(401, "This address has an account. Sign in to accept the invitation")
async def _not_signed_in(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    token = await cast.service.invitation_token(await cast.invitation(cast["stranger"].email))
    for route in routes:
        yield ErrorCase(route, await cast.send(cast["anonymous"], route, Ask(json={"token": token})))


@OWN.of(401, "Two-factor code required")
async def _no_code(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await EXAMPLES[f"{route.name} (with a code)"](cast, cast["owner"])
        body = {name: value for name, value in ask.json.items() if name != "code"}
        yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json=body)))
    await cast.reset_two_factor(cast["owner"])


@OWN.of(401, "Incorrect two-factor code")
async def _wrong_code(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await EXAMPLES.get(f"{route.name} (with a code)", EXAMPLES[route.name])(cast, cast["owner"])
        for wrong in ("000000", "abcd-efgh-ijkl-mnop", "x"):
            yield ErrorCase(
                route, await cast.send(cast["owner"], route, replace(ask, json={**ask.json, "code": wrong}))
            )
    await cast.reset_two_factor(cast["owner"])


@OWN.of(409, "Set a password first")
async def _no_password(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    person = await cast.service.owner()
    async with cast.service.runtime.database.write() as tx:
        login = await people.create_login(tx, user_id=person.user_id, team_id=person.team_id, origin=NO_ORIGIN)
    for route in routes:
        yield ErrorCase(route, await cast.send(Actor("linked", person, login), route, await valid(cast, route)))
    await cast.reset_two_factor(cast["owner"])


@OWN.of(409, "Two-factor authentication is already on")
async def _already_on(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        await set_up(cast, cast["owner"], confirmed=True)
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))
    await cast.reset_two_factor(cast["owner"])


@OWN.of(409, "Two-factor authentication is off")
async def _off(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        await cast.reset_two_factor(cast["owner"])
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@OWN.of(401, "This passkey was not accepted. Try again")
async def _passkey_refused(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for part, wrong in (("clientDataJSON", "e30"), ("clientDataJSON", "x"), ("clientDataJSON", "eyJhIjoxfQ")):
            credential = {**ask.json["credential"], "response": {**ask.json["credential"]["response"], part: wrong}}
            damaged = replace(ask, json={**ask.json, "credential": credential})
            yield ErrorCase(route, await cast.send(cast["owner"], route, damaged))
        assert (await cast.send(cast["owner"], route, ask)).status_code == route.status
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@OWN.of(404, "Passkey not found")
async def _no_passkey(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for actor in (cast["stranger"], cast["admin"]):
            yield ErrorCase(route, await cast.send(actor, route, ask))
        for unknown in (ids.new("psk"), "x"):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask.about(unknown)))


@OWN.of(409, "An account can have at most 20 passkeys")
async def _too_many_passkeys(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for _ in range(limits.PASSKEYS - 1):
            await add_passkey(cast, cast["owner"], keep=True)
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@OWN.of(409, "Passkeys need a host name in LOREMARK_BASE_URL instead of an IP address")
async def _no_host_name(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    async with cast.elsewhere(LOREMARK_BASE_URL="http://192.0.2.7:8000") as service:
        person = await service.owner()
        hashed = await Passwords().hash(PASSWORD)
        async with service.runtime.database.write() as tx:
            assert await people.set_password(tx, person.user_id, None, hashed)
            login = await people.create_login(tx, user_id=person.user_id, team_id=person.team_id, origin=NO_ORIGIN)
        cookies = {"__Host-loremark_login": login}
        for route in routes:
            ask = await valid(cast, route)
            yield ErrorCase(route, await service.browser_call(route.method, route.path, cookies, json=ask.json))
