"""What an invitation brings: a role in the team, projects with roles of their own, and nothing of before."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base import clock
from loremark.storage.tables import audit_entries, invitation_projects
from tests.features.world import accept, cookies_of, run_sql, told
from tests.support.people import Person
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

GUEST = "guest@example.com"
DEAD_LINK = (400, {"error": "Invitation is invalid or expired"})


async def _invite(owner: Person, path: str, role: str = "member", email: str = GUEST) -> dict[str, Any]:
    answer = await owner.post(path, {"email": email, "role": role})
    assert answer.status_code == 201, answer.text
    invited: dict[str, Any] = answer.json()
    return invited


async def _to_project(owner: Person, project: str, role: str = "member") -> dict[str, Any]:
    return await _invite(owner, f"/api/projects/{project}/members", role)


async def _join(service: Service, invitation: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The new member, and the projects they find."""
    joined = await accept(service, await service.invitation_token(invitation["id"]), password=PASSWORD)
    assert joined.status_code == 200, joined.text
    listed = await service.browser_call("GET", "/api/projects", cookies_of(service, joined))
    return joined.json(), sorted(entry["id"] for entry in listed.json())


async def _role_in(owner: Person, project: str) -> str | None:
    members = (await owner.get(f"/api/projects/{project}/members")).json()
    return next((entry["role"] for entry in members if entry["email"] == GUEST), None)


async def _listed(owner: Person) -> list[tuple[str, str]]:
    entries = (await owner.get("/api/team?include=invited")).json()
    return [(entry["id"], entry["role"]) for entry in entries if entry["status"] == "invited"]


async def _bound(service: Service) -> int:
    async with service.house.database.read() as tx:
        return len(await tx.many(select(invitation_projects)))


