"""Contexts: position in the tree, access, approval and deletion."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base import clock, ids
from loremark.storage.tables import contexts, projects, revisions
from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/contexts"
NO_CONTEXT = (404, {"error": "Context not found"})
TAKEN = (409, {"error": "schemaKey already exists"})


async def _make(person: Person, name: str = "Auth", **fields: Any) -> dict[str, Any]:
    answer = await person.post(PATH, {"name": name, **fields})
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


def _branches(nodes: list[Any]) -> dict[str, Any]:
    """The tree as nested names."""
    return {node["name"]: _branches(node["children"]) for node in nodes}


async def _tree(person: Person, query: str = "") -> dict[str, Any]:
    answer = await person.get(f"{PATH}/tree{query}")
    assert answer.status_code == 200, answer.text
    return _branches(answer.json())


async def _keys(person: Person, query: str = "") -> list[str]:
    answer = await person.get(f"{PATH}{query}")
    assert answer.status_code == 200, answer.text
    return [each["schemaKey"] for each in answer.json()]


async def _memory_versions(service: Service, owner: Person) -> dict[str, int]:
    async with service.runtime.database.read() as tx:
        rows = await tx.many(select(projects).where(projects.c.team_id == owner.team_id))
    return {row["id"]: row["memory_version"] for row in rows}


async def test_parent_determines_position_and_key(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        api = await _make(owner, "  The API! ", projectId=project, content="# API")
    assert api == {
        "id": api["id"],
        "name": "The API!",
        "description": "",
        "content": "# API",
        "schemaKey": "root/the-api",
        "parentContextId": None,
        "state": "draft",
        "tier": 2,
        "contextType": "memory",
        "createdAt": clock.iso(now_ms),
        "updatedAt": clock.iso(now_ms),
    }
    auth = await _make(owner, "Auth", parentContextId=api["id"], tier=1, contextType="reference")
    assert (auth["schemaKey"], auth["parentContextId"]) == ("root/the-api/auth", api["id"])
    by_key = await _make(owner, "Tokens", schemaKey="root/the-api/auth/tokens", projectId=project)
    assert by_key["parentContextId"] == auth["id"]
    separate = await _make(owner, "Elsewhere", schemaKey="else/where", parentContextId=api["id"])
    assert (separate["schemaKey"], separate["parentContextId"]) == ("else/where", api["id"])
    assert status_and_body(await owner.get(f"{PATH}/{api['id']}")) == (200, api)
    listed = (await owner.get(f"{PATH}?projectId={project}")).json()
    assert listed[-1] == {name: value for name, value in api.items() if name != "content"}
    assert await _keys(owner, f"?parentId={api['id']}") == ["else/where", "root/the-api/auth"]
    assert await _tree(owner, f"?projectId={project}") == {
        "The API!": {"Auth": {"Tokens": {}}, "Elsewhere": {}},
    }
    assert status_and_body(await owner.post(PATH, {"name": "auth", "parentContextId": api["id"]})) == TAKEN
    assert status_and_body(await owner.post(PATH, {"name": "x", "projectId": ids.new("prj")})) == NO_PROJECT
    assert status_and_body(await owner.post(PATH, {"name": "x", "parentContextId": ids.new("ctx")})) == NO_CONTEXT
    other = await owner.create_project()
    other_project = await owner.post(PATH, {"name": "x", "parentContextId": api["id"], "projectId": other})
    assert (other_project.status_code, other_project.json()["error"].partition(" ")[0]) == (400, "parentContextId")
    fractional = await owner.post(PATH, {"name": "x", "tier": 1.5})
    assert status_and_body(fractional) == (400, {"error": "tier must be a whole number"})
    for fields in ({"name": " "}, {"schemaKey": "A/b"}, {"schemaKey": "a/"}, {"tier": 4}, {"contextType": "x"}):
        refused = await owner.post(PATH, {"name": "x", **fields})
        assert (refused.status_code, refused.json()["error"].partition(" ")[0]) == (400, next(iter(fields)))


async def test_names_without_latin_letters_get_numbered_keys(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    names = ("🚀", "日本", "日本", "Приложение", "…")
    keys = [(await _make(owner, name, projectId=project))["schemaKey"] for name in names]
    assert keys == ["root/untitled", *(f"root/untitled-{number}" for number in range(2, 6))]
    assert (await _make(owner, "第1章", projectId=project))["schemaKey"] == "root/1"
    assert (await _make(owner, "第1節", projectId=project))["schemaKey"] == "root/1-2"
    concurrent = await asyncio.gather(*(owner.post(PATH, {"name": "日本", "projectId": project}) for _ in range(4)))
    assert sorted(answer.json()["schemaKey"][-1] for answer in concurrent) == ["6", "7", "8", "9"]

    # Each parent counts separately; names whose key is taken are still rejected.
    parent = await _make(owner, "Ü", projectId=project)
    children = [await _make(owner, name, parentContextId=parent["id"]) for name in ("一", "二")]
    assert [each["schemaKey"] for each in children] == ["root/u/untitled", "root/u/untitled-2"]
    assert (await _make(owner, "日本"))["schemaKey"] == "root/untitled"
    await _make(owner, "2024", projectId=project)
    for name in ("Untitled", "u", "2024", "1"):
        assert status_and_body(await owner.post(PATH, {"name": name, "projectId": project})) == TAKEN
    assert (
        status_and_body(await owner.post(PATH, {"name": "日本", "schemaKey": "root/u", "projectId": project})) == TAKEN
    )


async def test_concurrent_creates_with_the_same_key_succeed_once(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    for scope in ({"projectId": project}, {}):
        answers = await asyncio.gather(*(owner.post(PATH, {"name": "Same", **scope}) for _ in range(8)))
        assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
    assert await _keys(owner) == ["root/same", "root/same"]


async def test_team_wide_contexts_apply_to_every_project(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    public = await owner.create_project("Open", visibility="public")
    member = await service.join(owner)
    rules = await _make(owner, "Rules", schemaKey="rules")
    ours = await _make(owner, "Ours", parentContextId=rules["id"], projectId=first)
    assert (ours["schemaKey"], ours["parentContextId"]) == ("rules/ours", rules["id"])
    await _make(owner, "Theirs", schemaKey="rules/theirs", projectId=second)
    await _make(owner, "Open", projectId=public)
    assert await _tree(owner) == {"Rules": {"Ours": {}, "Theirs": {}}, "Open": {}}
    assert await _tree(owner, f"?projectId={first}") == {"Rules": {"Ours": {}}}
    assert await _keys(owner, f"?projectId={second}") == ["rules/theirs", "rules"]
    assert await _tree(member) == {"Rules": {}, "Open": {}}
    assert status_and_body(await member.get(f"{PATH}/{ours['id']}")) == NO_CONTEXT
    assert (await member.get(f"{PATH}/{rules['id']}")).json()["name"] == "Rules"
    for method, path, body in (
        ("POST", "", {"name": "Mine"}),
        ("POST", "/populate", {"nodes": []}),
        ("PATCH", f"/{rules['id']}", {"name": "Mine"}),
        ("DELETE", f"/{rules['id']}", None),
        ("POST", f"/{rules['id']}/approve", {"action": "approve"}),
    ):
        assert status_and_body(await member.call(method, f"{PATH}{path}", body)) == FORBIDDEN
    stranger = await service.owner("Others")
    assert await _keys(stranger) == []
    assert status_and_body(await stranger.get(f"{PATH}/{rules['id']}")) == NO_CONTEXT
    before = await _memory_versions(service, owner)
    assert (await owner.post(f"{PATH}/{rules['id']}/approve", {"action": "approve"})).status_code == 200
    assert await _memory_versions(service, owner) == {project: version + 1 for project, version in before.items()}


async def test_only_visible_changes_bump_the_memory_version(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project()
    context = f"{PATH}/{(await _make(owner, projectId=project))['id']}"
    seen = [(await _memory_versions(service, owner))[project]]

    async def version_changed() -> bool:
        """Whether the project's memory version has changed since the last call."""
        seen.append((await _memory_versions(service, owner))[project])
        return seen[-1] != seen[-2]

    async def decide(action: str) -> str:
        answer = await owner.post(f"{context}/approve", {"action": action})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["state"])

    assert (await owner.patch(context, {"content": "Draft\n## a\n- x\n## b\n- x\n"})).json()["state"] == "draft"
    assert not await version_changed()
    assert (await decide("approve"), await version_changed()) == ("approved", True)
    assert (await decide("approve"), await version_changed()) == ("approved", False)
    assert (await owner.patch(context, {"description": "Shown"})).json()["state"] == "approved"
    assert await version_changed()
    assert (await owner.patch(context, {"description": "Shown"})).status_code == 200
    assert not await version_changed()
    assert (await owner.post(f"{context}/compact")).json()["entriesBefore"] == 2
    assert await version_changed()
    assert (await owner.post(f"{context}/revert", {"version": 2})).json()["content"].startswith("Draft\n## a")
    assert await version_changed()
    assert (await decide("deprecate"), await version_changed()) == ("deprecated", True)
    assert (await owner.patch(context, {"content": "Hidden"})).status_code == 200
    assert not await version_changed()
    assert (await decide("approve"), await version_changed()) == ("approved", True)
    assert (await owner.delete(context)).status_code == 204
    assert await version_changed()
    assert (await _memory_versions(service, owner))[other] == 0


