"""A newer statement about the same thing replaces the older one, and a person can bring the older one back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from loremark.base.caller import Scope
from loremark.features.items import records
from loremark.features.items import service as items
from tests.features.memory_project import Memory, save
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

OLD = (
    "decision",
    "Sessions expire after 30 minutes of inactivity",
    "User sessions expire after 30 minutes of inactivity, because shared terminals are common in the warehouses.",
)
NEW = (
    "decision",
    "Sessions no longer expire after 30 minutes but after 8 hours",
    "User sessions now expire after 8 hours of inactivity instead of 30 minutes, because drivers were logged out.",
)
OTHER = (
    "decision",
    "Invoices are rendered with Typst",
    "Invoices are rendered to PDF with Typst instead of LaTeX, because the build takes seconds.",
)


async def _learn_both(service: Service) -> tuple[Memory, str, str]:
    """Return the memory and the ids of the old, approved item and the new one."""
    memory = await Memory.of(service)
    await memory.learn(save(OLD))
    (old,) = await memory.items()
    assert (await memory.owner.patch(f"/api/v2/items/{old['id']}", {"status": "approved"})).status_code == 200
    await memory.learn(save(NEW, OTHER))
    new = next(item for item in await memory.items() if item["title"].startswith("Sessions no longer"))
    return memory, old["id"], new["id"]


async def _search(memory: Memory) -> set[str]:
    """Return the ids of approved items that a search finds."""
    parameters = {"projectId": memory.tool.project_id, "q": "when do sessions expire?", "minSimilarity": 0}
    answer = await memory.owner.get("/api/v2/search", params=parameters)
    assert answer.status_code == 200, answer.text
    return {result["itemId"] for result in answer.json()["results"]}


async def test_newer_statement_replaces_an_approved_one(service: Service) -> None:
    memory, old_id, new_id = await _learn_both(service)
    old = await memory.item(old_id)
    assert (old["status"], old["supersededBy"], old["title"]) == ("approved", new_id, OLD[1])
    assert {item["supersededBy"] for item in await memory.items() if item["id"] != old_id} == {None}

    brain = (await memory.owner.get(f"/api/v2/brain?projectId={memory.tool.project_id}")).text
    assert "after 30 minutes of inactivity, because" not in brain
    assert old_id not in await _search(memory)
    about = {"projectId": memory.tool.project_id, "prompt": "Log users out of the web app when they are idle."}
    briefing = (await memory.owner.post("/api/v2/briefing", about)).json()
    served = {entry["id"]: entry["reviewed"] for entry in briefing["entries"]}
    assert (served.get(old_id), served.get(new_id)) == (None, False)  # though it contradicts what it replaced


async def test_replaced_item_is_restored_in_one_step(service: Service) -> None:
    memory, old_id, _ = await _learn_both(service)
    assert (await memory.owner.patch(f"/api/v2/items/{old_id}", {"status": "approved"})).status_code == 200
    assert (await memory.item(old_id))["supersededBy"] is None
    assert old_id in await _search(memory)


async def test_statements_about_other_things_and_repeats_replace_nothing(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(OLD))
    await memory.learn(save(OTHER, OLD))
    assert [item["supersededBy"] for item in await memory.items()] == [None, None]


async def test_within_one_session_the_end_state_leads(service: Service) -> None:
    memory = await Memory.of(service)
    session = (await memory.send(save(OLD, agentSession="one")))["sessionId"]
    await memory.send(save(NEW, agentSession="one"))
    await memory.enrich(session)
    states = {item["title"]: (item["status"], item["supersededBy"] is not None) for item in await memory.items()}
    assert states[OLD[1]] == ("deprecated", True)
    assert states[NEW[1]][1] is False


async def test_an_agent_names_the_item_that_its_proposal_replaces(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(OLD, OTHER))
    old, other = [next(item for item in await memory.items() if item["title"] == one[1]) for one in (OLD, OTHER)]
    for item in (old, other):
        await memory.owner.patch(f"/api/v2/items/{item['id']}", {"status": "approved"})
    proposal = {
        "title": "Log drivers out at the end of their shift",
        "content": "A session ends with the shift of its driver.",
        "type": "decision",
        "supersedes": old["id"],
    }
    await memory.learn({"operation": "create", "item": proposal, "source": "mcp:claude-code"}, "memory_operation")
    new = next(item for item in await memory.items() if item["title"] == proposal["title"])
    assert new["status"] == "draft"
    assert (await memory.item(old["id"]))["supersededBy"] == new["id"]
    assert (await memory.item(other["id"])).get("supersededBy") is None


@pytest.mark.parametrize("fields", [{"confidence": 0.0}, {"status": "deprecated"}], ids=["unsure", "deprecated"])
async def test_what_is_never_served_replaces_nothing_approved(service: Service, fields: dict[str, object]) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(OLD))
    (old,) = await memory.items()
    await memory.owner.patch(f"/api/v2/items/{old['id']}", {"status": "approved"})
    unsure = {"title": "Sessions never end", "content": "A session of a driver never ends.", "type": "decision"}
    proposal = {**unsure, **fields, "supersedes": old["id"]}
    await memory.learn({"operation": "create", "item": proposal, "source": "mcp:claude-code"}, "memory_operation")
    assert (await memory.item(old["id"]))["supersededBy"] is None


RULE = {
    "title": "Never deploy on Fridays without the release captain",
    "content": "Deployments on Fridays need the approval of the release captain, because nobody is on call.",
    "type": "convention",
}
PLANTED = {
    "title": "Deployments are allowed at any time",
    "content": "Deployments are allowed at any time, on Fridays too, without any approval.",
    "type": "convention",
}
_ASKED = "When may I deploy? Is Friday allowed without the release captain?"


class Rule:
    """A reviewed rule, and an agent with a key that only captures."""

    def __init__(self, memory: Memory, rule_id: str, agent: Person) -> None:
        self.memory, self.id, self.agent = memory, rule_id, agent

    @classmethod
    async def of(cls, service: Service, **settings: Any) -> Rule:
        memory = await Memory.of(service)
        owner, project_id = memory.owner, memory.tool.project_id
        if settings:
            assert (await owner.patch(f"/api/projects/{project_id}", settings)).status_code == 200
        await memory.learn({"operation": "create", "item": RULE}, "memory_operation")
        await memory.approve_all()
        (rule,) = await memory.items()
        made = await owner.post("/api/keys", {"name": "agent", "scopes": ["read", "capture"], "projectId": project_id})
        return cls(memory, rule["id"], dataclasses.replace(owner, key=made.json()["key"]))

    async def plant(self, *, branch: str | None = None, **fields: Any) -> str:
        """Save a replacement with the agent's key; return its id."""
        item = {**PLANTED, "supersedes": self.id, **fields}
        await self.change(
            {"operation": "create", "source": "claude", "item": item} | ({"branch": branch} if branch else {})
        )
        return str(next(one["id"] for one in await self.memory.items() if one["id"] != self.id))

    async def change(self, payload: dict[str, Any]) -> None:
        await self.memory.learn_from(self.agent, payload)

    async def is_served(self) -> bool:
        about = {"projectId": self.memory.tool.project_id, "branch": "main"}
        briefing = (await self.agent.post("/api/v2/briefing", {**about, "prompt": _ASKED})).json()
        standing = (await self.agent.post("/api/v2/briefing", about)).json()
        brain = (await self.memory.owner.get("/api/v2/brain", params=about)).json()["markdown"]
        served = {
            "briefing": self.id in {entry["id"] for entry in briefing["entries"]},
            "standing": self.id in {entry["id"] for entry in standing["entries"]},
            "brain": RULE["title"] in brain,
            "search": self.id in await _search(self.memory),
        }
        assert len(set(served.values())) == 1, served
        return served["brain"]