async def test_who_was_removed_and_is_invited_to_the_team_gets_no_project_back(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    await _to_project(owner, first, "admin")
    member, found = await _join(service, await _to_project(owner, second))
    assert found == sorted([first, second])
    assert (await owner.delete(f"/api/team/{member['id']}")).status_code == 204

    again = await _invite(owner, "/api/team")
    assert again["role"] == "member"
    member, found = await _join(service, again)
    assert (member["role"], found) == ("member", [])
    assert (await _role_in(owner, first), await _role_in(owner, second)) == (None, None)

    # Nor does a project bring back another one, its role there, or the role in the team.
    assert (await owner.patch(f"/api/team/{member['id']}", {"role": "admin"})).status_code == 200
    assert (await owner.delete(f"/api/team/{member['id']}")).status_code == 204
    member, found = await _join(service, await _to_project(owner, first))
    assert (member["role"], found) == ("member", [first])
    assert (await _role_in(owner, first), await _role_in(owner, second)) == ("member", None)


async def test_an_admin_who_was_removed_comes_back_through_a_project_as_a_member(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    member, _ = await _join(service, await _invite(owner, "/api/team", "admin"))
    assert (await owner.delete(f"/api/team/{member['id']}")).status_code == 204
    member, found = await _join(service, await _to_project(owner, project))
    assert (member["role"], found) == ("member", [project])


async def test_the_team_tells_the_teams_role_and_a_project_its_own(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    invited = await _to_project(owner, project, "admin")
    assert invited["role"] == "admin"
    assert await _listed(owner) == [(invited["id"], "member")]

    assert (await _to_project(owner, project, "member"))["role"] == "member"
    raised = await _invite(owner, "/api/team", "admin")
    assert (raised["id"], raised["role"]) == (invited["id"], "admin")
    assert await _listed(owner) == [(invited["id"], "admin")]
    member, _ = await _join(service, raised)
    assert (member["role"], await _role_in(owner, project)) == ("admin", "member")


async def test_an_invitation_to_a_project_leaves_the_role_in_the_team_as_it_was_asked_for(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _invite(owner, "/api/team", "admin")
    invited = await _to_project(owner, project)
    assert invited["role"] == "member"
    assert await _listed(owner) == [(invited["id"], "admin")]
    member, _ = await _join(service, invited)
    assert (member["role"], await _role_in(owner, project)) == ("admin", "member")


async def test_every_project_one_was_invited_to_counts(service: Service) -> None:
    owner = await service.owner()
    first, second, third = [await owner.create_project(name) for name in ("First", "Second", "Third")]
    await owner.create_project("Not theirs")
    await _to_project(owner, first, "admin")
    await _to_project(owner, second)
    await _to_project(owner, third, "admin")
    await _to_project(owner, third)  # said again, the last word counts
    invited = await _invite(owner, "/api/team")
    member, found = await _join(service, invited)
    assert found == sorted([first, second, third])
    assert [await _role_in(owner, project) for project in (first, second, third)] == ["admin", "member", "member"]
    assert await _bound(service) == 0

    async with service.house.database.read() as tx:
        rows = await tx.many(select(audit_entries).where(audit_entries.c.actor_id == member["userId"]))
    told_of = {(row["action"], row["project_id"]) for row in rows}
    assert {("team.joined", None), *(("project.member_added", project) for project in found)} <= told_of


async def test_of_an_expired_invitation_nothing_comes_back(service: Service) -> None:
    owner = await service.owner()
    old, new = await owner.create_project("Old"), await owner.create_project("New")
    await _invite(owner, "/api/team", "admin")
    await _to_project(owner, old, "admin")
    await run_sql(service, f"UPDATE invitations SET expires_at_ms = {clock.now_ms() - 1}")
    member, found = await _join(service, await _to_project(owner, new))
    assert (member["role"], found) == ("member", [new])
    assert await _bound(service) == 0


async def test_an_invitation_taken_back_takes_all_of_its_projects_with_it(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    await _to_project(owner, first)
    invited = await _to_project(owner, second)
    assert (await owner.delete(f"/api/team/{invited['id']}")).status_code == 204
    assert await _bound(service) == 0
    _, found = await _join(service, await _invite(owner, "/api/team"))
    assert found == []


async def test_a_deleted_project_is_taken_out_of_an_invitation_to_more_than_it(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    await _to_project(owner, first)
    invited = await _to_project(owner, second)
    token = await service.invitation_token(invited["id"])
    assert (await owner.delete(f"/api/projects/{first}")).status_code == 204
    assert await _listed(owner) == [(invited["id"], "member")]
    assert (await owner.delete(f"/api/projects/{second}")).status_code == 204
    assert await _listed(owner) == []  # it was to these two, and to nothing else
    assert told(await accept(service, token, password=PASSWORD)) == DEAD_LINK
    await service.wait_for_jobs()


async def test_an_invitation_to_the_team_outlives_a_project(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _to_project(owner, project)
    invited = await _invite(owner, "/api/team", "admin")
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    member, found = await _join(service, invited)
    assert (member["role"], found) == ("admin", [])
    await service.wait_for_jobs()


async def test_two_projects_deleted_at_once_leave_no_empty_invitation(service: Service) -> None:
    owner = await service.owner()
    projects = [await owner.create_project(name) for name in ("First", "Second")]
    for project in projects:
        await _to_project(owner, project)
    gone = await asyncio.gather(*(owner.delete(f"/api/projects/{project}") for project in projects))
    assert [answer.status_code for answer in gone] == [204, 204]
    assert await _listed(owner) == []
    await service.wait_for_jobs()


async def test_a_project_archived_meanwhile_is_joined_all_the_same(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    invited = await _to_project(owner, project)
    assert (await owner.patch(f"/api/projects/{project}", {"status": "archived"})).status_code == 200
    refused = await owner.post(f"/api/projects/{project}/members", {"email": GUEST})
    assert told(refused) == (409, {"error": "Project is archived"})
    _, found = await _join(service, invited)
    assert found == [project]
    assert await _role_in(owner, project) == "member"


async def test_who_joins_while_being_invited_again_is_not_left_with_an_open_invitation(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    for number in range(5):
        email = f"guest{number}@example.com"
        invited = await _invite(owner, "/api/team", email=email)
        token = await service.invitation_token(invited["id"])
        joined, again = await asyncio.gather(
            accept(service, token, password=PASSWORD),
            owner.post(f"/api/projects/{project}/members", {"email": email}),
        )
        entries = (await owner.get("/api/team?include=invited")).json()
        [status] = [entry["status"] for entry in entries if entry["email"] == email]
        # Whoever was first: an invitation renewed in time ends the old link, a member is invited no more.
        if joined.status_code == 200:
            assert (status, again.status_code) in (("active", 201), ("active", 409))
        else:
            assert (status, again.status_code, told(joined)) == ("invited", 201, DEAD_LINK)
    await service.wait_for_jobs()
