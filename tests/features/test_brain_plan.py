"""The plan of a brain: it says of every memory what becomes of it, and never anything else than the brain does."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from loremark.base import limits
from loremark.features.brain import plans as planning
from tests.features.test_brain import brain_of, keep, write_context
from tests.features.test_brain_stability import _fill
from tests.features.world import NO_PROJECT, told
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


async def _agrees(owner: Person, project: str, query: str, known: int) -> dict[str, Any]:
    """The plan and the brain of the same question tell the same."""
    brain, plan = (await brain_of(owner, project, query)).json(), await plan_of(owner, project, query)
    metadata = brain["metadata"]
    assert (plan["budget"], plan["tokenEstimate"]) == (metadata["budget"], metadata["tokenEstimate"])
    assert [layer["layer"] for layer in plan["layers"]] == [0, 1, 2, 3]
    assert sum(layer["tokens"] for layer in plan["layers"]) == metadata["tokenEstimate"]
    assert {str(layer["layer"]): layer["leftOut"] for layer in plan["layers"][1:]} == metadata["omitted"]["byLayer"]
    taken = [entry for entry in plan["entries"] if entry["state"] != "left_out"]
    assert plan["entries"][: len(taken)] == taken, "what is taken comes first"
    assert len({entry["id"] for entry in plan["entries"]}) + plan["more"] == known
    if sum(layer["taken"] for layer in plan["layers"]) <= LISTED:
        _adds_up(plan, taken, metadata["itemCount"])
    standing = re.findall(r"^- \*\*(.+?)\*\*", brain["markdown"], re.MULTILINE)
    assert [entry["title"] for entry in taken] == standing[:LISTED], "in the order of the document"
    marked = re.findall(r"^- \*\*(.+?)\*\* \([^)]*\bshortened\b", brain["markdown"], re.MULTILINE)
    assert [entry["title"] for entry in taken if entry["state"] == "shortened"] == marked
    assert all(entry["title"] and entry["tokens"] > 0 for entry in plan["entries"])
    return plan


def _adds_up(plan: dict[str, Any], taken: list[dict[str, Any]], items: int) -> None:
    assert sum(entry["kind"] == "item" for entry in taken) == items
    for layer in plan["layers"][1:]:
        own = [entry for entry in taken if entry["layer"] == layer["layer"]]
        states = (len(own), sum(entry["state"] == "shortened" for entry in own))
        assert (layer["taken"], layer["shortened"]) == states
        assert layer["tokens"] >= sum(entry["tokens"] for entry in own)


async def test_for_every_budget_the_plan_is_what_the_brain_does(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project("Slider", description="Moves. " * 40)
    await _fill(service, owner, project, 1_100)
    for number in range(3):
        long = f"Sentence {number} of a long story. " * (40 + 200 * number)
        await keep(service, owner, project, f"Long story {number}", content=long, tier=number + 1, files=())
    await keep(service, owner, project, "Elsewhere", branch="feature/x", files=())
    await write_context(owner, name="House style", description="Ours", content="Short words.", projectId=project)
    await write_context(owner, name="For everybody", content="Be kind. " * 600, tier=1, schemaKey="house/rules")
    plans = [await _agrees(owner, project, f"&tokenBudget={budget}", 1_105) for budget in BUDGETS]
    assert (len(plans[-1]["entries"]), plans[-1]["more"]) == (LISTED, 105)
    assert {tuple(entry["flags"]) for entry in plans[0]["entries"]} == {(), ("stale",)}
    layers = [entry["layer"] for entry in plans[0]["entries"] if entry["state"] == "left_out"]
    assert layers == sorted(layers), "layers are filled in turn, so the first ones are wanted most"
    await _agrees(owner, project, "&branch=feature/x&tokenBudget=50000", 1_106)
    # What was read for one budget is not told for a memory that has become another one.
    story = next(entry["id"] for entry in plans[-1]["entries"] if entry["title"] == "Long story 0")
    assert (await owner.patch(f"/api/v2/items/{story}", {"status": "deprecated"})).status_code == 200
    await keep(service, owner, project, "Brand new", tier=1, type="architecture", files=())
    plan = await _agrees(owner, project, "", 1_105)
    titles = {entry["title"] for entry in plan["entries"]}
    assert "Brand new" in titles
    assert "Long story 0" not in titles
    many = await asyncio.gather(*(plan_of(owner, project, f"&tokenBudget={budget}") for budget in BUDGETS))
    assert [plan["budget"] for plan in many] == list(BUDGETS)


async def test_what_stands_shortened_is_told_as_such(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project("Stories")
    for number in range(12):
        story = f"Sentence {number} of a story. " * (10 + 60 * number)
        await keep(service, owner, project, f"Story {number}", content=story, tier=number % 3 + 1, files=())
    plans = [await _agrees(owner, project, f"&tokenBudget={budget}", 12) for budget in BUDGETS]
    states = [[entry["state"] for entry in plan["entries"]] for plan in plans]
    assert all({"whole", "shortened", "left_out"} & set(found) for found in states)
    assert {"shortened", "left_out"} <= {state for found in states for state in found}
    assert states[-1] == ["whole"] * 12


async def test_an_empty_memory_has_a_plan_and_another_team_sees_none(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    project = await owner.create_project("Empty")
    plan = await _agrees(owner, project, "", 0)
    assert (plan["entries"], plan["more"], plan["layers"][0]["tokens"]) == ([], 0, plan["tokenEstimate"])
    assert told(await stranger.get(f"{PATH}?projectId={project}")) == NO_PROJECT
    refused = await owner.get(f"{PATH}?projectId={project}&tokenBudget=199")
    assert told(refused) == (400, {"error": "tokenBudget must be between 200 and 200000"})
    long = "b" * (limits.BRANCH_CHARS + 1)
    assert (await owner.get(f"{PATH}?projectId={project}&branch={long}")).status_code == 400


async def test_plans_of_branches_of_nothing_are_not_all_kept(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is kept for the next budget takes room, though nothing is in it."""
    owner = await service.owner()
    project = await owner.create_project("Empty")
    monkeypatch.setattr(planning, "_MOST_BYTES", 64 * 1024)
    kept: list[int] = []
    keep = planning.Plans._keep

    def watched(self: planning.Plans, *given: Any) -> None:
        keep(self, *given)
        kept.append(len(self._grounds))

    monkeypatch.setattr(planning.Plans, "_keep", watched)
    for number in range(12):
        assert (await owner.get(f"{PATH}?projectId={project}&branch=b{number}")).status_code == 200
    assert kept[:3] == [1, 2, 3]
    assert max(kept) <= 8
