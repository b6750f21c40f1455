"""History: every earlier state of an item or context can be restored exactly."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Coroutine
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from loremark.base.caller import Scope
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.memory import states
from loremark.storage.tables import revisions
from tests.contract.examples_memory import keep_item
from tests.features.steps import status_and_body
from tests.support.people import Person
from tests.support.properties import examples
from tests.support.service import Service, run_service, settings_for

ITEMS = "/api/v2/items"
CONTEXTS = "/api/contexts"
NO_REVISION = (404, {"error": "Revision not found"})

Step = tuple[str, Any]
_words = st.text(alphabet="ab é\n#-", min_size=1, max_size=12).filter(str.strip)
_item_steps: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.tuples(
            st.just("edit"),
            st.fixed_dictionaries(
                {},
                optional={
                    "title": _words,
                    "content": st.text(alphabet="ab é\n", max_size=12),
                    "type": st.sampled_from(["bug", "todo", "decision", "codemap"]),
                    "status": st.sampled_from(["approved", "draft", "deprecated"]),
                    "schemaKey": st.sampled_from(["root", "root/a", "b"]),
                    "tier": st.integers(1, 3),
                    "tags": st.lists(_words, max_size=3),
                    "files": st.lists(st.sampled_from(["a.py", "b.py", "ä/c.py"]), max_size=3),
                },
            ),
        ),
        st.tuples(st.just("flag"), st.sampled_from(["stale", "quality", "redacted"])),
        st.tuples(st.just("merge"), st.sampled_from(["approved", "draft"])),
        st.tuples(st.just("revert"), st.integers(0, 20)),
    ),
    min_size=1,
    max_size=8,
)
_context_steps: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.tuples(
            st.just("edit"),
            st.fixed_dictionaries(
                {},
                optional={
                    "name": _words,
                    "description": st.text(alphabet="ab ", max_size=9),
                    "content": st.lists(st.sampled_from(["## a", "## b", "- x", "- y", "```", ""]), max_size=9).map(
                        "\n".join
                    ),
                },
            ),
        ),
        st.tuples(st.just("approve"), st.sampled_from(["approve", "deprecate"])),
        st.tuples(st.just("compact"), st.none()),
        st.tuples(st.just("populate"), st.integers(1, 3)),
        st.tuples(st.just("revert"), st.integers(0, 20)),
    ),
    min_size=1,
    max_size=8,
)


async def _snapshots(service: Service, record_id: str) -> list[str]:
    """The stored snapshots, oldest first."""
    async with service.runtime.database.read() as tx:
        statement = select(revisions).where(revisions.c.record_id == record_id).order_by(revisions.c.version)
        rows = await tx.many(statement)
    assert [row["version"] for row in rows] == list(range(1, len(rows) + 1))
    return [row["snapshot"] for row in rows]


async def _merge(service: Service, owner: Person, project: str, item_id: str, status: str) -> str:
    """Merge one item into another, as dedup does."""
    scope = Scope(owner.team_id)
    other_id = await keep_item(service, owner, project, status=status, title="Another")
    async with service.runtime.database.write() as tx:
        one, other = await items.lock_item(tx, scope, item_id), await items.lock_item(tx, scope, other_id)
        assert one is not None
        assert other is not None
        item = records.to_item(one)
        merged = dataclasses.replace(
            item, content=f"{item.content}!", merged_from=(*item.merged_from, other_id), tags=(*item.tags, "merged")
        )
        await items.change_item(tx, scope, one, merged, reason="merged")
        deprecated = dataclasses.replace(records.to_item(other), status="deprecated")
        await items.change_item(tx, scope, other, deprecated, reason="merged", superseded_by=item_id)
    return other_id


async def _flag(service: Service, owner: Person, item_id: str, flag: str) -> None:
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        row = await items.lock_item(tx, scope, item_id)
        assert row is not None
        item = records.to_item(row)
        flagged = dataclasses.replace(item, flags=(*item.flags, flag))
        await items.change_item(tx, scope, row, flagged, reason="flagged")


async def _check_item_history(service: Service, owner: Person, project: str, steps: list[Step]) -> None:
    item_id = await keep_item(service, owner, project)
    path = f"{ITEMS}/{item_id}"
    merged: dict[str, str] = {}
    for step, value in steps:
        if step == "edit":
            assert (await owner.patch(path, value)).status_code == 200
        elif step == "flag":
            await _flag(service, owner, item_id, value)
        elif step == "merge":
            merged[await _merge(service, owner, project, item_id, value)] = value
        else:
            version = value % len(await _snapshots(service, item_id)) + 1
            assert (await owner.post(f"{path}/revert", {"version": version})).status_code == 200
    snapshots = await _snapshots(service, item_id)
    for version in range(1, len(snapshots) + 1):
        answer = await owner.post(f"{path}/revert", {"version": version})
        assert answer.status_code == 200, answer.text
        assert (await _snapshots(service, item_id))[-1] == snapshots[version - 1]
        for other_id, status in merged.items():
            other = (await owner.get(f"{ITEMS}/{other_id}")).json()
            is_merged = other_id in answer.json()["mergedFrom"]
            assert (other["status"], other["supersededBy"]) == (
                ("deprecated", item_id) if is_merged else (status, None)
            )
    await _check_transitions(owner, path, "status", states.ITEM)


async def _check_context_history(service: Service, owner: Person, project: str, steps: list[Step]) -> None:
    created = await owner.post(CONTEXTS, {"name": "Journal", "projectId": project})
    assert created.status_code == 201, created.text
    context, key = created.json()["id"], created.json()["schemaKey"]
    path = f"{CONTEXTS}/{context}"
    for step, value in steps:
        bodies: dict[str, Any] = {"approve": {"action": value}, "compact": None}
        if step == "edit":
            answer = await owner.patch(path, value)
        elif step == "populate":
            node = {"schemaKey": key, "name": "Filled in", "tier": value, "contextType": "reference"}
            answer = await owner.post(f"{CONTEXTS}/populate", {"nodes": [node], "projectId": project})
        elif step == "revert":
            version = value % len(await _snapshots(service, context)) + 1
            answer = await owner.post(f"{path}/revert", {"version": version})
        else:
            answer = await owner.post(f"{path}/{step}", bodies[step])
        assert answer.status_code == 200, answer.text
    snapshots = await _snapshots(service, context)
    state = (await owner.get(path)).json()["state"]
    for version in range(1, len(snapshots) + 1):
        assert (await owner.post(f"{path}/revert", {"version": version})).status_code == 200
        assert _without_state((await _snapshots(service, context))[-1]) == _without_state(snapshots[version - 1])
    assert (await owner.get(path)).json()["state"] == state
    await _check_transitions(owner, path, "state", states.CONTEXT)
    assert (await owner.delete(path)).status_code == 204
    assert await _snapshots(service, context) == []


def _without_state(snapshot: str) -> str:
    for word in states.CONTEXT.values:
        snapshot = snapshot.replace(f'"state":"{word}"', "")
    return snapshot


async def _check_transitions(owner: Person, path: str, name: str, table: states.States) -> None:
    """Check that all status transitions are allowed."""
    seen = [each["snapshot"][name] for each in (await owner.get(f"{path}/revisions")).json()][::-1]
    assert seen[0] in table.initial
    assert [
        transition for transition in pairwise(seen) if transition[0] != transition[1] and not table.allows(*transition)
    ] == []


Scenario = Callable[[Service, Person, str, list[Step]], Coroutine[Any, Any, None]]


@pytest.mark.parametrize(
    ("scenario", "plans"), [(_check_item_history, _item_steps), (_check_context_history, _context_steps)]
)
def test_every_revision_can_be_restored(
    scenario: Scenario, plans: st.SearchStrategy[list[Step]], database_url: str, tmp_path: Path
) -> None:
    with asyncio.Runner() as runner:
        running = run_service(settings_for(tmp_path, database_url))
        service = runner.run(running.__aenter__())
        owner = runner.run(service.owner())
        project = runner.run(owner.create_project())

        @settings(
            max_examples=examples(40),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.generate, Phase.shrink),
        )
        @given(plans)
        def check(steps: list[Step]) -> None:
            runner.run(scenario(service, owner, project, steps))

        try:
            check()
        finally:
            runner.run(running.__aexit__(None, None, None))


@pytest.mark.anyio
async def test_reverting_undoes_and_redoes_a_merge(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item_id = await keep_item(service, owner, project, status="approved")
    before = (await owner.get(f"{ITEMS}/{item_id}")).json()
    other_id = await _merge(service, owner, project, item_id, "approved")
    after = (await owner.post(f"{ITEMS}/{item_id}/revert", {"version": 1})).json()
    counters = ("version", "updatedAt")
    assert {**after, **{name: before[name] for name in counters}} == before
    assert after["version"] == 3
    other = (await owner.get(f"{ITEMS}/{other_id}")).json()
    assert (other["status"], other["supersededBy"], other["version"]) == ("approved", None, 3)
    again = (await owner.post(f"{ITEMS}/{item_id}/revert", {"version": 2})).json()
    assert again["mergedFrom"] == [other_id]
    other = (await owner.get(f"{ITEMS}/{other_id}")).json()
    assert (other["status"], other["supersededBy"]) == ("deprecated", item_id)
    restored = (await owner.patch(f"{ITEMS}/{other_id}", {"status": "approved"})).json()
    assert (restored["status"], restored["supersededBy"]) == ("approved", None)


@pytest.mark.anyio
async def test_revisions_are_listed_newest_first_in_pages(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item_id = await keep_item(service, owner, project)
    path = f"{ITEMS}/{item_id}"
    for number in range(5):
        assert (await owner.patch(path, {"title": f"Title {number}"})).status_code == 200
    page = await owner.get(f"{path}/revisions?limit=4")
    assert [(each["version"], each["snapshot"]["title"]) for each in page.json()] == [
        (6 - number, f"Title {4 - number}") for number in range(4)
    ]
    rest = await owner.get(f"{path}/revisions?limit=4&cursor={page.headers['x-next-cursor']}")
    assert [each["version"] for each in rest.json()] == [2, 1]
    assert "x-next-cursor" not in rest.headers
    assert rest.json()[1]["snapshot"]["title"] == "Sessions are kept in Redis"
    assert status_and_body(await owner.post(f"{path}/revert", {"version": 7})) == NO_REVISION
    for version in (0, -1, 2**53, "1", None, 1.5):
        refused = await owner.post(f"{path}/revert", {"version": version})
        assert (refused.status_code, refused.json()["error"].partition(" ")[0]) == (400, "version")
