"""Populate: many contexts in any order, atomic and idempotent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base import limits
from loremark.base.caller import Scope
from loremark.features.contexts import service as contexts_service
from loremark.memory.extraction.results import ContextUpdate
from loremark.storage.tables import contexts, projects
from tests.features.steps import FORBIDDEN, NO_PROJECT, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/contexts"
Node = dict[str, Any]


async def _populate(person: Person, nodes: list[Node], project: str | None = None, **fields: Any) -> dict[str, Any]:
    answer = await person.post(f"{PATH}/populate", {"nodes": nodes, "projectId": project, **fields})
    assert answer.status_code == 200, answer.text
    done: dict[str, Any] = answer.json()
    return done


async def _by_key(person: Person, project: str | None = None) -> dict[str, dict[str, Any]]:
    listed = (await person.get(PATH, params={"projectId": project} if project else {})).json()
    contexts_in_full = [(await person.get(f"{PATH}/{each['id']}")).json() for each in listed]
    return {each["schemaKey"]: each for each in contexts_in_full}


def _diff(done: dict[str, Any]) -> dict[str, tuple[str, list[str]]]:
    return {entry["schemaKey"]: (entry["change"], entry["fields"]) for entry in done["diff"]}


def _counts(done: dict[str, Any]) -> tuple[int, int, int]:
    return done["created"], done["updated"], done["unchanged"]


NODES: list[Node] = [
    {"schemaKey": "root/api/auth/tokens", "name": "Tokens", "content": "JWT", "tier": 1},
    {"schemaKey": "root/api", "name": "API", "description": "Routes", "contextType": "reference"},
    {"schemaKey": "notes", "name": "Notes", "parentSchemaKey": "root/extra"},
]


async def test_nodes_in_any_order_create_the_tree_once(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    dry_run = await _populate(owner, NODES, project, dryRun=True, source="scanner")
    assert await _by_key(owner) == {}
    done = await _populate(owner, NODES, project, source="scanner")
    assert {**dry_run, "dryRun": False, "runId": done["runId"]} == done
    assert _diff(done) == {
        "root": ("created", []),
        "root/api/auth": ("created", []),
        "root/extra": ("created", []),
        "root/api/auth/tokens": ("created", ["name", "content", "tier"]),
        "root/api": ("created", ["name", "description", "contextType"]),
        "notes": ("created", ["name", "parentSchemaKey"]),
    }
    assert (_counts(done), done["errors"]) == ((6, 0, 0), [])
    found = await _by_key(owner, project)
    parents = {
        key: next((k for k, c in found.items() if c["id"] == each["parentContextId"]), None)
        for key, each in found.items()
    }
    assert parents == {
        "root": None,
        "root/api": "root",
        "root/api/auth": "root/api",
        "root/api/auth/tokens": "root/api/auth",
        "root/extra": "root",
        "notes": "root/extra",
    }
    generated, tokens = found["root/api/auth"], found["root/api/auth/tokens"]
    assert (generated["name"], generated["content"], generated["contextType"], generated["state"]) == (
        "auth",
        "",
        "system",
        "draft",
    )
    assert (tokens["content"], tokens["tier"], tokens["contextType"], tokens["state"]) == ("JWT", 1, "memory", "draft")
    again = await _populate(owner, NODES, project)
    assert (_counts(again), again["runId"] != done["runId"]) == ((0, 0, 3), True)
    assert {change for change, _ in _diff(again).values()} == {"unchanged"}
    assert await _by_key(owner, project) == found
    entry = (await owner.get("/api/audit?action=contexts.populated")).json()
    assert [(each["target"], each["details"]) for each in entry] == [
        (done["runId"], {"source": "scanner", "created": 6, "updated": 0})
    ]


async def test_only_differences_are_written(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _populate(owner, NODES, project)
    found = await _by_key(owner, project)
    assert (await owner.post(f"{PATH}/{found['notes']['id']}/approve", {"action": "approve"})).status_code == 200
    async with service.runtime.database.read() as tx:
        before = await tx.one(select(projects).where(projects.c.id == project))
    changed: list[Node] = [
        {"schemaKey": "root/api", "name": "API"},
        {"schemaKey": "root/api/auth/tokens", "name": "Tokens", "content": "Opaque", "tier": 1},
        {"schemaKey": "notes", "name": "Notes!", "parentSchemaKey": "root/api"},
    ]
    done = await _populate(owner, changed, project)
    assert _diff(done) == {
        "root/api": ("unchanged", []),
        "root/api/auth/tokens": ("updated", ["content"]),
        "notes": ("updated", ["name", "parentSchemaKey"]),
    }
    after = await _by_key(owner, project)
    assert after["root/api"] == found["root/api"]
    assert (after["notes"]["parentContextId"], after["notes"]["state"]) == (found["root/api"]["id"], "approved")
    history = (await owner.get(f"{PATH}/{found['root/api/auth/tokens']['id']}/revisions")).json()
    assert [(each["change"], each["snapshot"]["content"]) for each in history] == [
        ("populated", "Opaque"),
        ("populated", "JWT"),
    ]
    async with service.runtime.database.read() as tx:
        now = await tx.one(select(projects).where(projects.c.id == project))
    assert before is not None
    assert now is not None
    assert now["memory_version"] == before["memory_version"] + 1


async def test_one_invalid_node_rejects_the_whole_request(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _populate(owner, [{"schemaKey": "a/b", "name": "B"}, {"schemaKey": "a", "name": "A"}], project)
    found = await _by_key(owner, project)
    good: Node = {"schemaKey": "root/fine", "name": "Fine"}
    for bad, named in (
        ({"schemaKey": "root/x"}, "nodes[1].name"),
        ({"name": "x"}, "nodes[1].schemaKey"),
        ({"schemaKey": "Root", "name": "x"}, "nodes[1].schemaKey"),
        ({"schemaKey": "/".join("abcdefghi"), "name": "x"}, "nodes[1].schemaKey"),
        ({"schemaKey": "root/fine", "name": "Again"}, "nodes[1].schemaKey"),
        ({"schemaKey": "root/x", "name": ""}, "nodes[1].name"),
        ({"schemaKey": "root/x", "name": "x", "tier": 0}, "nodes[1].tier"),
        ({"schemaKey": "root/x", "name": "x", "contextType": "odd"}, "nodes[1].contextType"),
        ({"schemaKey": "root/x", "name": "x", "content": 1}, "nodes[1].content"),
        ({"schemaKey": "root/x", "name": "x", "description": "x" * 501}, "nodes[1].description"),
        ({"schemaKey": "root/x", "name": "x", "parentSchemaKey": "a b"}, "nodes[1].parentSchemaKey"),
        ({"schemaKey": "root/x", "name": "x", "parentSchemaKey": "root/x"}, "nodes[1].parentSchemaKey"),
        ({"schemaKey": "a", "name": "A", "parentSchemaKey": "a/b"}, "nodes[1].parentSchemaKey"),
        ("text", "nodes[1]"),
    ):
        answer = await owner.post(f"{PATH}/populate", {"nodes": [good, bad], "projectId": project})
        assert (answer.status_code, answer.json()["error"].partition(" ")[0]) == (400, named), answer.text
    assert await _by_key(owner, project) == found


async def test_populate_respects_the_depth_limit(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    length = limits.CONTEXT_LEVELS // 2 + 1
    for name in "ab":
        keys = [f"{name}{level}" for level in range(length)]
        above = [None, *keys]
        chain = [
            {"schemaKey": key, "name": key, **({"parentSchemaKey": parent} if parent else {})}
            for key, parent in zip(keys, above, strict=False)
        ]
        await _populate(owner, chain, project)
    before = await _by_key(owner, project)
    for parent, status in ((f"a{length - 1}", 400), (f"a{length - 3}", 200)):
        moved = [{"schemaKey": "b0", "name": "b0", "parentSchemaKey": parent}]
        answer = await owner.post(f"{PATH}/populate", {"nodes": moved, "projectId": project})
        assert answer.status_code == status, answer.text
        if status == 400:
            assert answer.json()["error"].startswith("nodes[0].parentSchemaKey creates a cycle or more than")
            assert await _by_key(owner, project) == before
    assert (await owner.get(f"{PATH}/tree?projectId={project}")).status_code == 200


async def test_team_wide_contexts_are_not_duplicated_in_a_project(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await _populate(owner, [{"schemaKey": "root/api", "name": "API of all"}])
    done = await _populate(owner, [{"schemaKey": "root/api/auth", "name": "Auth"}], project)
    assert list(_diff(done)) == ["root/api/auth"]
    own = await _populate(owner, [{"schemaKey": "root/api", "name": "Our API"}], project)
    assert _diff(own)["root/api"][0] == "created"
    more = await _populate(owner, [{"schemaKey": "root/api/keys", "name": "Keys"}], project)
    assert list(_diff(more)) == ["root/api/keys"]
    async with service.runtime.database.read() as tx:
        rows = {(row["schema_key"], row["project_id"]): row for row in await tx.many(select(contexts))}
    shared, ours = rows["root/api", None], rows["root/api", project]
    assert rows["root/api/auth", project]["parent_id"] == shared["id"]
    assert rows["root/api/keys", project]["parent_id"] == ours["id"]
    member = await service.join(owner)
    assert status_and_body(await member.post(f"{PATH}/populate", {"nodes": []})) == FORBIDDEN
    assert status_and_body(await member.post(f"{PATH}/populate", {"nodes": [], "projectId": project})) == NO_PROJECT


async def test_concurrent_populates_create_each_node_once(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    body = {"nodes": NODES, "projectId": project}
    one = {"name": "API", "schemaKey": "root/api", "projectId": project}
    answers = await asyncio.gather(
        *(owner.post(PATH, one) if n % 2 else owner.post(f"{PATH}/populate", body) for n in range(8))
    )
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    keys = [each["schemaKey"] for each in (await owner.get(f"{PATH}?projectId={project}")).json()]
    assert sorted(keys) == sorted({"root", "root/api", "root/api/auth", "root/api/auth/tokens", "root/extra", "notes"})


async def test_tool_update_replaces_or_appends(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()

    async def apply(content: str, *, append: bool, name: str = "Journal", kind: str | None = "memory") -> None:
        async with service.runtime.database.write() as tx:
            update = ContextUpdate("root/journal", name, content, append, kind, 3)
            assert await contexts_service.apply_update(tx, Scope(owner.team_id), project, update) is None

    await apply("## One\n- a\n", append=True)
    await apply("## Two\n- b", append=True, name="", kind="odd")
    found = (await _by_key(owner, project))["root/journal"]
    assert (found["name"], found["content"], found["tier"]) == ("Journal", "## One\n- a\n\n## Two\n- b\n", 3)
    await apply(found["content"], append=False)
    assert (await _by_key(owner, project))["root/journal"]["updatedAt"] == found["updatedAt"]
    await apply("- new\n" + "## More\n- same\n" * 20_000, append=True)
    long = (await _by_key(owner, project))["root/journal"]["content"]
    assert (len(long) < 200_000, long.count("## "), "- a" in long) == (True, 1, True)
    await apply("Replaced", append=False)
    assert (await _by_key(owner, project))["root/journal"]["content"] == "Replaced"