async def test_children_of_a_deleted_context_move_up(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    top = await _make(owner, "Top", projectId=project, schemaKey="top")
    middle = await _make(owner, "Middle", parentContextId=top["id"])
    for name in ("One", "Two"):
        await _make(owner, name, parentContextId=middle["id"])
    assert (await owner.delete(f"{PATH}/{middle['id']}")).status_code == 204
    assert await _tree(owner, f"?projectId={project}") == {"Top": {"One": {}, "Two": {}}}
    assert (await owner.delete(f"{PATH}/{top['id']}")).status_code == 204
    assert await _tree(owner, f"?projectId={project}") == {"One": {}, "Two": {}}
    assert await _keys(owner) == ["top/middle/two", "top/middle/one"]
    assert status_and_body(await owner.get(f"{PATH}/{top['id']}")) == NO_CONTEXT
    assert (await _make(owner, "Middle", projectId=project, schemaKey="top/middle"))["parentContextId"] is None
    entries = (await owner.get("/api/audit?action=context.deleted")).json()
    assert [entry["details"]["schemaKey"] for entry in entries] == ["top", "top/middle"]


@pytest.mark.own_service
async def test_deleting_a_project_deletes_its_contexts(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _make(owner, "Stays")
    await _make(owner, "Goes", projectId=project)
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    assert await _tree(owner) == {"Stays": {}}
    await service.wait_for_jobs()
    async with service.runtime.database.read() as tx:
        assert [row["name"] for row in await tx.many(select(contexts))] == ["Stays"]
        assert len(await tx.many(select(revisions))) == 1


async def test_if_match_is_checked_and_archived_projects_are_read_only(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    context = f"{PATH}/{(await _make(owner, projectId=project, description='Old'))['id']}"
    tag = (await owner.get(context)).headers["etag"]
    answers = await asyncio.gather(
        *(owner.patch(context, {"name": f"Name {n}"}, headers={"If-Match": tag}) for n in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412]
    cleared = await owner.patch(context, {"description": None})
    assert (cleared.status_code, cleared.json()["description"]) == (200, "")
    assert cleared.headers["etag"] == (await owner.get(context)).headers["etag"]
    for field in ("name", "content"):
        refused = await owner.patch(context, {field: None})
        assert (refused.status_code, refused.json()["error"].partition(" ")[0]) == (400, field)
    assert (await owner.patch(f"/api/projects/{project}", {"status": "archived"})).status_code == 200
    for method, path, body in (
        ("PATCH", "", {"name": "Late"}),
        ("DELETE", "", None),
        ("POST", "/compact", None),
        ("POST", "/revert", {"version": 1}),
        ("POST", "/approve", {"action": "approve"}),
    ):
        assert status_and_body(await owner.call(method, f"{context}{path}", body)) == ARCHIVED
    assert (await owner.get(context)).status_code == 200


async def test_large_tree_is_returned_in_one_response(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    for start in range(0, 2_000, 500):
        nodes = [{"schemaKey": f"root/g{n % 40}/n{n}", "name": f"N{n}"} for n in range(start, start + 500)]
        filled = await owner.post(f"{PATH}/populate", {"nodes": nodes, "projectId": project})
        assert filled.status_code == 200, filled.text
    tree = await _tree(owner, f"?projectId={project}")
    assert {len(group) for group in tree["root"].values()} == {50}
    assert len(tree["root"]) == 40
    assert list(tree["root"]["g7"])[:3] == ["N7", "N47", "N87"]
