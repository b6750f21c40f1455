"""Projects: CRUD, archiving, permissions and the plan limit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from loremark.base import clock
from loremark.base.clock import HOUR_MS
from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, insert_projects, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

ENTRY = {
    "id",
    "name",
    "description",
    "visibility",
    "status",
    "aiTier",
    "repoUrl",
    "repoHostUsername",
    "repoAuthMethod",
    "hasRepoHostToken",
    "deepEnrichEnabled",
    "accessLevel",
    "createdAt",
    "updatedAt",
}
DETAIL = {
    "id",
    "name",
    "description",
    "visibility",
    "status",
    "memberCount",
    "autoApproveThreshold",
    "showUnreviewed",
    "briefingsEnabled",
    "eventRetentionDays",
    "sessionRetentionDays",
    "chatRetentionDays",
    "accessLevel",
    "createdAt",
    "updatedAt",
}
KEPT = {"eventRetentionDays": None, "sessionRetentionDays": None, "chatRetentionDays": None}
NO_REPOSITORY = {"repoUrl": None, "repoHostUsername": None, "repoAuthMethod": None, "hasRepoHostToken": False}


async def _names(person: Person) -> list[str]:
    return [entry["name"] for entry in (await person.get("/api/projects")).json()]


async def test_create_list_get_and_update_a_project(service: Service) -> None:
    owner = await service.owner()
    created = await owner.post("/api/projects", {"name": "  Loremark ", "surprise": 1})
    assert created.status_code == 201
    assert created.json() == {
        "id": created.json()["id"],
        "name": "Loremark",
        "visibility": "private",
        "status": "active",
        "createdAt": created.json()["createdAt"],
    }
    path = f"/api/projects/{created.json()['id']}"
    [entry] = (await owner.get("/api/projects")).json()
    assert set(entry) == ENTRY
    assert {name: entry[name] for name in NO_REPOSITORY} == NO_REPOSITORY
    assert (entry["description"], entry["aiTier"], entry["deepEnrichEnabled"]) == ("", None, False)
    detail = (await owner.get(path)).json()
    assert set(detail) == DETAIL
    assert (detail["memberCount"], detail["autoApproveThreshold"]) == (1, 0.9)

    later_ms = clock.now_ms() + HOUR_MS
    with clock.use(lambda: later_ms):
        changed = await owner.patch(
            path,
            {
                "name": "Loremark 2",
                "description": "Stones",
                "visibility": "public",
                "aiTier": "medium",
                "deepEnrichEnabled": True,
                "autoApproveThreshold": 1.01,
                "memberCount": 77,
                "id": "prj_other",
                "createdAt": "1970-01-01T00:00:00.000Z",
            },
        )
    assert changed.status_code == 200
    assert set(changed.json()) == ENTRY | DETAIL
    assert changed.json() == {
        **entry,
        "name": "Loremark 2",
        "description": "Stones",
        "visibility": "public",
        "aiTier": "medium",
        "deepEnrichEnabled": True,
        "updatedAt": clock.iso(later_ms),
        "memberCount": 1,
        "autoApproveThreshold": 1.01,
        "showUnreviewed": True,
        "briefingsEnabled": True,
        **KEPT,
    }
    assert (await owner.patch(path, {"aiTier": None})).json()["aiTier"] is None
    untouched = (await owner.get("/api/projects")).json()
    assert (await owner.patch(path, {"unknown": True})).status_code == 200
    assert (await owner.get("/api/projects")).json() == untouched


async def test_invalid_project_fields(service: Service) -> None:
    owner = await service.owner()
    path = f"/api/projects/{await owner.create_project()}"
    refused: list[tuple[dict[str, Any], str]] = [
        ({"name": None}, "name must be a string"),
        ({"name": ""}, "name must not be empty"),
        ({"name": "x" * 101}, "name must have at most 100 characters"),
        ({"name": " \t"}, "name has an invalid format"),
        ({"description": None}, "description must be a string"),
        ({"description": "x" * 501}, "description must have at most 500 characters"),
        ({"visibility": None}, "visibility must be one of public, private"),
        ({"visibility": "secret"}, "visibility must be one of public, private"),
        ({"status": None}, "status must be one of active, archived"),
        ({"status": "deleted"}, "status must be one of active, archived"),
        ({"aiTier": "large"}, "aiTier must be one of small, medium"),
        ({"deepEnrichEnabled": None}, "deepEnrichEnabled must be true or false"),
        ({"deepEnrichEnabled": "yes"}, "deepEnrichEnabled must be true or false"),
        ({"autoApproveThreshold": None}, "autoApproveThreshold must be a number"),
        ({"autoApproveThreshold": -0.01}, "autoApproveThreshold must be at least 0"),
        ({"autoApproveThreshold": 1.02}, "autoApproveThreshold must be at most 1.01"),
        ({"disconnectRepoHost": None}, "disconnectRepoHost must be true or false"),
        ({"disconnectRepoHost": False}, "disconnectRepoHost must be true"),
    ]
    before = (await owner.get("/api/projects")).json()
    for change, message in refused:
        assert status_and_body(await owner.patch(path, change)) == (400, {"error": message})
    # One invalid field: nothing is applied.
    assert (await owner.patch(path, {"name": "Half", "autoApproveThreshold": 7})).status_code == 400
    assert (await owner.get("/api/projects")).json() == before
    for threshold in (0, 0.5, 1, 1.01):
        assert (await owner.patch(path, {"autoApproveThreshold": threshold})).status_code == 200
        assert (await owner.get(path)).json()["autoApproveThreshold"] == threshold
    assert status_and_body(await owner.post("/api/projects", {})) == (400, {"error": "name is required"})
    assert (await owner.post("/api/projects", {"name": "x" * 100, "description": "é" * 500})).status_code == 201


async def test_project_visibility_and_permissions(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    admin, assigned, colleague = [await service.join(owner, role) for role in ("admin", "member", "member")]
    hidden = await owner.create_project("Hidden")
    shown = await owner.create_project("Shown", visibility="public")
    for project in (hidden, shown):
        answer = await owner.post(f"/api/projects/{project}/members", {"email": assigned.email})
        assert answer.status_code == 201

    for person in (owner, admin, assigned):
        assert await _names(person) == ["Shown", "Hidden"]
        assert (await person.get(f"/api/projects/{hidden}")).json()["memberCount"] == 2
    assert await _names(colleague) == ["Shown"]
    assert await _names(stranger) == []
    assert (await colleague.get(f"/api/projects/{shown}/members")).status_code == 200

    for path in (f"/api/projects/{hidden}", "/api/projects/prj_nothing", "/api/projects/%20"):
        for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
            assert status_and_body(await colleague.call(method, path, body)) == NO_PROJECT
    for path in (f"/api/projects/{hidden}", f"/api/projects/{shown}"):
        for method, suffix, body in (
            ("GET", "", None),
            ("PATCH", "", {"name": "x"}),
            ("DELETE", "", None),
            ("GET", "/members", None),
            ("POST", "/members", {"email": "x@example.com"}),
            ("DELETE", "/members", {"userId": owner.user_id}),
            ("GET", "/hmac-secret", None),
            ("POST", "/hmac-secret/rotate", {}),
        ):
            assert status_and_body(await stranger.call(method, path + suffix, body)) == NO_PROJECT
    for person in (assigned, colleague):  # visible, but not allowed
        assert status_and_body(await person.patch(f"/api/projects/{shown}", {"name": "x"})) == FORBIDDEN
        assert status_and_body(await person.delete(f"/api/projects/{shown}")) == FORBIDDEN
        assert status_and_body(await person.post("/api/projects", {"name": "x"})) == FORBIDDEN
    assert (await admin.patch(f"/api/projects/{hidden}", {"name": "Seen"})).status_code == 200

    assert (await owner.patch(f"/api/projects/{shown}", {"visibility": "private"})).status_code == 200
    assert await _names(colleague) == []
    assert status_and_body(await colleague.get(f"/api/projects/{shown}")) == NO_PROJECT


async def test_archived_project_is_read_only(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    project = await owner.create_project("Old")
    path = f"/api/projects/{project}"
    secret = (await owner.get(f"{path}/hmac-secret")).json()["secret"]
    archived = await owner.patch(path, {"status": "archived", "description": "Done"})
    assert (archived.status_code, archived.json()["status"]) == (200, "archived")
    assert archived.json()["description"] == "Done"

    for method, suffix, body in (
        ("PATCH", "", {"name": "x"}),
        ("PATCH", "", {"repoUrl": "https://github.com/o/r"}),
        ("PATCH", "", {"disconnectRepoHost": True}),
        ("PATCH", "", {"status": "archived"}),
        ("POST", "/members", {"email": member.email}),
        ("POST", "/members", {"email": "outsider@example.com"}),
        ("DELETE", "/members", {"userId": owner.user_id}),
        ("POST", "/hmac-secret/rotate", {}),
    ):
        assert status_and_body(await owner.call(method, path + suffix, body)) == ARCHIVED
    assert (await owner.get(path)).json()["status"] == "archived"
    assert await _names(owner) == ["Old"]
    assert len((await owner.get(f"{path}/members")).json()) == 1
    assert (await owner.get(f"{path}/hmac-secret")).json()["secret"] == secret
    assert status_and_body(await member.patch(path, {"status": "active"})) == NO_PROJECT

    reactivated = await owner.patch(path, {"status": "active", "name": "New", "repoUrl": "https://github.com/o/r"})
    assert (reactivated.status_code, reactivated.json()["status"], reactivated.json()["name"]) == (200, "active", "New")
    assert reactivated.json()["repoUrl"] == "https://github.com/o/r"
    assert (await owner.post(f"{path}/members", {"email": member.email})).status_code == 201

    await owner.patch(path, {"status": "archived"})
    assert (await owner.delete(path)).status_code == 204
    assert status_and_body(await owner.get(path)) == NO_PROJECT


@pytest.mark.settings(LOREMARK_DEFAULT_PLAN="free")
async def test_plan_limits_the_number_of_projects(service: Service) -> None:
    owner, other = await service.owner(), await service.owner("Others")
    full = (403, {"error": "Plan limit reached: projects"})
    first = await owner.create_project()
    assert status_and_body(await owner.post("/api/projects", {"name": "Second"})) == full
    assert (await owner.patch(f"/api/projects/{first}", {"status": "archived"})).status_code == 200
    assert status_and_body(await owner.post("/api/projects", {"name": "Second"})) == full
    assert (await owner.get(f"/api/projects/{first}")).status_code == 200  # reads still work
    await other.create_project("Theirs")  # another team has its own allowance
    assert (await owner.delete(f"/api/projects/{first}")).status_code == 204
    assert (await owner.post("/api/projects", {"name": "Second"})).status_code == 201


@pytest.mark.settings(LOREMARK_DEFAULT_PLAN="free")
async def test_concurrent_creation_respects_the_plan_limit(service: Service) -> None:
    owner = await service.owner()
    answers = await asyncio.gather(*(owner.post("/api/projects", {"name": f"P{number}"}) for number in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, 403, 403, 403, 403, 403]
    assert len(await _names(owner)) == 1


async def test_project_pagination_newest_first(service: Service) -> None:
    owner, other = await service.owner(), await service.owner("Others")
    await insert_projects(service, other.team_id, 3)
    expected = (await insert_projects(service, owner.team_id, 1_205))[::-1]
    first_page = await owner.get("/api/projects")
    assert [entry["id"] for entry in first_page.json()] == expected[:1000]
    rest = await owner.get(f"/api/projects?cursor={first_page.headers['x-next-cursor']}")
    assert [entry["id"] for entry in rest.json()] == expected[1000:]

    seen: list[str] = []
    path = "/api/projects?limit=241"
    while path:
        page = await owner.get(path)
        seen += [entry["id"] for entry in page.json()]
        cursor = page.headers.get("x-next-cursor")
        path = f"/api/projects?limit=241&cursor={cursor}" if cursor else ""
        if len(seen) == 241:  # concurrent creations and deletions do not shift later pages
            await insert_projects(service, owner.team_id, 1)
            assert (await owner.delete(f"/api/projects/{expected[0]}")).status_code == 204
    assert seen == expected
