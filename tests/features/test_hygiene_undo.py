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


class Tidied:
    """A memory with all proposed actions applied."""

    def __init__(self, owner: Person, project: str) -> None:
        self.owner, self.project = owner, project
        self.ids: dict[str, str] = {}
        self.plan: dict[str, Any] = {}

    @classmethod
    async def of(cls, service: Service) -> Tidied:
        owner = await service.owner()
        made = cls(owner, await owner.create_project())
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
            made.ids[name] = await keep_item(
                service, owner, made.project, title=title, content=content, **{**plain, **fields}
            )
        answer = await owner.post(PATH, {"projectId": made.project, "action": "analyze"})
        assert answer.status_code == 200, answer.text
        made.plan = answer.json()
        return made

    def actions(self, *types: str) -> list[str]:
        return [action["id"] for action in self.plan["actions"] if action["type"] in types]

    def about(self, name: str, kind: str) -> str:
        (found,) = [
            action["id"]
            for action in self.plan["actions"]
            if action["type"] == kind and self.ids[name] in (action.get("itemId"), *action.get("itemIds", ()))
        ]
        return str(found)

    async def apply(self, *selected: str) -> dict[str, Any]:
        chosen = list(selected) or [action["id"] for action in self.plan["actions"]]
        body = {"projectId": self.project, "action": "apply", "plan": self.plan, "selectedActionIds": chosen}
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
    made = await Tidied.of(service)
    assert sorted(made.plan["summary"]["byType"]) == [
        "FLAG_QUALITY",
        "MERGE_MEMORIES",
        "REDACT",
        "RENAME_TITLE",
        "RETAG",
    ]
    redaction = made.about("update", "REDACT")
    selected = [action["id"] for action in made.plan["actions"] if action["id"] != redaction]
    before = await made.items()
    brain = (await made.owner.get(f"/api/v2/brain?projectId={made.project}&format=json")).json()["markdown"]
    assert (await made.apply(*selected))["applied"] == len(selected)
    tidy = await made.items()
    assert tidy != before
    assert await made.applied() == set(selected)

    undone = await made.undo()
    assert (undone["undone"], undone["skipped"]) == (len(selected), 0)
    assert [result["status"] for result in undone["results"]] == ["success"] * len(selected)
    assert await made.items() == before
    again = (await made.owner.get(f"/api/v2/brain?projectId={made.project}&format=json")).json()["markdown"]
    assert again == brain
    assert await made.applied() == set()
    assert (await made.undo())["results"] == []
    (newest, *_) = (await made.owner.get(f"/api/v2/items/{made.ids['twin']}/revisions")).json()
    assert (newest["change"], newest["actorId"]) == ("reverted", made.owner.user_id)

    assert (await made.apply(*selected))["applied"] == len(selected)
    assert await made.items() == tidy
    assert (await made.undo())["undone"] == len(selected)
    assert await made.items() == before
    entries = (await made.owner.get("/api/audit?action=hygiene.undone")).json()
    assert len(entries) == 2 * len(selected)


async def test_deleted_items_are_removed_from_stored_plans(service: Service) -> None:
    made = await Tidied.of(service)
    gone = made.ids["vague"]
    listed = await made.owner.get(f"{PATH}?projectId={made.project}")
    assert gone in listed.text
    assert "Sessions were lost" in listed.text
    assert (await made.owner.delete(f"/api/v2/items/{gone}")).status_code == 204
    listed = await made.owner.get(f"{PATH}?projectId={made.project}")
    assert gone not in listed.text
    assert "Sessions were lost" not in listed.text
    assert made.ids["update"] in listed.text


async def test_later_changes_are_never_undone(service: Service) -> None:
    made = await Tidied.of(service)
    await made.apply()
    vague, same = made.ids["vague"], made.ids["same"]
    assert (await made.owner.patch(f"/api/v2/items/{vague}", {"tags": ["mine"]})).status_code == 200
    # Of a merge, one that was merged: all of it stays as it is.
    assert (await made.owner.patch(f"/api/v2/items/{made.ids['twin']}", {"tags": ["mine"]})).status_code == 200
    assert (await made.owner.delete(f"/api/v2/items/{made.ids['junk']}")).status_code == 204
    before = await made.items()
    rename, merge = made.about("vague", "RENAME_TITLE"), made.about("same", "MERGE_MEMORIES")
    (flag,) = made.actions("FLAG_QUALITY")
    undone = await made.undo([rename, merge, flag, "act_unknown"])
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
    assert await made.items() == before
    assert before[same]["files"] == ["a.go", "b.go"]


async def test_actions_on_one_item_are_undone_in_reverse_order_except_redactions(
    service: Service,
) -> None:
    made = await Tidied.of(service)
    item = made.ids["update"]
    retag, rename, redact = (made.about("update", kind) for kind in ("RETAG", "RENAME_TITLE", "REDACT"))
    before = (await made.items())[item]
    assert (await made.apply(redact))["applied"] == 1
    cleaned = (await made.items())[item]
    assert SECRET not in str(cleaned)
    assert (await made.apply(retag, rename))["applied"] == 2

    # The first alone cannot go: another stands on it. In whatever order they are named, the last goes first.
    assert (await made.undo([retag]))["results"] == [{"actionId": retag, "status": "skipped", "reason": CHANGED}]
    undone = await made.undo([redact, retag, rename, retag])
    reasons = [result.get("reason") for result in undone["results"]]
    assert (undone["undone"], reasons) == (2, ["redactions are final", None, None, "not applied"])
    assert (await made.items())[item] == cleaned
    assert before["schemaKey"] == cleaned["schemaKey"]
    assert await made.applied() == {redact}


async def test_concurrent_undos_undo_each_action_once(service: Service) -> None:
    made = await Tidied.of(service)
    rename = made.about("vague", "RENAME_TITLE")
    await made.apply(rename)
    answers = await asyncio.gather(*(made.undo([rename]) for _ in range(4)))
    assert sorted(answer["undone"] for answer in answers) == [0, 0, 0, 1]
    revisions = (await made.owner.get(f"/api/v2/items/{made.ids['vague']}/revisions")).json()
    assert len(revisions) == 3


async def test_plans_are_listed_newest_first_until_they_expire(service: Service) -> None:
    made = await Tidied.of(service)
    owner, project = made.owner, made.project
    second = (await owner.post(PATH, {"projectId": project, "action": "analyze", "mode": "weekly"})).json()
    plans = (await owner.get(f"{PATH}?projectId={project}")).json()
    assert [plan["planId"] for plan in plans] == [second["planId"], made.plan["planId"]]
    for plan, known in zip(plans, (second, made.plan), strict=True):
        assert plan == {**known, "actions": [{**action, "applied": False} for action in known["actions"]]}
    late_ms = clock.now_ms() + limits.HYGIENE_PLAN_VALID_MS + 1_000
    with clock.use(lambda: late_ms):
        assert status_and_body(await owner.get(f"{PATH}?projectId={project}")) == (200, [])
        body = {"projectId": project, "planId": second["planId"]}
        assert status_and_body(await owner.post(f"{PATH}/undo", body)) == (404, {"error": "Plan not found"})
