"""Moving contexts with their subtrees, also concurrently."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base import ids, limits
from loremark.storage.tables import contexts, projects
from tests.features.steps import status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/contexts"
NO_CONTEXT = (404, {"error": "Context not found"})
CYCLE = (400, {"error": "parentContextId must not be the context itself or one of its descendants"})
FOREIGN = (400, {"error": "parentContextId must belong to the same project or be team-wide"})
TOO_DEEP = (400, {"error": f"parentContextId would make the tree deeper than {limits.CONTEXT_LEVELS} levels"})


async def _make(person: Person, name: str, **fields: Any) -> str:
    answer = await person.post(PATH, {"name": name, **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def _move(person: Person, context: str, parent: str | None, **more: Any) -> Any:
    return await person.patch(f"{PATH}/{context}", {"parentContextId": parent, **more})


def _branches(nodes: list[Any]) -> dict[str, Any]:
    return {node["name"]: _branches(node["children"]) for node in nodes}


async def _tree(person: Person, project: str) -> dict[str, Any]:
    return _branches((await person.get(f"{PATH}/tree?projectId={project}")).json())


async def test_context_moves_with_its_subtree_and_keeps_its_key(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    team_wide = await _make(owner, "House")
    api = await _make(owner, "API", projectId=project)
    auth = await _make(owner, "Auth", parentContextId=api)
    await _make(owner, "Tokens", parentContextId=auth)
    data = await _make(owner, "Data", projectId=project)
    assert (await owner.post(f"{PATH}/{auth}/approve", {"action": "approve"})).status_code == 200
    before = (await owner.get(f"{PATH}/{auth}")).json()

    moved = await _move(owner, auth, data)
    assert moved.json() == {**before, "parentContextId": data, "updatedAt": moved.json()["updatedAt"]}
    assert moved.headers["etag"] == (await owner.get(f"{PATH}/{auth}")).headers["etag"]
    assert await _tree(owner, project) == {"House": {}, "API": {}, "Data": {"Auth": {"Tokens": {}}}}
    assert (await _move(owner, auth, data)).json() == moved.json(), "it is already there"
    assert (await _move(owner, auth, team_wide, content="New words")).json()["content"] == "New words"
    assert await _tree(owner, project) == {"House": {"Auth": {"Tokens": {}}}, "API": {}, "Data": {}}
    assert (await _move(owner, auth, None)).json()["parentContextId"] is None
    assert set(await _tree(owner, project)) == {"House", "API", "Data", "Auth"}

    history = (await owner.get(f"{PATH}/{auth}/revisions")).json()
    changes = [(each["version"], each["change"]) for each in history]
    assert changes == [(5, "moved"), (4, "edited"), (3, "moved"), (2, "approved"), (1, "created")]
    reverted = (await owner.post(f"{PATH}/{auth}/revert", {"version": 3})).json()
    assert (reverted["content"], reverted["parentContextId"]) == ("", None), (
        "the content is reverted, but not the position"
    )
    async with service.runtime.database.read() as tx:
        row = await tx.one(select(projects.c.memory_version).where(projects.c.id == project))
    assert row is not None
    assert row["memory_version"] == 5, "approved once, moved three times, reverted once"
    tag = (await owner.get(f"{PATH}/{auth}")).headers["etag"]
    assert (await _move(owner, auth, api)).status_code == 200
    late = await owner.patch(f"{PATH}/{auth}", {"parentContextId": data}, headers={"If-Match": tag})
    assert late.status_code == 412


async def test_invalid_parents_are_rejected(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project()
    api = await _make(owner, "API", projectId=project)
    auth = await _make(owner, "Auth", parentContextId=api)
    tokens = await _make(owner, "Tokens", parentContextId=auth)
    elsewhere = await _make(owner, "Elsewhere", projectId=other)
    team_wide = await _make(owner, "House")
    stranger = await service.owner("Pebbles")
    theirs = await _make(stranger, "Theirs")
    member = await service.join(owner)
    added = await owner.post(f"/api/projects/{project}/members", {"email": member.email, "role": "member"})
    assert added.status_code == 201, added.text
    before = await _tree(owner, project)
    for person, context, parent, refusal in (
        (owner, api, api, CYCLE),
        (owner, api, auth, CYCLE),
        (owner, api, tokens, CYCLE),
        (owner, auth, elsewhere, FOREIGN),
        (owner, team_wide, api, FOREIGN),
        (owner, auth, ids.new("ctx"), NO_CONTEXT),
        (owner, auth, "x" * 100, NO_CONTEXT),
        (owner, auth, theirs, NO_CONTEXT),
        (member, auth, elsewhere, NO_CONTEXT),
        (stranger, auth, theirs, NO_CONTEXT),
        (member, team_wide, None, (403, {"error": "Forbidden"})),
    ):
        assert status_and_body(await _move(person, context, parent)) == refusal, (context, parent)
    assert (await _move(owner, auth, "")).status_code == 400
    assert (await _move(member, tokens, team_wide)).status_code == 200, "below a team-wide context"
    assert (await _move(member, tokens, auth)).status_code == 200
    assert await _tree(owner, project) == before


async def test_subtree_cannot_move_below_the_depth_limit(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    deep = [await _make(owner, "D1", projectId=project, schemaKey="d1")]
    for level in range(2, limits.CONTEXT_LEVELS):
        deep.append(await _make(owner, f"D{level}", parentContextId=deep[-1], schemaKey=f"d{level}"))
    shared = await _make(owner, "Shared", schemaKey="shared")
    top = await _make(owner, "Top", projectId=project, schemaKey="top", parentContextId=shared)
    below = await _make(owner, "Below", parentContextId=top, schemaKey="top/below")
    assert status_and_body(await _move(owner, top, deep[-1])) == TOO_DEEP, "it has one level below it"
    assert (await _move(owner, below, deep[-1])).status_code == 200
    assert status_and_body(await _move(owner, top, below)) == TOO_DEEP
    assert (await _move(owner, below, top)).status_code == 200
    assert (await _move(owner, top, deep[-2])).status_code == 200, "exactly at the limit"
    # Contexts below a team-wide one count in every project.
    assert (await _move(owner, deep[0], None)).status_code == 200
    assert status_and_body(await _move(owner, deep[0], shared)) == TOO_DEEP
    assert (await _move(owner, top, shared)).status_code == 200
    assert (await _move(owner, deep[0], shared)).status_code == 200
    above = await _make(owner, "Above", schemaKey="above")
    assert status_and_body(await _move(owner, shared, above)) == TOO_DEEP


async def test_concurrent_moves_do_not_create_a_cycle(service: Service) -> None:
    """Each move alone is valid; together they would create a cycle."""
    owner = await service.owner()
    project = await owner.create_project()
    for scope in ({"projectId": project}, {}):
        for attempt in range(3):
            chain = [await _make(owner, f"N{attempt}{number}", **scope) for number in range(5)]
            moves = [(one, chain[(at + 1) % len(chain)]) for at, one in enumerate(chain)]
            nodes = [{"schemaKey": f"root/n{attempt}0", "name": "N", "parentSchemaKey": f"root/n{attempt}1"}]
            answers = await asyncio.gather(
                *(_move(owner, one, parent) for one, parent in moves),
                owner.post(f"{PATH}/populate", {"nodes": nodes, **scope}),
            )
            statuses = sorted(answer.status_code for answer in answers)
            assert statuses in ([200] * 5 + [400], [200] * 4 + [400, 400]), "a move closing the cycle is rejected"
    async with service.runtime.database.read() as tx:
        parents = {row["id"]: row["parent_id"] for row in await tx.many(select(contexts.c.id, contexts.c.parent_id))}
    for context in parents:
        at: str | None = context
        for _ in range(len(parents)):
            at = parents[at] if at is not None else None
        assert at is None, "a cycle"


async def test_deleting_a_parent_during_a_move_leaves_no_orphans(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    for number in range(4):
        parent = await _make(owner, f"House {number}")
        moving = [await _make(owner, f"M{number}{each}", projectId=project) for each in range(3)]
        deleted, *moved = await asyncio.gather(
            owner.delete(f"{PATH}/{parent}"), *(_move(owner, one, parent) for one in moving)
        )
        assert deleted.status_code == 204
        assert {answer.status_code for answer in moved} <= {200, 404}
        for one in moving:
            assert (await owner.get(f"{PATH}/{one}")).json()["parentContextId"] is None