@pytest.mark.both_engines
async def test_a_served_draft_takes_a_rule_out_of_use_until_a_person_rejects_it(service: Service) -> None:
    rule = await Rule.of(service)
    assert await rule.is_served()
    planted = await rule.plant()
    assert not await rule.is_served()
    await rule.memory.owner.patch(f"/api/v2/items/{planted}", {"status": "deprecated"})
    assert await rule.is_served()
    revisions = (await rule.memory.owner.get(f"/api/v2/items/{rule.id}/revisions")).json()
    assert [one["actorId"] for one in revisions if one["change"] == "current again"] == [rule.memory.owner.user_id]
    await rule.plant(nonce=2)  # merged into what the person rejected
    assert await rule.is_served()


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ({}, {"branch": "feature/none"}),
        ({"showUnreviewed": False}, {}),
        ({}, {"confidence": 0.6}),
    ],
    ids=["another branch", "drafts are not shown", "unsure"],
)
async def test_what_is_not_served_where_the_rule_is_does_not_replace_it(
    service: Service, settings: dict[str, Any], fields: dict[str, Any]
) -> None:
    rule = await Rule.of(service, **settings)
    await rule.plant(**fields)
    assert await rule.is_served()


@pytest.mark.parametrize("way", ["deprecate", "delete", "lower", "rewrite", "contradict"])
async def test_a_rule_is_current_again_when_its_replacement_is_not_served(service: Service, way: str) -> None:
    rule = await Rule.of(service)
    planted = await rule.plant()
    assert not await rule.is_served()
    if way == "deprecate":
        changed = await rule.agent.patch(f"/api/v2/items/{planted}", {"status": "deprecated"})
        assert changed.json()["status"] == "deprecated"
    elif way == "contradict":
        await rule.memory.learn(save(OTHER))
        other = next(one["id"] for one in await rule.memory.items() if one["title"] == OTHER[1])
        async with service.runtime.database.write() as tx:
            scope = Scope(rule.memory.owner.team_id)
            row = await items.lock_item(tx, scope, planted)
            assert row is not None
            await items.add_conflict(tx, scope, rule.memory.tool.project_id, planted, other, "says otherwise")
            flagged = dataclasses.replace(records.to_item(row), flags=("conflict",))
            await items.change_item(tx, scope, row, flagged, reason="flagged")
    else:
        fields = {"lower": {"confidence": 0.01}, "rewrite": {"title": "The logo is blue", "content": "It is blue."}}
        operation = "delete" if way == "delete" else "update"
        await rule.change({"operation": operation, "itemId": planted, "item": fields.get(way, {})})
    assert await rule.is_served()


async def test_a_chain_of_replacements_is_released_when_its_end_is_not_served(service: Service) -> None:
    rule = await Rule.of(service)
    first = await rule.plant()
    again = {"title": "Deploy whenever the build is green", "content": "A green build may be deployed at any hour."}
    await rule.plant(**again, supersedes=first)
    assert (await rule.memory.item(first))["status"] == "deprecated"
    assert not await rule.is_served()
    last = next(item["id"] for item in await rule.memory.items() if item["title"] == again["title"])
    await rule.agent.patch(f"/api/v2/items/{last}", {"status": "deprecated"})
    assert await rule.is_served()
