"""What an invitation grants: a team role and projects, and nothing from earlier memberships."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base import clock, errors, limits
from loremark.base.caller import Scope
from loremark.features.team import invitations
from loremark.features.team.jobs import without_links
from loremark.storage.tables import audit_entries, invitation_projects
from tests.features.steps import accept, cookies_of, run_sql, status_and_body
from tests.support.people import Person
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

GUEST = "guest@example.com"
INVALID_LINK = (400, {"error": "Invitation is invalid or expired"})


async def _invite(owner: Person, path: str, role: str = "member", email: str = GUEST) -> dict[str, Any]:
    answer = await owner.post(path, {"email": email, "role": role})
    assert answer.status_code == 201, answer.text
    invited: dict[str, Any] = answer.json()
    return invited


async def _invite_to_project(owner: Person, project: str, role: str = "member") -> dict[str, Any]:
    return await _invite(owner, f"/api/projects/{project}/members", role)


async def _join(service: Service, invitation: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Accept the invitation; returns the member and the visible projects."""
    joined = await accept(service, await service.invitation_token(invitation["id"]), password=PASSWORD)
    assert joined.status_code == 200, joined.text
    listed = await service.browser_call("GET", "/api/projects", cookies_of(service, joined))
    return joined.json(), sorted(entry["id"] for entry in listed.json())


async def _role_in(owner: Person, project: str) -> str | None:
    members = (await owner.get(f"/api/projects/{project}/members")).json()
    return next((entry["role"] for entry in members if entry["email"] == GUEST), None)


async def _pending_invitations(owner: Person) -> list[tuple[str, str]]:
    entries = (await owner.get("/api/team?include=invited")).json()
    return [(entry["id"], entry["role"]) for entry in entries if entry["status"] == "invited"]


async def _count_invitation_projects(service: Service) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(invitation_projects)))


