"""Brain plans always match the brain of the same budget."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from loremark.base import limits
from loremark.features.brain import plans as planning
from tests.features.steps import NO_PROJECT, status_and_body
from tests.features.test_brain import brain_of, create_approved_item, write_context
from tests.features.test_brain_stability import _fill
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/brain/plan"
LISTED = 1_000
BUDGETS = (200, 333, 1_000, 2_500, 6_000, 7_777, 20_000, 200_000)


async def plan_of(person: Person, project: str, query: str = "") -> dict[str, Any]:
    answer = await person.get(f"{PATH}?projectId={project}{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def _check_plan(owner: Person, project: str, query: str, total: int) -> dict[str, Any]:
    """Check that plan and brain agree."""
    brain, plan = (await brain_of(owner, project, query)).json(), await plan_of(owner, project, query)
    metadata = brain["metadata"]
    assert (plan["budget"], plan["tokenEstimate"]) == (metadata["budget"], metadata["tokenEstimate"])
    assert [layer["layer"] for layer in plan["layers"]] == [0, 1, 2, 3]
    assert sum(layer["tokens"] for layer in plan["layers"]) == metadata["tokenEstimate"]
    assert {str(layer["layer"]): layer["omitted"] for layer in plan["layers"][1:]} == metadata["omitted"]["byLayer"]
    included = [entry for entry in plan["entries"] if entry["state"] != "omitted"]
    assert plan["entries"][: len(included)] == included, "included entries come first"
    assert len({entry["id"] for entry in plan["entries"]}) + plan["remaining"] == total
    if sum(layer["included"] for layer in plan["layers"]) <= LISTED:
        _check_layers(plan, included, metadata["itemCount"])
    listed = re.findall(r"^- \*\*(.+?)\*\*", brain["markdown"], re.MULTILINE)
    assert [entry["title"] for entry in included] == listed[:LISTED], "in the order of the document"
    marked = re.findall(r"^- \*\*(.+?)\*\* \([^)]*\bshortened\b", brain["markdown"], re.MULTILINE)
    assert [entry["title"] for entry in included if entry["state"] == "shortened"] == marked
    assert all(entry["title"] and entry["tokens"] > 0 for entry in plan["entries"])
    return plan


def _check_layers(plan: dict[str, Any], included: list[dict[str, Any]], items: int) -> None:
    assert sum(entry["kind"] == "item" for entry in included) == items
    for layer in plan["layers"][1:]:
        own = [entry for entry in included if entry["layer"] == layer["layer"]]
        states = (len(own), sum(entry["state"] == "shortened" for entry in own))
        assert (layer["included"], layer["shortened"]) == states
        assert layer["tokens"] >= sum(entry["tokens"] for entry in own)


async def test_plan_matches_the_brain_for_every_budget(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project("Slider", description="Moves. " * 40)
    await _fill(service, owner, project, 1_100)
    for number in range(3):
        long = f"Sentence {number} of a long story. " * (40 + 200 * number)
        await create_approved_item(
            service, owner, project, f"Long story {number}", content=long, tier=number + 1, files=()
        )
    await create_approved_item(service, owner, project, "Elsewhere", branch="feature/x", files=())
    await write_context(owner, name="House style", description="Ours", content="Short words.", projectId=project)
    await write_context(owner, name="For everybody", content="Be kind. " * 600, tier=1, schemaKey="house/rules")
    plans = [await _check_plan(owner, project, f"&tokenBudget={budget}", 1_105) for budget in BUDGETS]
    assert (len(plans[-1]["entries"]), plans[-1]["remaining"]) == (LISTED, 105)
    assert {tuple(entry["flags"]) for entry in plans[0]["entries"]} == {(), ("stale",)}
    layers = [entry["layer"] for entry in plans[0]["entries"] if entry["state"] == "omitted"]
    assert layers == sorted(layers), "omitted entries are sorted by layer"
    await _check_plan(owner, project, "&branch=feature/x&tokenBudget=50000", 1_106)
    # Cached inputs are not reused after the memory has changed.
    story = next(entry["id"] for entry in plans[-1]["entries"] if entry["title"] == "Long story 0")
    assert (await owner.patch(f"/api/v2/items/{story}", {"status": "deprecated"})).status_code == 200
    await create_approved_item(service, owner, project, "Brand new", tier=1, type="architecture", files=())
    plan = await _check_plan(owner, project, "", 1_105)
    titles = {entry["title"] for entry in plan["entries"]}
    assert "Brand new" in titles
    assert "Long story 0" not in titles
    many = await asyncio.gather(*(plan_of(owner, project, f"&tokenBudget={budget}") for budget in BUDGETS))
    assert [plan["budget"] for plan in many] == list(BUDGETS)


async def test_shortened_entries_are_marked(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project("Stories")
    for number in range(12):
        story = f"Sentence {number} of a story. " * (10 + 60 * number)
        await create_approved_item(
            service, owner, project, f"Story {number}", content=story, tier=number % 3 + 1, files=()
        )
    plans = [await _check_plan(owner, project, f"&tokenBudget={budget}", 12) for budget in BUDGETS]
    states = [[entry["state"] for entry in plan["entries"]] for plan in plans]
    assert all({"full", "shortened", "omitted"} & set(found) for found in states)
    assert {"shortened", "omitted"} <= {state for found in states for state in found}
    assert states[-1] == ["full"] * 12


async def test_empty_memory_has_a_plan_invisible_to_other_teams(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    project = await owner.create_project("Empty")
    plan = await _check_plan(owner, project, "", 0)
    assert (plan["entries"], plan["remaining"], plan["layers"][0]["tokens"]) == ([], 0, plan["tokenEstimate"])
    assert status_and_body(await stranger.get(f"{PATH}?projectId={project}")) == NO_PROJECT
    refused = await owner.get(f"{PATH}?projectId={project}&tokenBudget=199")
    assert status_and_body(refused) == (400, {"error": "tokenBudget must be between 200 and 200000"})
    long = "b" * (limits.BRANCH_CHARS + 1)
    assert (await owner.get(f"{PATH}?projectId={project}&branch={long}")).status_code == 400


@pytest.mark.own_service
async def test_plan_cache_is_bounded_for_empty_branches(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even empty cached inputs take memory."""
    owner = await service.owner()
    project = await owner.create_project("Empty")
    monkeypatch.setattr(planning, "_MAX_BYTES", 64 * 1024)
    sizes: list[int] = []
    original = planning.BrainPlanner._cache

    def record_size(self: planning.BrainPlanner, *args: Any) -> None:
        original(self, *args)
        sizes.append(len(self._cached))

    monkeypatch.setattr(planning.BrainPlanner, "_cache", record_size)
    for number in range(12):
        assert (await owner.get(f"{PATH}?projectId={project}&branch=b{number}")).status_code == 200
    assert sizes[:3] == [1, 2, 3]
    assert max(sizes) <= 8
