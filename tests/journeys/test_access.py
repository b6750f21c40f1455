"""Access control from one table: every route by every actor, with key and login; hidden resources do not leak."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from typing import cast as cast_type

import httpx
import pytest
from sqlalchemy import select

from loremark.base import ids
from loremark.base.caller import KEY_SCOPES
from loremark.entry.application import ROUTES
from loremark.storage.tables import (
    audit_entries,
    chats,
    contexts,
    events,
    hygiene_plans,
    invitations,
    items,
    project_members,
    projects,
    sessions,
    team_members,
    webhook_deliveries,
    webhooks,
)
from loremark.web.routes import Route
from tests.contract.cast import ACTORS, COOKIE, TEAM, Actor, Ask, Cast, new_email, open_cast, register
from tests.contract.contract import load
from tests.contract.examples import BY_NAME, EXAMPLES, route_of
from tests.contract.examples_capture import make_session, make_webhook
from tests.journeys.access_table import LIMITED_KEYS, NO, NOBODY, OUT, TABLE, UNSIGNED, Cell
from tests.support import databases

pytestmark = pytest.mark.anyio

BY_LOGIN_TOO = (
    "auth.me",
    "team.invite",
    "team.remove",
    "projects.get",
    "projects.update",
    "projects.get_hmac_secret (public)",
    "keys.delete (the owner's)",
    "sessions.create",
    "webhooks.create",
    "webhooks.redeliver (public)",
    "audit.list",
    "live.stream",
)


_OF_TEAM = (team_members, invitations)
_OF_PROJECT = (project_members, sessions, events, items, contexts, webhooks, webhook_deliveries, chats, hygiene_plans)


@pytest.fixture(scope="module", params=databases.ENGINES)
async def cast(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, anyio_backend: object
) -> AsyncIterator[Cast]:
    async with open_cast(request.param, tmp_path_factory.mktemp("access")) as opened:
        yield opened


def test_table_covers_every_route() -> None:
    assert {route_of(row).name for row in TABLE} == {route.name for route in ROUTES}
    assert set(TABLE) == set(EXAMPLES)
    assert {len(cells) for cells in TABLE.values()} == {len(ACTORS)}


def test_table_matches_the_roles_of_the_contract() -> None:
    """If the contract lists roles, members are refused; otherwise no role is."""
    for endpoint in load().endpoints:
        if endpoint.name not in BY_NAME:
            continue
        cells = dict(zip(ACTORS, TABLE[endpoint.name], strict=True))
        assert (cells["assigned"] == NO) == bool(endpoint.roles), endpoint.name
        assert (cells["anonymous"] in (OUT, NOBODY)) == bool(set(endpoint.auth) & {"bearer", "cookie"}), endpoint.name
        assert endpoint.roles in ((), ("owner", "admin"), ("owner",))


@pytest.mark.parametrize("row", TABLE)
async def test_access_matches_the_table(cast: Cast, row: str) -> None:
    assert await _differences(cast, row, by_login=None) == []


@pytest.mark.parametrize("row", BY_LOGIN_TOO)
async def test_login_and_key_have_the_same_access(cast: Cast, row: str) -> None:
    assert await _differences(cast, row, by_login=True) == []


@pytest.mark.parametrize("row", ["ingest.send", "genesis.start", "genesis.status", "genesis.results", "genesis.cancel"])
@pytest.mark.parametrize("name", ACTORS)
async def test_key_or_login_does_not_replace_a_signature(cast: Cast, name: str, row: str) -> None:
    route = BY_NAME[row]
    for by_login in (False, True):
        ask = replace(await EXAMPLES[row](cast, cast[name]), secret="")
        before = await _state(cast, ask)
        assert _outcome(await cast.send(cast[name], route, ask, by_login=by_login)) == UNSIGNED
        assert await _state(cast, ask) == before


def test_limited_keys_cover_every_route_for_keys() -> None:
    assert set(LIMITED_KEYS) == {row for row in TABLE if route_of(row).needs.by_key}


@pytest.mark.parametrize("row", LIMITED_KEYS)
async def test_limited_keys_have_the_access_in_the_table(cast: Cast, row: str) -> None:
    """The owner, with a key for one scope, and with one for another project."""
    scopes, elsewhere = LIMITED_KEYS[row]
    route = route_of(row)
    cells = {
        await cast.limited(scopes=[scope]): TABLE[row][0] if scope in scopes.split() else NO for scope in KEY_SCOPES
    }
    cells[await cast.limited(projectId=await cast.other_project())] = elsewhere
    wrong: list[str] = []
    untouched: Ask | None = None
    for actor, expected in cells.items():
        ask = untouched or await EXAMPLES[row](cast, cast["owner"])
        if isinstance(expected, int):
            answer, untouched = await cast.send(actor, route, ask), None
        else:
            answer, state = await _send_refused(cast, actor, route, ask, by_login=None, before=None)
            untouched = ask if state else None
            if state is None:
                wrong.append(f"{actor.name} was refused and yet changed something")
        if _outcome(answer) != expected:
            wrong.append(f"{actor.name}: {_outcome(answer)}, not {expected}")
        if answer.status_code == 404:
            wrong += await _leaks(cast, actor, row, ask, answer, by_login=None)
    assert wrong == []


async def test_lists_contain_only_the_project_of_the_key(cast: Cast) -> None:
    project, other = await cast.project(), await cast.project("public")
    for each in (project, other):
        await make_session(cast, each)
    person = (await cast.limited(projectId=project)).person
    assert [entry["id"] for entry in (await person.get("/api/projects")).json()] == [project]
    assert (await person.get(f"/api/projects?cursor={project}")).json() == []
    assert [entry["id"] for entry in (await person.get("/api/v2/overview")).json()["projects"]] == [project]
    assert (await person.get("/api/v2/overview")).json()["spend"] is None
    for path in ("/api/v2/sessions", "/api/v2/items", "/api/contexts"):
        answer = await person.get(path)
        found = answer.json()
        entries = found["sessions"] if isinstance(found, dict) and "sessions" in found else found
        assert {entry.get("projectId", project) for entry in entries} <= {project}, path


async def _differences(cast: Cast, row: str, by_login: bool | None) -> list[str]:
    """The cells of a row that differ from the table.

    Each is tested on a fresh resource; refused calls leave it untouched, so the next refused actor gets the same one.
    """
    route = route_of(row)
    wrong: list[str] = []
    untouched: Ask | None = None
    known: list[Any] | None = None
    for name, expected in zip(ACTORS, TABLE[row], strict=True):
        actor = cast[name]
        if isinstance(expected, int):
            ask = await EXAMPLES[row](cast, actor)
            answer = await cast.send(actor, route, ask, by_login=by_login)
        else:
            watched = _WatchedActor(actor)
            ask = untouched or await EXAMPLES[row](cast, cast_type(Actor, watched))
            answer, known = await _send_refused(cast, actor, route, ask, by_login, known if untouched else None)
            untouched = None if known is None or watched.is_used else ask
            if known is None:
                wrong.append(f"{name} was refused and yet changed something")
        if _outcome(answer) != expected:
            wrong.append(f"{name}: {_outcome(answer)}, not {expected}")
        if answer.status_code == 404:
            wrong += await _leaks(cast, actor, row, ask, answer, by_login)
    return wrong


class _WatchedActor:
    """An actor that notes whether the example depends on it."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self.is_used = False

    def __getattr__(self, name: str) -> Any:
        self.is_used = True
        return getattr(self._actor, name)