async def test_reinvited_member_gets_no_former_projects(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    await _invite_to_project(owner, first, "admin")
    member, found = await _join(service, await _invite_to_project(owner, second))
    assert found == sorted([first, second])
    assert (await owner.delete(f"/api/team/{member['id']}")).status_code == 204

    again = await _invite(owner, "/api/team")
    assert again["role"] == "member"
    member, found = await _join(service, again)
    assert (member["role"], found) == ("member", [])
    assert (await _role_in(owner, first), await _role_in(owner, second)) == (None, None)

    # An invitation to one project restores neither other projects nor former roles.
    assert (await owner.patch(f"/api/team/{member['id']}", {"role": "admin"})).status_code == 200
    assert (await owner.delete(f"/api/team/{member['id']}")).status_code == 204
    member, found = await _join(service, await _invite_to_project(owner, first))
    assert (member["role"], found) == ("member", [first])
    assert (await _role_in(owner, first), await _role_in(owner, second)) == ("member", None)


async def test_removed_admin_returns_as_member_through_a_project(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    member, _ = await _join(service, await _invite(owner, "/api/team", "admin"))
    assert (await owner.delete(f"/api/team/{member['id']}")).status_code == 204
    member, found = await _join(service, await _invite_to_project(owner, project))
    assert (member["role"], found) == ("member", [project])


async def test_team_and_project_roles_are_separate(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    invited = await _invite_to_project(owner, project, "admin")
    assert invited["role"] == "admin"
    assert await _pending_invitations(owner) == [(invited["id"], "member")]

    assert (await _invite_to_project(owner, project, "member"))["role"] == "member"
    upgraded = await _invite(owner, "/api/team", "admin")
    assert (upgraded["id"], upgraded["role"]) == (invited["id"], "admin")
    assert await _pending_invitations(owner) == [(invited["id"], "admin")]
    member, _ = await _join(service, upgraded)
    assert (member["role"], await _role_in(owner, project)) == ("admin", "member")


async def test_project_invitation_keeps_the_team_role(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _invite(owner, "/api/team", "admin")
    invited = await _invite_to_project(owner, project)
    assert invited["role"] == "member"
    assert await _pending_invitations(owner) == [(invited["id"], "admin")]
    member, _ = await _join(service, invited)
    assert (member["role"], await _role_in(owner, project)) == ("admin", "member")


async def test_invitation_includes_every_project(service: Service) -> None:
    owner = await service.owner()
    first, second, third = [await owner.create_project(name) for name in ("First", "Second", "Third")]
    await owner.create_project("Not theirs")
    await _invite_to_project(owner, first, "admin")
    await _invite_to_project(owner, second)
    await _invite_to_project(owner, third, "admin")
    await _invite_to_project(owner, third)  # the last role wins
    invited = await _invite(owner, "/api/team")
    member, found = await _join(service, invited)
    assert found == sorted([first, second, third])
    assert [await _role_in(owner, project) for project in (first, second, third)] == ["admin", "member", "member"]
    assert await _count_invitation_projects(service) == 0

    async with service.runtime.database.read() as tx:
        rows = await tx.many(select(audit_entries).where(audit_entries.c.actor_id == member["userId"]))
    recorded = {(row["action"], row["project_id"]) for row in rows}
    assert {("team.member_joined", None), *(("project.member_added", project) for project in found)} <= recorded


async def test_expired_invitation_starts_over(service: Service) -> None:
    owner = await service.owner()
    old, new = await owner.create_project("Old"), await owner.create_project("New")
    await _invite(owner, "/api/team", "admin")
    await _invite_to_project(owner, old, "admin")
    await run_sql(service, f"UPDATE invitations SET expires_at_ms = {clock.now_ms() - 1}")
    member, found = await _join(service, await _invite_to_project(owner, new))
    assert (member["role"], found) == ("member", [new])
    assert await _count_invitation_projects(service) == 0


async def test_revoked_invitation_loses_its_projects(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    await _invite_to_project(owner, first)
    invited = await _invite_to_project(owner, second)
    assert (await owner.delete(f"/api/team/{invited['id']}")).status_code == 204
    assert await _count_invitation_projects(service) == 0
    _, found = await _join(service, await _invite(owner, "/api/team"))
    assert found == []


async def test_deleted_project_is_removed_from_invitations(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    await _invite_to_project(owner, first)
    invited = await _invite_to_project(owner, second)
    token = await service.invitation_token(invited["id"])
    assert (await owner.delete(f"/api/projects/{first}")).status_code == 204
    assert await _pending_invitations(owner) == [(invited["id"], "member")]
    assert (await owner.delete(f"/api/projects/{second}")).status_code == 204
    assert await _pending_invitations(owner) == []  # it was only for these two projects
    assert status_and_body(await accept(service, token, password=PASSWORD)) == INVALID_LINK
    await service.wait_for_jobs()


async def test_team_invitation_survives_project_deletion(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _invite_to_project(owner, project)
    invited = await _invite(owner, "/api/team", "admin")
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    member, found = await _join(service, invited)
    assert (member["role"], found) == ("admin", [])
    await service.wait_for_jobs()


async def test_concurrent_project_deletions_leave_no_empty_invitation(service: Service) -> None:
    owner = await service.owner()
    projects = [await owner.create_project(name) for name in ("First", "Second")]
    for project in projects:
        await _invite_to_project(owner, project)
    deletions = await asyncio.gather(*(owner.delete(f"/api/projects/{project}") for project in projects))
    assert [answer.status_code for answer in deletions] == [204, 204]
    assert await _pending_invitations(owner) == []
    await service.wait_for_jobs()


async def test_archived_project_is_joined_on_acceptance(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    invited = await _invite_to_project(owner, project)
    assert (await owner.patch(f"/api/projects/{project}", {"status": "archived"})).status_code == 200
    refused = await owner.post(f"/api/projects/{project}/members", {"email": GUEST})
    assert status_and_body(refused) == (409, {"error": "Project is archived"})
    _, found = await _join(service, invited)
    assert found == [project]
    assert await _role_in(owner, project) == "member"


async def test_concurrent_accept_and_renewal_leave_no_pending_invitation(service: Service) -> None:
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
        # Either the renewal invalidated the old link, or the new member can no longer be invited.
        if joined.status_code == 200:
            assert (status, again.status_code) in (("active", 201), ("active", 409))
        else:
            assert (status, again.status_code, status_and_body(joined)) == ("invited", 201, INVALID_LINK)
    await service.wait_for_jobs()


@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="invite=2/hour")
async def test_invitations_are_limited_per_address_and_team(service: Service) -> None:
    """Each sends an email to somebody who did not ask for it."""
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        first, second = await service.owner(), await service.owner()
        project = await first.create_project()
        tried = [
            await first.post("/api/team", {"email": GUEST, "role": "member"}),
            await first.post(f"/api/projects/{project}/members", {"email": GUEST, "role": "member"}),
            await second.post("/api/team", {"email": GUEST.upper(), "role": "member"}),
        ]
        assert [answer.status_code for answer in tried] == [201, 201, 429]
        assert tried[2].json()["error"].startswith("Rate limit exceeded. Please retry after")
        others = [await first.post("/api/team", {"email": f"{at}@example.com", "role": "member"}) for at in range(59)]
        assert [answer.status_code for answer in others] == [201] * 58 + [429]


@pytest.mark.both_engines
async def test_pending_invitations_are_limited_and_listed_in_pages(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "INVITATIONS", 3)
    owner = await service.owner()
    made = [await _invite(owner, "/api/team", email=f"{at}@example.com") for at in range(3)]
    full = await owner.post("/api/team", {"email": "late@example.com", "role": "member"})
    assert status_and_body(full) == (409, {"error": errors.INVITATION_LIMIT.text})
    assert (await _invite(owner, "/api/team", email="1@example.com"))["id"] == made[1]["id"], "renewing is allowed"
    async with service.runtime.database.read() as tx:
        scope = Scope(owner.team_id)
        page = await invitations.list_open(tx, scope, after=made[0]["id"], take=1)
    assert [row["id"] for row in page] == [made[1]["id"]]
    assert (await owner.delete(f"/api/team/{made[0]['id']}")).status_code == 204
    assert (await _invite(owner, "/api/team", email="late@example.com"))["status"] == "invited"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Your bank: log in at http://evil.example/a?b", "Your bank log in at http evil example a?b"),
        ("www.evil.example", "www evil example"),
        ("Dr. Ada O'Neil-Söhne, Inc.", "Dr. Ada O'Neil-Söhne, Inc."),
        ("help@evil.example", "help evil example"),
        ("x" * 90, "x" * 60),
    ],
)
def test_names_in_invitation_emails_are_no_links(name: str, shown: str) -> None:
    assert without_links(name) == shown
