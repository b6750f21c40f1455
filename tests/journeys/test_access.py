"""Who may do what, from one table: every route by everybody, by key and by login; what is hidden is not told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from loremark.base import ids
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
from tests.contract.cast import ACTORS, COOKIE, TEAM, Actor, Ask, Cast, new_email, open_cast, register
from tests.contract.contract import load
from tests.contract.examples import BY_NAME, EXAMPLES, route_of
from tests.contract.examples_capture import make_session, make_webhook
from tests.journeys.access_table import NO, NOBODY, OUT, TABLE, UNSIGNED, Cell
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
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, anyio_backend: str
) -> AsyncIterator[Cast]:
    async with open_cast(request.param, tmp_path_factory.mktemp("access")) as everybody:
        yield everybody


def test_the_table_covers_exactly_the_routes_there_are() -> None:
    assert {route_of(row).name for row in TABLE} == {route.name for route in ROUTES}
    assert set(TABLE) == set(EXAMPLES)
    assert {len(cells) for cells in TABLE.values()} == {len(ACTORS)}


def test_the_table_and_the_contract_agree_on_who_is_refused() -> None:
    """Where the contract names roles, a plain member is refused; where it names none, nobody of the team is."""
    for endpoint in load().endpoints:
        if endpoint.name not in BY_NAME:
            continue
        cells = dict(zip(ACTORS, TABLE[endpoint.name], strict=True))
        assert (cells["assigned"] == NO) == bool(endpoint.roles), endpoint.name
        assert (cells["anonymous"] in (OUT, NOBODY)) == bool(set(endpoint.auth) & {"bearer", "cookie"}), endpoint.name
        assert endpoint.roles in ((), ("owner", "admin"), ("owner",))


@pytest.mark.parametrize("row", TABLE)
async def test_everybody_gets_what_the_table_says(cast: Cast, row: str) -> None:
    assert await _differences(cast, row, by_login=None) == []


@pytest.mark.parametrize("row", BY_LOGIN_TOO)
async def test_a_login_has_the_rights_of_the_same_persons_key(cast: Cast, row: str) -> None:
    assert await _differences(cast, row, by_login=True) == []


@pytest.mark.parametrize("row", ["ingest.send", "genesis.start", "genesis.status", "genesis.results", "genesis.cancel"])
@pytest.mark.parametrize("name", ACTORS)
async def test_neither_a_key_nor_a_login_is_a_signature(cast: Cast, name: str, row: str) -> None:
    route = BY_NAME[row]
    for by_login in (False, True):
        ask = replace(await EXAMPLES[row](cast, cast[name]), secret="")
        before = await _state(cast, ask)
        assert _outcome(await cast.send(cast[name], route, ask, by_login=by_login)) == UNSIGNED
        assert await _state(cast, ask) == before


async def _differences(cast: Cast, row: str, by_login: bool | None) -> list[str]:
    """Every cell of a row that is not as the table says, each tried on a fresh thing."""
    route = route_of(row)
    wrong: list[str] = []
    for name, expected in zip(ACTORS, TABLE[row], strict=True):
        actor = cast[name]
        ask = await EXAMPLES[row](cast, actor)
        before = None if isinstance(expected, int) else await _state(cast, ask)
        answer = await cast.send(actor, route, ask, by_login=by_login)
        if _outcome(answer) != expected:
            wrong.append(f"{name}: {_outcome(answer)}, not {expected}")
        if before is not None and await _state(cast, ask) != before:
            wrong.append(f"{name} was refused and yet changed something")
        if answer.status_code == 404:
            wrong += await _leaks(cast, actor, row, ask, answer, by_login)
    return wrong


def _outcome(answer: httpx.Response) -> Cell:
    if answer.status_code < 400:
        return answer.status_code
    body = answer.json()
    assert list(body) == ["error"], body
    return answer.status_code, body["error"]


async def _state(cast: Cast, ask: Ask) -> list[Any]:
    """What is kept of the team and of the project in question; the log's newest entry stands for the rest."""
    scope = cast.owner.team_id
    newest = select(audit_entries).where(audit_entries.c.team_id == scope).order_by(audit_entries.c.id.desc()).limit(1)
    statements = [newest, *(select(table).where(table.c.team_id == scope) for table in _OF_TEAM)]
    if ask.project:
        statements.append(select(projects).where(projects.c.id == ask.project))
        statements += [select(table).where(table.c.project_id == ask.project) for table in _OF_PROJECT]
    async with cast.service.house.database.read() as tx:
        return [
            sorted(
                repr([row[column.name] for column in statement.selected_columns]) for row in await tx.many(statement)
            )
            for statement in statements
        ]


async def _leaks(
    cast: Cast, actor: Actor, row: str, ask: Ask, answer: httpx.Response, by_login: bool | None
) -> list[str]:
    """What is hidden must look, byte for byte, like what does not exist."""
    unknown = (ids.new(ask.target.partition("_")[0]), "nothing-at-all")
    others = [await cast.send(actor, route_of(row), ask.about(other), by_login=by_login) for other in unknown]
    told = [_told(other) for other in others]
    return [f"{actor.name}: hidden {_told(answer)}, unknown {other}" for other in told if other != _told(answer)]


def _told(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """All of an answer but what differs between any two answers."""
    changing = {"x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"}
    headers = {name: value for name, value in answer.headers.items() if name not in changing}
    return answer.status_code, answer.content, headers


async def test_lists_hold_what_the_caller_may_see_and_nothing_else(cast: Cast) -> None:
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


async def test_another_teams_project_filters_the_log_like_an_unknown_one(cast: Cast) -> None:
    project = await cast.project()
    stranger = cast["stranger"].person
    hidden, unknown = [await stranger.get(f"/api/audit?projectId={given}") for given in (project, ids.new("prj"))]
    assert _told(hidden) == _told(unknown)
    assert hidden.json() == []
    assert len((await cast.owner.get(f"/api/audit?projectId={project}")).json()) == 3


async def test_an_account_of_another_team_is_told_apart_from_nobody_by_nothing(cast: Cast) -> None:
    """An invited address answers alike whether it has an account elsewhere or not; so does a user id."""
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
    assert [_told(answer) for answer in removals] == [_told(removals[0])] * 3
    assert _outcome(removals[0]) == (404, "Member not found")


async def test_a_key_acts_only_in_the_team_it_was_made_in(cast: Cast) -> None:
    """Somebody with a team of their own joins ours: their old key and login stay where they were."""
    guest = await register(cast.service, "guest")
    project = await cast.project("public")
    token = await cast.service.invitation_token(await cast.invitation(guest.email))
    joined = await cast.service.http.post("/api/team/invitations/accept", json={"token": token})
    cast.service.http.cookies.clear()
    new_login = Ask({"id": project}, login=joined.cookies[COOKIE])
    get = BY_NAME["projects.get"]
    assert (await cast.send(guest, get, new_login, by_login=True)).status_code == 200
    for by_login in (False, True):
        answer = await cast.send(guest, get, Ask({"id": project}), by_login=by_login)
        assert _outcome(answer) == (404, "Project not found")
    me = (await guest.person.get("/api/auth/me")).json()
    assert (me["teamId"], me["role"], len(me["teams"])) == (guest.person.team_id, "owner", 2)
