"""Brain history: when it changed, and its contents at the time."""

from __future__ import annotations

import random
from typing import Any

import pytest

from loremark.base import clock, limits
from loremark.base.caller import Scope
from loremark.features.items import records
from loremark.features.items import service as items
from tests.contract.examples_memory import keep_item
from tests.features.steps import NO_PROJECT, status_and_body
from tests.features.test_brain import brain_of, create_approved_item, write_context
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

HISTORY, SNAPSHOT = "/api/v2/brain/history", "/api/v2/brain/snapshot"
QUERIES = ("", "&tokenBudget=450", "&branch=feature/x")
START_MS = 1_800_000_000_000


class FakeClock:
    """A clock set by the test."""

    def __init__(self) -> None:
        self.now_ms = START_MS

    def __call__(self) -> int:
        return self.now_ms

    def advance(self, minutes: float) -> None:
        self.now_ms += int(minutes * 60_000)


async def snapshot_at(person: Person, project: str, at: str, query: str = "") -> dict[str, Any]:
    answer = await person.get(f"{SNAPSHOT}?projectId={project}&at={at}{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def _current_brains(owner: Person, project: str) -> list[dict[str, Any]]:
    return [(await brain_of(owner, project, query)).json() for query in QUERIES]


async def _merge_branch(service: Service, owner: Person, item: str) -> None:
    """Mark the item as merged, as enrichment does after a branch merge."""
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        row = await items.lock_item(tx, scope, item)
        assert row is not None
        same = records.to_item(row)
        await items.change_item(tx, scope, row, same, reason="merged branch", merged_at_ms=clock.now_ms())
        await items.touch_memory(tx, scope, row["project_id"])


async def _change_memory(service: Service, owner: Person, project: str) -> Any:
    """Make one change of each kind, one after the other."""
    rng = random.Random(7)  # the same content in every run
    facts = [
        await create_approved_item(
            service, owner, project, f"Fact {number}", content=f"It is so, {number}. " * rng.randint(3, 60)
        )
        for number in range(8)
    ]
    yield "facts"
    draft = await keep_item(service, owner, project, title="Only a draft", branch=None)
    yield "a draft"
    project_context = await write_context(
        owner, name="House style", description="Ours", content="Short.", projectId=project
    )
    yield "a context"
    team_wide = await write_context(owner, name="For everybody", content="Be kind.", tier=1, schemaKey="house/rules")
    yield "one for all"
    branch_item = await create_approved_item(service, owner, project, "Elsewhere", branch="feature/x")
    yield "on a branch"
    quoted = 'It says "status":"approved" and {"state":"approved"}'
    changes: list[tuple[str, dict[str, Any]]] = [
        (facts[0], {"content": "It is otherwise.", "files": ["src/b.py", "src/a.py"]}),
        (facts[1], {"status": "deprecated"}),
        (facts[2], {"tier": 3, "schemaKey": "root/other", "type": "todo"}),
        (facts[1], {"title": "Fact 1 again", "status": "approved"}),
        (draft, {"status": "approved"}),
        (facts[3], {"content": quoted, "status": "draft"}),
        (facts[4], {"content": "A long story. " * 900}),
    ]
    for item, change in changes:
        assert (await owner.patch(f"/api/v2/items/{item}", change)).status_code == 200
        yield "an item"
    for context, text in ((project_context, "Shorter."), (team_wide, "Be kinder.")):
        assert (await owner.patch(f"/api/contexts/{context}", {"content": text})).status_code == 200
        yield "a context"
    await _merge_branch(service, owner, branch_item)
    yield "a branch was merged"
    assert (await owner.post(f"/api/v2/items/{facts[0]}/revert", {"version": 2})).status_code == 200
    yield "back"
    assert (await owner.post(f"/api/contexts/{project_context}/approve", {"action": "deprecate"})).status_code == 200
    yield "retired"


async def test_past_brain_equals_the_brain_served_then(service: Service) -> None:
    owner, fake_clock = await service.owner(), FakeClock()
    with clock.use(fake_clock):
        project = await owner.create_project("Kelpie", description="Swims")
        seen: list[tuple[str, list[dict[str, Any]]]] = []
        async for _ in _change_memory(service, owner, project):
            seen.append((clock.iso(fake_clock.now_ms), await _current_brains(owner, project)))
            fake_clock.advance(61)
        assert len({brains[0]["markdown"] for _, brains in seen}) > 12, "the changes are visible in the brain"
        for at, brains in seen:
            for query, served in zip(QUERIES, brains, strict=True):
                snapshot = await snapshot_at(owner, project, at, query)
                assert snapshot["markdown"] == served["markdown"], (at, query)
                snapshot["metadata"]["assembledAt"] = served["metadata"]["assembledAt"]
                assert snapshot == served
        future = await snapshot_at(owner, project, "9999-12-31T23:59:59Z")
        assert future["markdown"] == seen[-1][1][0]["markdown"]
        for early in ("0001-01-01T00:00:00Z", "2001-09-09T01:46:40+00:00".replace("+", "%2B")):
            empty = await snapshot_at(owner, project, early)
            assert "Memory: 0 items and 0 contexts" in empty["markdown"]
        # Every change to approved memory is a moment in the history; a new draft is not.
        moments = (await owner.get(f"{HISTORY}?projectId={project}&limit=100")).json()
        changed = [at for number, (at, _) in enumerate(seen) if number != 1]
        assert [moment["at"] for moment in moments] == changed[::-1]
        assert (moments[-1]["added"], len(moments[-1]["titles"])) == (8, 5)
        edited, added, removed = (0, 1, 0), (1, 0, 0), (0, 0, 1)
        counts = [tuple(moment[name] for name in ("added", "changed", "removed")) for moment in moments[::-1]]
        assert counts[1:4] == [added] * 3
        assert counts[4:] == [edited, removed, edited, added, added, removed, *[edited] * 5, removed]
        # A deleted item also disappears from the history; nothing else does.
        listed = (await owner.get(f"/api/v2/items?projectId={project}")).json()
        deleted_id = next(item["id"] for item in listed if item["title"] == "Fact 5")
        assert (await owner.delete(f"/api/v2/items/{deleted_id}")).status_code == 204
        before, after = seen[0][1][0]["markdown"], (await snapshot_at(owner, project, seen[0][0]))["markdown"]
        assert "**Fact 5**" in before
        assert "**Fact 5**" not in after
        assert "Memory: 7 items" in after
        assert all(f"**Fact {number}**" in after for number in (0, 1, 2, 3, 4, 6, 7))


async def test_changes_close_in_time_form_one_moment(service: Service) -> None:
    owner, stranger, fake_clock = await service.owner(), await service.owner("Others"), FakeClock()
    fake_clock.now_ms -= fake_clock.now_ms % clock.HOUR_MS
    with clock.use(fake_clock):
        project, other = await owner.create_project("Kelpie"), await owner.create_project("Other")
        first = await create_approved_item(service, owner, project, "First")
        fake_clock.advance(9)
        await create_approved_item(service, owner, project, "Second")
        await owner.patch(f"/api/v2/items/{first}", {"content": "Changed at once."})
        fake_clock.advance(9)
        short_lived = await create_approved_item(service, owner, project, "Fleeting")
        await owner.patch(f"/api/v2/items/{short_lived}", {"status": "deprecated"})
        grouped_at = clock.iso(fake_clock.now_ms)
        fake_clock.advance(11)
        await owner.patch(f"/api/v2/items/{first}", {"title": "First of all", "content": "Once more."})
        separate_at = clock.iso(fake_clock.now_ms)
        fake_clock.advance(120)
        temporary = await create_approved_item(service, owner, project, "For a minute")
        await owner.patch(f"/api/v2/items/{temporary}", {"status": "draft"})
        await create_approved_item(service, owner, other, "Of another project")
        fake_clock.advance(59)
        await write_context(owner, name="For everybody", content="Be kind.", schemaKey="house/rules")
        fake_clock.advance(2)
        await owner.patch(f"/api/v2/items/{first}", {"status": "deprecated"})
        last_at = clock.iso(fake_clock.now_ms)
        found = (await owner.get(f"{HISTORY}?projectId={project}")).json()
        assert found == [
            {"at": last_at, "added": 1, "changed": 0, "removed": 1, "titles": ["First of all", "For everybody"]},
            {"at": separate_at, "added": 0, "changed": 1, "removed": 0, "titles": ["First of all"]},
            {"at": grouped_at, "added": 2, "changed": 0, "removed": 0, "titles": found[2]["titles"]},
        ]
        assert sorted(found[2]["titles"]) == ["First of all", "Second"]
        pages, cursor = [], ""
        for _ in found:
            answer = await owner.get(f"{HISTORY}?projectId={project}&limit=1{cursor}")
            pages += answer.json()
            cursor = f"&cursor={answer.headers.get('x-next-cursor', 'none')}"
        assert pages == found
        assert cursor == "&cursor=none"
        assert (limits.BRAIN_MOMENTS_PAGE_DEFAULT, limits.BRAIN_MOMENTS_PAGE) == (20, 100)
        for wrong in ("limit=0", "limit=101", "cursor=0", "cursor=itm"):
            assert (await owner.get(f"{HISTORY}?projectId={project}&{wrong}")).status_code == 400
        assert status_and_body(await stranger.get(f"{HISTORY}?projectId={project}")) == NO_PROJECT
        assert status_and_body(await stranger.get(f"{SNAPSHOT}?projectId={project}&at={last_at}")) == NO_PROJECT
        assert (await owner.get(f"{SNAPSHOT}?projectId={project}&at=yesterday")).status_code == 400
