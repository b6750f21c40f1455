"""Undoing hygiene actions restores the same bytes and never undoes later changes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from loremark.base import clock, limits
from loremark.memory.evaluation.hygiene_sets import make_value
from tests.contract.examples_memory import keep_item
from tests.features.steps import status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/hygiene"
COUNTERS = ("version", "updatedAt")
SECRET = make_value("aws_key", "of the undo")
WRAP = "Errors are wrapped with the operation's name, so that a log line tells where it began."
CHANGED = "item changed"


class PlannedMemory:
    """A memory with a plan of proposed actions."""

    def __init__(self, owner: Person, project: str) -> None:
        self.owner, self.project = owner, project
        self.ids: dict[str, str] = {}
        self.plan: dict[str, Any] = {}

    @classmethod
    async def of(cls, service: Service) -> PlannedMemory:
        owner = await service.owner()
        memory = cls(owner, await owner.create_project())
        plain: dict[str, Any] = {"files": (), "tags": (), "branch": None, "status": "approved"}
        for name, title, content, fields in (
            ("same", "Wrap errors with the operation's name", WRAP, {"files": ("a.go",)}),
            ("vague", "Fix bug", "Sessions were lost after a restart because they were kept in memory only.", {}),
            ("junk", "asdf", "test", {"confidence": 0.5, "status": "draft"}),
            (
                "update",
                "Update",
                f"The archive job keeps label files for 90 days. Its key is {SECRET}.",
                {"files": ("jobs/archive/run.py",), "schema_key": "root/misc"},
            ),
            ("twin", "Wrap errors with the operation's name", WRAP, {"files": ("b.go",), "status": "draft"}),
        ):
            memory.ids[name] = await keep_item(
                service, owner, memory.project, title=title, content=content, **{**plain, **fields}
            )
        answer = await owner.post(PATH, {"projectId": memory.project, "action": "analyze"})
        assert answer.status_code == 200, answer.text
        memory.plan = answer.json()
        return memory

    def actions(self, *types: str) -> list[str]:
        return [action["id"] for action in self.plan["actions"] if action["type"] in types]

    def action_for(self, name: str, kind: str) -> str:
        (found,) = [
            action["id"]
            for action in self.plan["actions"]
            if action["type"] == kind and self.ids[name] in (action.get("itemId"), *action.get("itemIds", ()))
        ]
        return str(found)

    async def apply(self, *selected: str) -> dict[str, Any]:
        action_ids = list(selected) or [action["id"] for action in self.plan["actions"]]
        body = {"projectId": self.project, "action": "apply", "plan": self.plan, "selectedActionIds": action_ids}
        answer = await self.owner.post(PATH, body)
        assert answer.status_code == 200, answer.text
        done: dict[str, Any] = answer.json()
        return done

    async def undo(self, selected: list[str] | None = None) -> dict[str, Any]:
        body = {"projectId": self.project, "planId": self.plan["planId"], "actionIds": selected}
        answer = await self.owner.post(f"{PATH}/undo", body)
        assert answer.status_code == 200, answer.text
        undone: dict[str, Any] = answer.json()
        return undone

    async def items(self) -> dict[str, dict[str, Any]]:
        """Without counters that change with every update."""
        answer = await self.owner.get(f"/api/v2/items?projectId={self.project}")
        return {
            item["id"]: {name: value for name, value in item.items() if name not in COUNTERS} for item in answer.json()
        }

    async def applied(self) -> set[str]:
        """Applied actions of the newest plan, after a reload."""
        plans = (await self.owner.get(f"{PATH}?projectId={self.project}")).json()
        assert plans[0]["planId"] == self.plan["planId"]
        return {action["id"] for action in plans[0]["actions"] if action["applied"]}


async def test_undo_restores_the_same_bytes_and_actions_can_be_reapplied(service: Service) -> None:
    memory = await PlannedMemory.of(service)
    assert sorted(memory.plan["summary"]["byType"]) == [
        "FLAG_QUALITY",
        "MERGE_MEMORIES",
        "REDACT",
        "RENAME_TITLE",
        "RETAG",
    ]
    redaction = memory.action_for("update", "REDACT")
    selected = [action["id"] for action in memory.plan["actions"] if action["id"] != redaction]
    before = await memory.items()
    brain = (await memory.owner.get(f"/api/v2/brain?projectId={memory.project}&format=json")).json()["markdown"]
    assert (await memory.apply(*selected))["applied"] == len(selected)
    applied_items = await memory.items()
    assert applied_items != before
    assert await memory.applied() == set(selected)

    undone = await memory.undo()
    assert (undone["undone"], undone["skipped"]) == (len(selected), 0)
    assert [result["status"] for result in undone["results"]] == ["success"] * len(selected)
    assert await memory.items() == before
    again = (await memory.owner.get(f"/api/v2/brain?projectId={memory.project}&format=json")).json()["markdown"]
    assert again == brain
    assert await memory.applied() == set()
    assert (await memory.undo())["results"] == []
    (newest, *_) = (await memory.owner.get(f"/api/v2/items/{memory.ids['twin']}/revisions")).json()
    assert (newest["change"], newest["actorId"]) == ("reverted", memory.owner.user_id)

    assert (await memory.apply(*selected))["applied"] == len(selected)
    assert await memory.items() == applied_items
    assert (await memory.undo())["undone"] == len(selected)
    assert await memory.items() == before
    entries = (await memory.owner.get("/api/audit?action=hygiene.undone")).json()
    assert len(entries) == 2 * len(selected)


async def test_deleted_items_are_removed_from_stored_plans(service: Service) -> None:
    memory = await PlannedMemory.of(service)
    deleted = memory.ids["vague"]
    listed = await memory.owner.get(f"{PATH}?projectId={memory.project}")
    assert deleted in listed.text
    assert "Sessions were lost" in listed.text
    assert (await memory.owner.delete(f"/api/v2/items/{deleted}")).status_code == 204
    listed = await memory.owner.get(f"{PATH}?projectId={memory.project}")
    assert deleted not in listed.text
    assert "Sessions were lost" not in listed.text
    assert memory.ids["update"] in listed.text


async def test_later_changes_are_never_undone(service: Service) -> None:
    memory = await PlannedMemory.of(service)
    await memory.apply()
    vague, same = memory.ids["vague"], memory.ids["same"]
    assert (await memory.owner.patch(f"/api/v2/items/{vague}", {"tags": ["mine"]})).status_code == 200
    # One of the merged items has changed, so the merge is not undone.
    assert (await memory.owner.patch(f"/api/v2/items/{memory.ids['twin']}", {"tags": ["mine"]})).status_code == 200
    assert (await memory.owner.delete(f"/api/v2/items/{memory.ids['junk']}")).status_code == 204
    before = await memory.items()
    rename, merge = memory.action_for("vague", "RENAME_TITLE"), memory.action_for("same", "MERGE_MEMORIES")
    (flag,) = memory.actions("FLAG_QUALITY")
    undone = await memory.undo([rename, merge, flag, "act_unknown"])
    assert undone == {
        "undone": 0,
        "skipped": 4,
        "results": [
            {"actionId": rename, "status": "skipped", "reason": CHANGED},
            {"actionId": merge, "status": "skipped", "reason": CHANGED},
            {"actionId": flag, "status": "skipped", "reason": CHANGED},
            {"actionId": "act_unknown", "status": "skipped", "reason": "unknown action"},
        ],
    }
    assert await memory.items() == before
    assert before[same]["files"] == ["a.go", "b.go"]


async def test_actions_on_one_item_are_undone_in_reverse_order_except_redactions(
    service: Service,
) -> None:
    memory = await PlannedMemory.of(service)
    item = memory.ids["update"]
    retag, rename, redact = (memory.action_for("update", kind) for kind in ("RETAG", "RENAME_TITLE", "REDACT"))
    before = (await memory.items())[item]
    assert (await memory.apply(redact))["applied"] == 1
    cleaned = (await memory.items())[item]
    assert SECRET not in str(cleaned)
    assert (await memory.apply(retag, rename))["applied"] == 2

    # An action that a later one builds on cannot be undone alone. The order of the ids does not matter.
    assert (await memory.undo([retag]))["results"] == [{"actionId": retag, "status": "skipped", "reason": CHANGED}]
    undone = await memory.undo([redact, retag, rename, retag])
    reasons = [result.get("reason") for result in undone["results"]]
    assert (undone["undone"], reasons) == (2, ["redactions are final", None, None, "not applied"])
    assert (await memory.items())[item] == cleaned
    assert before["schemaKey"] == cleaned["schemaKey"]
    assert await memory.applied() == {redact}


async def test_concurrent_undos_undo_each_action_once(service: Service) -> None:
    memory = await PlannedMemory.of(service)
    rename = memory.action_for("vague", "RENAME_TITLE")
    await memory.apply(rename)
    answers = await asyncio.gather(*(memory.undo([rename]) for _ in range(4)))
    assert sorted(answer["undone"] for answer in answers) == [0, 0, 0, 1]
    revisions = (await memory.owner.get(f"/api/v2/items/{memory.ids['vague']}/revisions")).json()
    assert len(revisions) == 3


async def test_plans_are_listed_newest_first_until_they_expire(service: Service) -> None:
    memory = await PlannedMemory.of(service)
    owner, project = memory.owner, memory.project
    second = (await owner.post(PATH, {"projectId": project, "action": "analyze", "mode": "weekly"})).json()
    plans = (await owner.get(f"{PATH}?projectId={project}")).json()
    assert [plan["planId"] for plan in plans] == [second["planId"], memory.plan["planId"]]
    for plan, known in zip(plans, (second, memory.plan), strict=True):
        assert plan == {**known, "actions": [{**action, "applied": False} for action in known["actions"]]}
    late_ms = clock.now_ms() + limits.HYGIENE_PLAN_VALID_MS + 1_000
    with clock.use(lambda: late_ms):
        assert status_and_body(await owner.get(f"{PATH}?projectId={project}")) == (200, [])
        body = {"projectId": project, "planId": second["planId"]}
        assert status_and_body(await owner.post(f"{PATH}/undo", body)) == (404, {"error": "Plan not found"})
