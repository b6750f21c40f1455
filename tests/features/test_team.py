"""Team members: invitation emails, joining, roles and removal."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select, update

from loremark.base import clock, ids
from loremark.base.clock import HOUR_MS, SECOND_MS
from loremark.storage.tables import project_members, team_members
from tests.features.signed_tool import Tool, tool_for
from tests.features.steps import (
    FORBIDDEN,
    UNAUTHENTICATED,
    WRONG_PASSWORD,
    accept,
    cookies_of,
    emails_to,
    insert_people,
    insert_rows,
    log_in,
    status_and_body,
    token_in,
)
from tests.support.people import Person
from tests.support.service import BASE_URL, PASSWORD, Service

pytestmark = pytest.mark.anyio

INVALID_LINK = (400, {"error": "Invitation is invalid or expired"})
NO_MEMBER = (404, {"error": "Member not found"})


async def _emails(person: Person, path: str = "/api/team") -> list[str]:
    return [entry["email"] for entry in (await person.get(path)).json()]


@pytest.mark.own_service
async def test_renewed_invitation_invalidates_the_old_link(service: Service, tmp_path: Path) -> None:
    owner = await service.owner("Stones")
    invited = await owner.post("/api/team", {"email": "Bob@Example.com", "role": "admin"})
    assert invited.status_code == 201
    first = invited.json()
    assert sorted(first) == ["email", "id", "invitedAt", "role", "status"]
    assert (first["email"], first["role"], first["status"]) == ("Bob@Example.com", "admin", "invited")
    [(subject, text)] = await emails_to(tmp_path, "Bob@Example.com")
    assert subject == "Olga Owner invited you to join Stones on Loremark"
    assert f"{BASE_URL}/invitation?token=" in text

    again = (await owner.post("/api/team", {"email": "bob@example.COM"})).json()
    assert (again["id"], again["role"]) == (first["id"], "member")
    [(_, renewed)] = await emails_to(tmp_path, "bob@example.COM")
    assert status_and_body(await accept(service, token_in(text), password=PASSWORD)) == INVALID_LINK
    assert status_and_body(await accept(service, token_in(renewed) + "x", password=PASSWORD)) == INVALID_LINK

    joined = await accept(service, token_in(renewed), name="Bob", password=PASSWORD)
    member = joined.json()
    assert joined.status_code == 200
    assert sorted(member) == ["email", "id", "joinedAt", "name", "role", "status", "userId"]
    assert (member["name"], member["role"], member["status"]) == ("Bob", "member", "active")
    me = await service.browser_call("GET", "/api/auth/me", cookies_of(service, joined))
    assert (me.json()["userId"], me.json()["teamId"]) == (member["userId"], owner.team_id)

    assert status_and_body(await accept(service, token_in(renewed), password=PASSWORD)) == INVALID_LINK
    for spelling in ("bob@example.com", "BOB@EXAMPLE.COM"):
        assert status_and_body(await owner.post("/api/team", {"email": spelling})) == (
            409,
            {"error": "Already a member"},
        )
    assert (await log_in(service, "BOB@example.com")).status_code == 200


async def test_invitation_link_expires_and_works_once(service: Service) -> None:
    owner = await service.owner()
    now_ms = clock.now_ms()
    tokens = {}
    with clock.use(lambda: now_ms):
        for email in ("early@example.com", "late@example.com"):
            invited = (await owner.post("/api/team", {"email": email})).json()
            tokens[email] = (invited["id"], await service.invitation_token(invited["id"]))
    await service.wait_for_jobs()
    with clock.use(lambda: now_ms + 72 * HOUR_MS - SECOND_MS):
        assert (await accept(service, tokens["early@example.com"][1], password=PASSWORD)).status_code == 200
    with clock.use(lambda: now_ms + 72 * HOUR_MS):
        assert status_and_body(await accept(service, tokens["late@example.com"][1], password=PASSWORD)) == INVALID_LINK
        renewed = (await owner.post("/api/team", {"email": "late@example.com"})).json()["id"]
        assert renewed == tokens["late@example.com"][0]
        fresh = await service.invitation_token(renewed)
        assert (await accept(service, fresh, password=PASSWORD)).status_code == 200
        await service.wait_for_jobs()


async def test_new_account_requires_a_password(service: Service) -> None:
    owner = await service.owner()
    invited = (await owner.post("/api/team", {"email": "new@example.com"})).json()["id"]
    token = await service.invitation_token(invited)
    assert status_and_body(await accept(service, token)) == (400, {"error": "password is required"})
    weak = await accept(service, token, password="short")
    assert status_and_body(weak) == (400, {"error": "password must have at least 8 characters"})
    joined = await accept(service, token, password=PASSWORD)  # the failed attempt did not consume the link
    assert (joined.status_code, joined.json()["name"]) == (200, "new")


async def test_existing_account_joins_after_signing_in(service: Service) -> None:
    """The link alone, which may have reached another mailbox, opens nobody's account."""
    theirs, ours = await service.owner("Theirs"), await service.owner("Ours")
    project = await theirs.create_project("At home")
    guest = await service.join(theirs, "admin")
    invited = (await ours.post("/api/team", {"email": guest.email.upper()})).json()["id"]
    token = await service.invitation_token(invited)
    alone = await accept(service, token)
    refusal = {"error": "This address has an account. Sign in to accept the invitation"}
    assert (status_and_body(alone), "set-cookie" in alone.headers) == ((401, refusal), False)
    wrong = await accept(service, token, password="a password from the link")
    assert status_and_body(wrong) == WRONG_PASSWORD
    other = await service.join(theirs)
    stranger = cookies_of(service, await log_in(service, other.email))
    call = partial(service.browser_call, "POST", "/api/team/invitations/accept", json={"token": token})
    assert status_and_body(await call(stranger)) == (401, refusal)
    preview = {"token": token}
    path = "/api/team/invitations/preview"
    assert (await service.browser_call("POST", path, stranger, json=preview)).json()["signedIn"] is False
    own = cookies_of(service, await log_in(service, guest.email))
    assert (await service.browser_call("POST", path, own, json=preview)).json()["signedIn"] is True
    joined = await call(own)
    assert (joined.status_code, joined.json()["userId"]) == (200, guest.user_id)

    me = (await service.browser_call("GET", "/api/auth/me", cookies_of(service, joined))).json()
    assert (me["teamId"], me["role"]) == (ours.team_id, "member")
    assert [team["name"] for team in me["teams"]] == ["Theirs", "Ours"]
    own_team = (await guest.get("/api/auth/me")).json()
    assert (own_team["teamId"], own_team["role"]) == (theirs.team_id, "admin")
    assert [entry["id"] for entry in (await guest.get("/api/projects")).json()] == [project]

    assert (await log_in(service, guest.email, PASSWORD)).status_code == 200

    assert (await ours.delete(f"/api/team/{joined.json()['id']}")).status_code == 204
    assert (await guest.get("/api/projects")).status_code == 200
    assert (
        status_and_body(await service.browser_call("GET", "/api/auth/me", cookies_of(service, joined)))
        == UNAUTHENTICATED
    )


