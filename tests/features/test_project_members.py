"""Project members: adding, inviting, removing, and project admins."""

from __future__ import annotations

import asyncio

import pytest

from loremark.base import clock, ids
from loremark.storage.tables import project_members
from tests.features.steps import (
    FORBIDDEN,
    NO_PROJECT,
    accept,
    cookies_of,
    insert_people,
    insert_rows,
    status_and_body,
)
from tests.support.people import Person
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

LAST_OWNER = (409, {"error": "The last owner cannot be removed"})
NO_MEMBER = (404, {"error": "Member not found"})


async def _members(person: Person, project: str) -> list[tuple[str, str]]:
    answer = await person.get(f"/api/projects/{project}/members")
    return [(entry["email"], entry["role"]) for entry in answer.json()]


async def test_add_and_remove_a_member(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    project = await owner.create_project()
    path = f"/api/projects/{project}/members"
    added = await owner.post(path, {"email": member.email.upper()})
    assert added.status_code == 201
    assert sorted(added.json()) == ["email", "joinedAt", "name", "role", "userId"]
    assert (added.json()["userId"], added.json()["role"]) == (member.user_id, "member")
    assert await _members(member, project) == [(owner.email, "owner"), (member.email, "member")]
    assert status_and_body(await owner.post(path, {"email": member.email})) == (409, {"error": "Already a member"})
    assert status_and_body(await owner.post(path, {"email": member.email, "role": "owner"})) == (
        400,
        {"error": "role must be one of admin, member"},
    )

    assert status_and_body(await owner.delete(path, {"userId": owner.user_id})) == LAST_OWNER
    assert status_and_body(await owner.delete(path, {"userId": "usr_nobody"})) == NO_MEMBER
    assert status_and_body(await owner.delete(path, {})) == (400, {"error": "userId is required"})
    removed = await owner.delete(path, {"userId": member.user_id})
    assert (removed.status_code, removed.content) == (204, b"")
    assert status_and_body(await member.get(f"/api/projects/{project}")) == NO_PROJECT
    assert status_and_body(await owner.delete(path, {"userId": member.user_id})) == NO_MEMBER
    assert (await member.get("/api/auth/me")).status_code == 200  # still in the team


async def test_unknown_address_is_invited_to_team_and_project(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project("Wanted"), await owner.create_project("Other")
    invited = await owner.post(f"/api/projects/{project}/members", {"email": "new@example.com", "role": "admin"})
    assert invited.status_code == 201
    assert sorted(invited.json()) == ["email", "id", "invitedAt", "role", "status"]
    assert (invited.json()["status"], invited.json()["role"]) == ("invited", "admin")
    assert await _members(owner, project) == [(owner.email, "owner")]

    joined = await accept(service, await service.invitation_token(invited.json()["id"]), password=PASSWORD)
    assert joined.json()["role"] == "member"  # project admin, but only a team member
    login = cookies_of(service, joined)
    listed = (await service.browser_call("GET", "/api/projects", login)).json()
    assert [entry["id"] for entry in listed] == [project]
    changed = await service.browser_call("PATCH", f"/api/projects/{project}", login, json={"name": "Theirs"})
    assert (changed.status_code, changed.json()["memberCount"]) == (200, 2)
    assert status_and_body(await service.browser_call("GET", f"/api/projects/{other}", login)) == NO_PROJECT


async def test_project_invitation_ends_with_the_project(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    invited = (await owner.post(f"/api/projects/{project}/members", {"email": "new@example.com"})).json()["id"]
    token = await service.invitation_token(invited)
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    refused = await accept(service, token, password=PASSWORD)
    assert status_and_body(refused) == (400, {"error": "Invitation is invalid or expired"})
    await service.wait_for_jobs()


async def test_project_admin_cannot_invite_outsiders(service: Service) -> None:
    owner = await service.owner()
    lead, colleague = await service.join(owner), await service.join(owner)
    project, other = await owner.create_project(), await owner.create_project("Other")
    path = f"/api/projects/{project}"
    await owner.post(f"{path}/members", {"email": lead.email, "role": "admin"})
    assert (await lead.post(f"{path}/members", {"email": colleague.email})).status_code == 201
    assert status_and_body(await lead.post(f"{path}/members", {"email": "outsider@example.com"})) == FORBIDDEN
    assert (await owner.get("/api/team?include=invited")).json()[-1]["email"] == colleague.email
    assert (await lead.patch(path, {"description": "Led"})).status_code == 200
    assert (await lead.get(f"{path}/hmac-secret")).status_code == 200
    assert status_and_body(await lead.post("/api/team", {"email": "outsider@example.com"})) == FORBIDDEN
    assert status_and_body(await lead.patch(f"/api/projects/{other}", {"name": "x"})) == NO_PROJECT

    for method, body in (
        ("POST", {"email": lead.email}),
        ("DELETE", {"userId": owner.user_id}),
    ):
        assert status_and_body(await colleague.call(method, f"{path}/members", body)) == FORBIDDEN
    assert status_and_body(await lead.delete(f"{path}/members", {"userId": owner.user_id})) == LAST_OWNER
    assert (await lead.delete(f"{path}/members", {"userId": lead.user_id})).status_code == 204
    assert status_and_body(await lead.get(path)) == NO_PROJECT


async def test_concurrent_owner_removals_leave_one_owner(service: Service) -> None:
    owner = await service.owner()
    second = await service.join(owner, "admin")
    project = await owner.create_project()
    row = {"project_id": project, "user_id": second.user_id, "team_id": owner.team_id, "role": "owner"}
    await insert_rows(service, project_members, [{**row, "joined_id": ids.new("joi"), "joined_at_ms": clock.now_ms()}])
    path = f"/api/projects/{project}/members"
    answers = await asyncio.gather(
        owner.delete(path, {"userId": owner.user_id}), second.delete(path, {"userId": second.user_id})
    )
    assert sorted(answer.status_code for answer in answers) == [204, 409]
    assert len(await _members(owner, project)) == 1


async def test_member_pagination_oldest_first(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    user_ids = await insert_people(service, owner.team_id, 1_204)
    shared = {"project_id": project, "team_id": owner.team_id, "role": "member", "joined_at_ms": clock.now_ms()}
    await insert_rows(
        service, project_members, [{"user_id": user_id, "joined_id": ids.new("joi"), **shared} for user_id in user_ids]
    )
    seen: list[str] = []
    path = f"/api/projects/{project}/members"
    while path:
        page = await owner.get(path)
        assert len(page.json()) <= 1000
        seen += [entry["userId"] for entry in page.json()]
        cursor = page.headers.get("x-next-cursor")
        path = f"/api/projects/{project}/members?limit=241&cursor={cursor}" if cursor else ""
    assert seen == [owner.user_id, *user_ids]
    assert len((await owner.get(f"/api/projects/{project}/members?limit=3")).json()) == 3


async def test_removal_between_pages_skips_no_member(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    user_ids = await insert_people(service, owner.team_id, 6)
    shared = {"project_id": project, "team_id": owner.team_id, "role": "member", "joined_at_ms": clock.now_ms()}
    await insert_rows(
        service, project_members, [{"user_id": user_id, "joined_id": ids.new("joi"), **shared} for user_id in user_ids]
    )
    path = f"/api/projects/{project}/members"
    first = await owner.get(f"{path}?limit=3")
    last_seen = first.json()[-1]["userId"]
    assert (await owner.delete(path, {"userId": last_seen})).status_code == 204
    rest = await owner.get(f"{path}?cursor={first.headers['x-next-cursor']}")
    assert [entry["userId"] for entry in rest.json()] == user_ids[2:]