async def _send_refused(
    cast: Cast, actor: Actor, route: Route, ask: Ask, by_login: bool | None, before: list[Any] | None
) -> tuple[httpx.Response, list[Any] | None]:
    """Return the answer and the unchanged state, or None if the refused call changed anything.

    ``before`` is the state after the last refused call on the same resource. Background jobs may write between the two
    snapshots, but not every time; a call that writes does so every time.
    """
    for _ in range(5):
        before = before or await _state(cast, ask)
        answer = await cast.send(actor, route, ask, by_login=by_login)
        after = await _state(cast, ask)
        if after == before:
            return answer, after
        before = None
    return answer, None


def _outcome(answer: httpx.Response) -> Cell:
    if answer.status_code < 400:
        return answer.status_code
    body = answer.json()
    assert list(body) == ["error"], body
    return answer.status_code, body["error"]


async def _state(cast: Cast, ask: Ask) -> list[Any]:
    """The stored state of the team and project; the newest audit entry represents the log."""
    scope = cast.owner.team_id
    newest = select(audit_entries).where(audit_entries.c.team_id == scope).order_by(audit_entries.c.id.desc()).limit(1)
    statements = [newest, *(select(table).where(table.c.team_id == scope) for table in _OF_TEAM)]
    if ask.project:
        statements.append(select(projects).where(projects.c.id == ask.project))
        statements += [select(table).where(table.c.project_id == ask.project) for table in _OF_PROJECT]
    async with cast.service.runtime.database.read() as tx:
        return [
            sorted(
                repr([row[column.name] for column in statement.selected_columns]) for row in await tx.many(statement)
            )
            for statement in statements
        ]


async def _leaks(
    cast: Cast, actor: Actor, row: str, ask: Ask, answer: httpx.Response, by_login: bool | None
) -> list[str]:
    """Responses about hidden resources must equal those about unknown ones byte for byte."""
    unknown = (ids.new(ask.target.partition("_")[0]), "nothing-at-all")
    others = [await cast.send(actor, route_of(row), ask.about(other), by_login=by_login) for other in unknown]
    expected = [_comparable(other) for other in others]
    return [
        f"{actor.name}: hidden {_comparable(answer)}, unknown {other}"
        for other in expected
        if other != _comparable(answer)
    ]