async def test_pending_invitations_are_listed_and_revoked(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    member = await service.join(owner)
    invited = (await owner.post("/api/team", {"email": "open@example.com", "role": "admin"})).json()
    assert await _emails(owner) == [owner.email, member.email]
    entries = (await member.get("/api/team?include=invited")).json()
    assert [entry["email"] for entry in entries] == [owner.email, member.email, "open@example.com"]
    assert entries[-1] == invited
    assert sorted(entries[0]) == ["email", "id", "joinedAt", "name", "role", "status", "userId"]
    wrong = await owner.get("/api/team?include=everyone")
    assert status_and_body(wrong) == (400, {"error": "include must be one of invited"})

    token = await service.invitation_token(invited["id"])
    assert status_and_body(await stranger.delete(f"/api/team/{invited['id']}")) == NO_MEMBER
    assert status_and_body(await member.delete(f"/api/team/{invited['id']}")) == FORBIDDEN
    assert (await owner.delete(f"/api/team/{invited['id']}")).status_code == 204
    assert status_and_body(await accept(service, token, password=PASSWORD)) == INVALID_LINK
    assert await _emails(owner, "/api/team?include=invited") == [owner.email, member.email]
    assert status_and_body(await owner.delete(f"/api/team/{invited['id']}")) == NO_MEMBER


async def test_pages_with_invitations_respect_the_limit(service: Service) -> None:
    owner = await service.owner()
    await service.join(owner)
    for number in range(3):
        await owner.post("/api/team", {"email": f"open{number}@example.com"})
    expected = await _emails(owner, "/api/team?include=invited")
    seen: list[str] = []
    path = "/api/team?include=invited&limit=2"
    for _ in range(10):
        page = await owner.get(path)
        assert len(page.json()) <= 2
        seen += [entry["email"] for entry in page.json()]
        if "x-next-cursor" not in page.headers:
            break
        path = f"/api/team?include=invited&limit=2&cursor={page.headers['x-next-cursor']}"
    assert seen == expected


async def test_role_change_takes_effect_immediately(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    project = await owner.create_project()
    invitation = {"email": "x@example.com"}
    assert status_and_body(await member.post("/api/team", invitation)) == FORBIDDEN
    assert status_and_body(await member.patch(f"/api/team/{member.member_id}", {"role": "admin"})) == FORBIDDEN

    changed = await owner.patch(f"/api/team/{member.member_id}", {"role": "admin"})
    assert (changed.status_code, changed.json()["role"], changed.json()["id"]) == (200, "admin", member.member_id)
    assert (await member.post("/api/team", invitation)).status_code == 201
    assert (await member.get(f"/api/projects/{project}")).status_code == 200
    assert (await member.get("/api/auth/me")).json()["role"] == "admin"

    assert (await owner.patch(f"/api/team/{member.member_id}", {"role": "member"})).status_code == 200
    assert status_and_body(await member.post("/api/team", invitation)) == FORBIDDEN
    assert (await member.get(f"/api/projects/{project}")).status_code == 404

    for role in ("owner", "guest", None):
        refused = await owner.patch(f"/api/team/{member.member_id}", {"role": role})
        assert status_and_body(refused) == (400, {"error": "role must be one of admin, member"})
    assert status_and_body(await owner.patch("/api/team/mem_nobody", {"role": "admin"})) == NO_MEMBER
    other_owner = await service.owner("Others")
    assert status_and_body(await other_owner.patch(f"/api/team/{member.member_id}", {"role": "admin"})) == NO_MEMBER


async def test_owner_cannot_be_removed_or_demoted(service: Service) -> None:
    owner = await service.owner()
    admin = await service.join(owner, "admin")
    owner_id = (await owner.get("/api/team")).json()[0]["id"]
    for person in (owner, admin):
        removed = await person.delete(f"/api/team/{owner_id}")
        assert status_and_body(removed) == (409, {"error": "The owner cannot be removed"})
        changed = await person.patch(f"/api/team/{owner_id}", {"role": "member"})
        assert status_and_body(changed) == (409, {"error": "The owner's role cannot be changed"})
    assert (await owner.get("/api/auth/me")).json()["role"] == "owner"


async def test_removal_ends_all_access_immediately(service: Service) -> None:
    owner = await service.owner()
    admin = await service.join(owner, "admin")
    own_project = await admin.create_project("Mine alone")
    shared = await owner.create_project("Shared", visibility="public")
    assert (await owner.post(f"/api/projects/{shared}/members", {"email": admin.email})).status_code == 201
    login = cookies_of(service, await log_in(service, admin.email))
    second_key = (await admin.post("/api/keys", {"name": "second"})).json()["key"]
    assert (await service.browser_call("GET", "/api/projects", login)).status_code == 200

    assert (await owner.delete(f"/api/team/{admin.member_id}")).status_code == 204
    for key in (admin.key, second_key):
        answer = await service.http.get("/api/projects", headers={"Authorization": f"Bearer {key}"})
        assert status_and_body(answer) == UNAUTHENTICATED
    assert status_and_body(await service.browser_call("GET", "/api/projects", login)) == UNAUTHENTICATED
    assert status_and_body(await log_in(service, admin.email)) == WRONG_PASSWORD
    assert await _emails(owner) == [owner.email]
    for project in (own_project, shared):
        members = (await owner.get(f"/api/projects/{project}/members")).json()
        assert [(entry["email"], entry["role"]) for entry in members] == [(owner.email, "owner")]
    assert status_and_body(await owner.delete(f"/api/team/{admin.member_id}")) == NO_MEMBER

    # Rejoining restores nothing.
    again = await service.join(owner, email=admin.email)
    assert again.user_id == admin.user_id
    assert [entry["id"] for entry in (await again.get("/api/projects")).json()] == [shared]
    assert status_and_body(await again.patch(f"/api/projects/{shared}", {"name": "x"})) == FORBIDDEN
    assert status_and_body(await service.browser_call("GET", "/api/projects", login)) == UNAUTHENTICATED
    for key in (admin.key, second_key):
        answer = await service.http.get("/api/projects", headers={"Authorization": f"Bearer {key}"})
        assert status_and_body(answer) == UNAUTHENTICATED


async def test_project_with_another_owner_is_not_reassigned(service: Service) -> None:
    owner = await service.owner()
    first, second = await service.join(owner, "admin"), await service.join(owner, "admin")
    project = await first.create_project()
    row = {"project_id": project, "user_id": second.user_id, "team_id": owner.team_id, "role": "owner"}
    await insert_rows(service, project_members, [{**row, "joined_id": ids.new("joi"), "joined_at_ms": clock.now_ms()}])
    assert (await owner.delete(f"/api/team/{first.member_id}")).status_code == 204
    async with service.runtime.database.read() as tx:
        owners = await tx.many(select(project_members.c.user_id).where(project_members.c.project_id == project))
    assert [entry["user_id"] for entry in owners] == [second.user_id]


async def test_large_team_pagination(service: Service) -> None:
    owner = await service.owner()
    user_ids = await insert_people(service, owner.team_id, 1_204)
    expected = [owner.user_id, *user_ids]
    first_page = await owner.get("/api/team")
    assert [entry["userId"] for entry in first_page.json()] == expected[:1000]
    rest = await owner.get(f"/api/team?cursor={first_page.headers['x-next-cursor']}")
    assert [entry["userId"] for entry in rest.json()] == expected[1000:]
    assert "x-next-cursor" not in rest.headers

    seen: list[str] = []
    pages = 0
    path = "/api/team?limit=241"
    while path:
        page = await owner.get(path)
        pages += 1
        seen += [entry["userId"] for entry in page.json()]
        cursor = page.headers.get("x-next-cursor")
        path = f"/api/team?limit=241&cursor={cursor}" if cursor else ""
    assert seen == expected
    assert pages == 5  # 1,205 = 5 * 241: the last page is full and no empty page follows

    for limit in ("0", "1001", "-1", "many"):
        refused = await owner.get(f"/api/team?limit={limit}")
        assert refused.status_code == 400
        assert refused.json()["error"].startswith("limit ")
    assert (await owner.get("/api/team?cursor=nonsense")).status_code == 400


async def test_a_removed_admin_has_no_way_back(service: Service) -> None:
    """Neither by a secret, nor by a webhook or an invitation of theirs; the owner is told what ended."""
    owner = await service.owner()
    admin = await service.join(owner, "admin")
    tool = await tool_for(owner)
    secret = (await admin.get(f"/api/projects/{tool.project_id}/hmac-secret")).json()["secret"]
    hook = {"projectId": tool.project_id, "url": "https://example.com/hook?key=1", "events": ["item.created"]}
    theirs = (await admin.post("/api/webhooks", hook)).json()["id"]
    ours = (await owner.post("/api/webhooks", hook)).json()["id"]
    mine = (await admin.post("/api/team", {"email": "me-again@example.com", "role": "admin"})).json()["id"]
    token = await service.invitation_token(mine)
    kept = (await owner.post("/api/team", {"email": "kept@example.com"})).json()["id"]
    assert (await tool.send(service.http, {"summary": "before"})).status_code == 202

    assert (await owner.delete(f"/api/team/{admin.member_id}")).status_code == 204
    assert tool.secret == secret
    assert (await tool.send(service.http, {"summary": "after"})).status_code == 401
    fresh = (await owner.get(f"/api/projects/{tool.project_id}/hmac-secret")).json()["secret"]
    assert (await Tool(tool.project_id, fresh).send(service.http, {"summary": "with the new one"})).status_code == 202
    assert status_and_body(await accept(service, token, password=PASSWORD)) == INVALID_LINK
    listed = (await owner.get("/api/team?include=invited")).json()
    assert [entry["id"] for entry in listed if entry["status"] == "invited"] == [kept]
    hooks = (await owner.get(f"/api/webhooks?projectId={tool.project_id}")).json()
    assert {entry["id"]: entry["status"] for entry in hooks} == {theirs: "disabled", ours: "active"}
    ((subject, text),) = await emails_to(service.settings.data_dir, owner.email)
    assert subject == "Mira Member was removed from the team Stones"
    for line in (
        "revoked the invitation for me-again@example.com",
        "replaced the signing secret of the project",
        "disabled the webhook https://example.com/hook",
    ):
        assert line in text
    assert "key=1" not in text


async def test_a_demoted_admin_has_no_way_back(service: Service) -> None:
    """Like a removed one, except in projects that they still manage."""
    owner = await service.owner()
    admin = await service.join(owner, "admin")
    tool, managed = await tool_for(owner), await tool_for(owner)
    manager = {"email": admin.email, "role": "admin"}
    assert (await owner.post(f"/api/projects/{managed.project_id}/members", manager)).status_code == 201
    hooks = {}
    for project_id in (tool.project_id, managed.project_id):
        body = {"projectId": project_id, "url": "https://example.com/hook", "events": ["item.created"]}
        hooks[project_id] = (await admin.post("/api/webhooks", body)).json()["id"]
    mine = (await admin.post("/api/team", {"email": "me-again@example.com", "role": "admin"})).json()["id"]
    token = await service.invitation_token(mine)

    assert (await owner.patch(f"/api/team/{admin.member_id}", {"role": "member"})).status_code == 200
    assert (await tool.send(service.http, {"summary": "with the secret they read"})).status_code == 401
    assert (await managed.send(service.http, {"summary": "with one they may read"})).status_code == 202
    assert status_and_body(await accept(service, token, password=PASSWORD)) == INVALID_LINK
    for project_id, status in ((tool.project_id, "disabled"), (managed.project_id, "active")):
        listed = (await owner.get(f"/api/webhooks?projectId={project_id}")).json()
        assert [(entry["id"], entry["status"]) for entry in listed] == [(hooks[project_id], status)]
    ((subject, text),) = await emails_to(service.settings.data_dir, owner.email)
    assert subject == "Mira Member is no longer an admin of the team Stones"
    assert "revoked the invitation for me-again@example.com" in text


async def test_promoting_a_member_changes_nothing_else(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    tool = await tool_for(owner)
    for role in ("admin", "admin"):
        assert (await owner.patch(f"/api/team/{member.member_id}", {"role": role})).status_code == 200
    assert (await tool.send(service.http, {"summary": "still valid"})).status_code == 202


async def test_an_invitation_counts_only_while_its_sender_may_invite(service: Service) -> None:
    """One that commits while its sender is being demoted is not among those that the demotion revokes."""
    owner = await service.owner()
    admin = await service.join(owner, "admin")
    sent = (await admin.post("/api/team", {"email": "late@example.com", "role": "admin"})).json()["id"]
    token = await service.invitation_token(sent)
    async with service.runtime.database.write() as tx:
        await tx.run(update(team_members).where(team_members.c.id == admin.member_id).values(role="member"))
    preview = await service.http.post("/api/team/invitations/preview", json={"token": token})
    assert status_and_body(preview) == INVALID_LINK
    assert status_and_body(await accept(service, token, password=PASSWORD)) == INVALID_LINK


async def test_an_admin_who_became_a_member_before_the_removal_knew_the_secrets_too(service: Service) -> None:
    owner = await service.owner()
    admin, member = await service.join(owner, "admin"), await service.join(owner)
    tool = await tool_for(owner)
    assert (await owner.delete(f"/api/team/{member.member_id}")).status_code == 204
    assert (await tool.send(service.http, {"summary": "a member knew no secret"})).status_code == 202
    assert (await owner.patch(f"/api/team/{admin.member_id}", {"role": "member"})).status_code == 200
    assert (await owner.delete(f"/api/team/{admin.member_id}")).status_code == 204
    assert (await tool.send(service.http, {"summary": "after"})).status_code == 401


async def test_removing_a_manager_of_a_project_replaces_its_secret(service: Service) -> None:
    owner = await service.owner()
    member, reader = await service.join(owner), await service.join(owner)
    tool, other = await tool_for(owner), await tool_for(owner)
    for person, role in ((member, "admin"), (reader, "member")):
        added = {"email": person.email, "role": role}
        assert (await owner.post(f"/api/projects/{tool.project_id}/members", added)).status_code == 201
    path = f"/api/projects/{tool.project_id}/members"
    assert (await owner.delete(path, {"userId": reader.user_id})).status_code == 204
    assert (await tool.send(service.http, {"summary": "a reader knew no secret"})).status_code == 202
    assert (await owner.delete(path, {"userId": member.user_id})).status_code == 204
    assert (await tool.send(service.http, {"summary": "after"})).status_code == 401
    assert (await other.send(service.http, {"summary": "another project"})).status_code == 202


async def test_look_alike_addresses_are_different_people(service: Service) -> None:
    """``casefold`` makes one of straße and strasse; registries do not."""
    ours, theirs = await service.owner("Ours"), await service.owner("Theirs")
    boss = await service.join(ours, "admin", email="boss@straße.test")
    assert boss.email == "boss@straße.test"
    listed = [member["email"] for member in (await ours.get("/api/team")).json()]
    assert "boss@xn--strae-oqa.test" in listed
    other = await service.join(theirs, email="boss@strasse.test")
    assert other.user_id != boss.user_id
    for same in ("boss@STRAßE.test", "Boss@xn--strae-oqa.test"):
        answer = await ours.post("/api/team", {"email": same})
        assert status_and_body(answer) == (409, {"error": "Already a member"})
    for address, problem in (
        ("b\u043ess@example.com", "email must have only ASCII characters before the @"),
        ("boss@exam\u2024ple\u0338.com", "email has an invalid domain"),
    ):
        assert status_and_body(await ours.post("/api/team", {"email": address})) == (400, {"error": problem})
