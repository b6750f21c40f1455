"""A newer statement about the same thing replaces the older one, and a person can bring the older one back."""

from __future__ import annotations

import pytest

from tests.features.memory_project import Memory, save
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
    assert old_id not in {entry["id"] for entry in briefing["entries"]}


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