def _comparable(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """A response without the parts that always differ."""
    changing = {"x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"}
    headers = {name: value for name, value in answer.headers.items() if name not in changing}
    return answer.status_code, answer.content, headers


async def test_lists_contain_only_visible_records(cast: Cast) -> None:
    private, public = await cast.project("private"), await cast.project("public")
    names = {private: "private", public: "public"}

    async def listed(name: str, path: str) -> list[Any]:
        answer: list[Any] = (await cast[name].person.get(path)).json()
        return answer

    seen = {
        name: {names[entry["id"]] for entry in await listed(name, "/api/projects") if entry["id"] in names}
        for name in (*TEAM, "stranger")
    }
    both = {"private", "public"}
    rights = dict.fromkeys(TEAM, both) | {"unassigned": {"public"}, "stranger": set()}
    assert seen == rights
    for project in names:
        await make_session(cast, project)
        await make_webhook(cast, project)
    for path, readers in (("/api/v2/sessions", tuple(rights)), ("/api/webhooks", ("owner", "admin", "stranger"))):
        for name in readers:
            found = {names[entry["projectId"]] for entry in await listed(name, path) if entry["projectId"] in names}
            assert found == rights[name], (path, name)

    ours = {cast[name].person.user_id for name in TEAM}
    theirs = cast["stranger"].person.user_id
    assert {entry["userId"] for entry in await listed("unassigned", "/api/team")} >= ours
    assert {entry["userId"] for entry in await listed("stranger", "/api/team")} == {theirs}
    assert {entry["userId"] for entry in await listed("stranger", "/api/keys?include=team")} == {theirs}
    assert {entry["actor"]["userId"] for entry in await listed("stranger", "/api/audit")} == {theirs}
    assert theirs not in {entry["userId"] for entry in await listed("admin", "/api/keys?include=team")}

    own_key = await cast.key_of(cast["unassigned"])
    await cast.key_of(cast["owner"])
    own = await listed("unassigned", "/api/keys")
    whole = await listed("admin", "/api/keys?include=team")
    assert own[0]["id"] == own_key
    assert {entry["id"] for entry in own} == {
        entry["id"] for entry in whole if entry["userId"] == cast["unassigned"].person.user_id
    }


async def test_audit_filter_treats_foreign_projects_as_unknown(cast: Cast) -> None:
    project = await cast.project()
    stranger = cast["stranger"].person
    hidden, unknown = [await stranger.get(f"/api/audit?projectId={given}") for given in (project, ids.new("prj"))]
    assert _comparable(hidden) == _comparable(unknown)
    assert hidden.json() == []
    assert len((await cast.owner.get(f"/api/audit?projectId={project}")).json()) == 3


async def test_accounts_of_other_teams_are_not_revealed(cast: Cast) -> None:
    """Inviting an address or naming a user id does not reveal whether the account exists."""
    project = await cast.project()
    for path in ("/api/team", f"/api/projects/{project}/members"):
        answers = [(await cast.owner.post(path, {"email": email})) for email in (cast["stranger"].email, new_email())]
        assert [answer.status_code for answer in answers] == [201, 201]
        known, unknown = [
            {name: value for name, value in answer.json().items() if name not in ("id", "email", "invitedAt")}
            for answer in answers
        ]
        assert known == unknown == {"role": "member", "status": "invited"}
    route = BY_NAME["projects.remove_member"]
    removals = [
        await cast.send(cast["owner"], route, Ask({"id": project}, {"userId": user_id}))
        for user_id in (cast["stranger"].person.user_id, ids.new("usr"), "nobody")
    ]
    assert [_comparable(answer) for answer in removals] == [_comparable(removals[0])] * 3
    assert _outcome(removals[0]) == (404, "Member not found")


async def test_key_acts_only_in_its_team(cast: Cast) -> None:
    """The owner of another team joins ours; their old key and login still act in their own team."""
    guest = await register(cast.service, "guest")
    project = await cast.project("public")
    token = await cast.service.invitation_token(await cast.invitation(guest.email))
    joined = await cast.service.browser_call(
        "POST", "/api/team/invitations/accept", {COOKIE: guest.login}, json={"token": token}
    )
    cast.service.http.cookies.clear()
    new_login = Ask({"id": project}, login=joined.cookies[COOKIE])
    get = BY_NAME["projects.get"]
    assert (await cast.send(guest, get, new_login, by_login=True)).status_code == 200
    for by_login in (False, True):
        answer = await cast.send(guest, get, Ask({"id": project}), by_login=by_login)
        assert _outcome(answer) == (404, "Project not found")
    me = (await guest.person.get("/api/auth/me")).json()
    assert (me["teamId"], me["role"], len(me["teams"])) == (guest.person.team_id, "owner", 2)
