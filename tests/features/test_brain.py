"""The brain: contents, ETag and formats."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from loremark.features.history.tokens import count_tokens
from loremark.storage.tables import brains
from tests.contract.examples_memory import keep_item
from tests.features.memory_project import Memory
from tests.features.steps import NO_PROJECT, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/brain"


async def brain_of(person: Person, project: str, query: str = "", **options: Any) -> httpx.Response:
    answer = await person.get(f"{PATH}?projectId={project}{query}", **options)
    assert answer.status_code in (200, 304), answer.text
    return answer


async def create_approved_item(service: Service, owner: Person, project: str, title: str, **fields: Any) -> str:
    """An item approved by a user."""
    item = await keep_item(service, owner, project, title=title, **{"branch": None, **fields})
    approved = await owner.patch(f"/api/v2/items/{item}", {"status": "approved"})
    assert approved.status_code == 200, approved.text
    return item


async def write_context(owner: Person, **fields: Any) -> str:
    created = await owner.post("/api/contexts", fields)
    assert created.status_code == 201, created.text
    context = str(created.json()["id"])
    assert (await owner.post(f"/api/contexts/{context}/approve", {"action": "approve"})).status_code == 200
    return context


async def test_memory_is_grouped_by_layer_and_schema_key(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project("Kelpie", description="Swims")
    await create_approved_item(
        service, owner, project, "Events are rows", tier=1, type="architecture", schema_key="root/store"
    )
    await create_approved_item(
        service, owner, project, "Redis was chosen", tier=2, schema_key="root/cache", flags=("redacted",)
    )
    await create_approved_item(
        service, owner, project, "Write the manual", tier=3, type="todo", schema_key="root/manual", files=()
    )
    await keep_item(service, owner, project, title="Only a draft", branch=None)
    await write_context(owner, name="House style", content="# Words\nShort ones.", tier=1, projectId=project)
    await write_context(owner, name="For all teams", content="Be kind.", tier=1, schemaKey="house/rules")
    await owner.post("/api/contexts", {"name": "Draft context", "projectId": project})
    answer = await brain_of(owner, project)
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    markdown, metadata = body["markdown"], body["metadata"]
    assert markdown == (
        "# Kelpie\n\n## Layer 0: project\n\n- About: Swims\n- Memory: 3 items and 2 contexts\n\n"
        "## Layer 1: architecture, conventions, tech stack\n\n"
        "### house/rules\n\n- **For all teams**\n\n  Be kind.\n\n"
        "### root/house-style\n\n- **House style**\n\n  ##### Words\n  Short ones.\n\n"
        "### root/store\n\n- **Events are rows** (architecture, `src/api.py`, `src/sessions.py`)\n\n"
        "  They outlive a restart.\n\n"
        "## Layer 2: implementation journal, decisions, bugs\n\n"
        "### root/cache\n\n- **Redis was chosen** (decision, `src/api.py`, `src/sessions.py`)\n\n"
        "  They outlive a restart.\n\n"
        "## Layer 3: todos, session logs, supplementary data\n\n"
        "### root/manual\n\n- **Write the manual** (todo)\n\n  They outlive a restart.\n"
    )
    assert metadata == {
        "itemCount": 3,
        "tokenEstimate": count_tokens(markdown),
        "assembledAt": metadata["assembledAt"],
        "schemaKeys": ["house/rules", "root/cache", "root/house-style", "root/manual", "root/store"],
        "omitted": {"count": 0, "byLayer": {"1": 0, "2": 0, "3": 0}},
        "budget": 6000,
    }


async def test_unchanged_brain_is_not_sent_again(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item = await create_approved_item(service, owner, project, "Redis was chosen")
    first = await brain_of(owner, project)
    tag = first.headers["etag"]
    assert tag.startswith('"')
    assert first.headers["cache-control"] == "private, no-cache"
    for known in (tag, f"W/{tag}", "*", f'"other", {tag}', f'W/"x,y",W/{tag} , "z"'):
        same = await brain_of(owner, project, headers={"If-None-Match": known})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag), known
        assert "content-type" not in same.headers
    for known in ('"other"', tag.strip('"'), f'"{tag.strip(chr(34))}-markdown"', ""):
        again = await brain_of(owner, project, headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (200, first.content), known
    deprecated = await owner.patch(f"/api/v2/items/{item}", {"status": "deprecated"})
    assert deprecated.status_code == 200
    after = await brain_of(owner, project, headers={"If-None-Match": tag})
    assert after.status_code == 200
    assert after.headers["etag"] != tag
    assert "Redis" not in after.json()["markdown"]
    assert after.json()["metadata"]["itemCount"] == 0
    assert (await owner.patch(f"/api/v2/items/{item}", {"status": "approved"})).status_code == 200
    back = await brain_of(owner, project, headers={"If-None-Match": tag})
    assert back.status_code == 304, "the content is the same as before"


async def test_invisible_changes_do_not_change_the_brain(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item = await create_approved_item(service, owner, project, "Redis was chosen")
    before = await brain_of(owner, project)
    assert (await owner.patch(f"/api/v2/items/{item}", {"tags": ["another"]})).status_code == 200
    await asyncio.sleep(0.01)
    after = await brain_of(owner, project)
    assert (after.headers["etag"], after.content) == (before.headers["etag"], before.content)
    assert (await owner.patch(f"/api/projects/{project}", {"name": "Another name"})).status_code == 200
    renamed = await brain_of(owner, project)
    assert renamed.headers["etag"] != before.headers["etag"]
    assert renamed.json()["markdown"].startswith("# Another name\n")


async def test_brain_is_available_as_markdown(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await create_approved_item(service, owner, project, "Redis was chosen")
    shown = await brain_of(owner, project)
    as_markdown = await brain_of(owner, project, "&format=markdown")
    assert as_markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    assert as_markdown.text == shown.json()["markdown"]
    assert as_markdown.headers["etag"] != shown.headers["etag"], "different bytes have a different ETag"
    for query, tag in (("", shown.headers["etag"]), ("&format=markdown", as_markdown.headers["etag"])):
        assert (await brain_of(owner, project, query, headers={"If-None-Match": tag})).status_code == 304
    assert status_and_body(await owner.get(f"{PATH}?projectId={project}&format=html")) == (
        400,
        {"error": "format must be one of json, markdown"},
    )


async def test_omitted_items_are_reported(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    for number in range(21):
        tier = 1 + number % 3
        await create_approved_item(
            service, owner, project, f"Fact {number}", tier=tier, content="A sentence that says much. " * 8
        )
    whole = (await brain_of(owner, project)).json()
    assert whole["metadata"]["omitted"]["count"] == 0
    for budget in (200, 400, 800):
        body = (await brain_of(owner, project, f"&tokenBudget={budget}")).json()
        metadata = body["metadata"]
        omitted = metadata["omitted"]
        assert metadata["tokenEstimate"] == count_tokens(body["markdown"]) <= metadata["budget"] == budget
        assert metadata["itemCount"] + omitted["count"] == 21
        assert sum(omitted["byLayer"].values()) == omitted["count"] > 0
        assert body["markdown"].count("- **Fact ") == metadata["itemCount"]
        assert f"{omitted['byLayer']['3']} in layer 3" in body["markdown"]
        assert omitted["byLayer"]["1"] <= omitted["byLayer"]["2"] <= omitted["byLayer"]["3"]


async def test_branch_items_are_added_to_those_of_the_default_branch(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await create_approved_item(service, owner, project, "Of no branch")
    await create_approved_item(service, owner, project, "Of the main branch", branch="main")
    await create_approved_item(service, owner, project, "Of the feature", branch="feature/x")
    await create_approved_item(service, owner, project, "Of another", branch="feature/y")
    default_brain = (await brain_of(owner, project)).json()["markdown"]
    branch = (await brain_of(owner, project, "&branch=feature/x")).json()["markdown"]
    assert [title in default_brain for title in ("no branch", "main branch", "the feature", "another")] == [1, 1, 0, 0]
    assert [title in branch for title in ("no branch", "main branch", "the feature", "another")] == [1, 1, 1, 0]
    assert "- Branch: `feature/x`" in branch
    assert "- **Of the feature** (decision, on this branch, " in branch


async def test_items_about_the_given_files_come_first(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    for number in range(30):
        await create_approved_item(
            service, owner, project, f"Rule {number}", tier=1, type="convention", files=(f"lib/{number}.py",)
        )
    await create_approved_item(
        service, owner, project, "About the parser", tier=3, type="todo", files=("src/parser.py", "docs/p.md")
    )
    await create_approved_item(
        service, owner, project, "About its neighbour", tier=3, type="todo", files=("src/lexer.py",)
    )
    await create_approved_item(service, owner, project, "About its manual", tier=3, type="todo", files=("docs/p.md",))
    default_brain = (await brain_of(owner, project, "&tokenBudget=400")).json()["markdown"]
    assert "About " not in default_brain
    pack = await brain_of(owner, project, "&tokenBudget=400&files=./src/parser.py,nowhere.txt")
    markdown = pack.json()["markdown"]
    working_files = markdown.partition("## Working files")[2].partition("## Layer 1")[0]
    assert [title in working_files for title in ("the parser", "its neighbour", "its manual")] == [True] * 3
    assert "Rule" in markdown.partition("## Layer 1")[2]
    assert pack.json()["metadata"]["tokenEstimate"] <= 400
    other = await brain_of(owner, project, "&tokenBudget=400&files=nowhere.txt,./src/parser.py")
    assert other.content == pack.content
    known = {"If-None-Match": pack.headers["etag"]}
    assert (
        await brain_of(owner, project, "&tokenBudget=400&files=nowhere.txt,./src/parser.py", headers=known)
    ).status_code == 304
    many = ",".join(f"{number}.py" for number in range(51))
    assert status_and_body(await owner.get(f"{PATH}?projectId={project}&files={many}")) == (
        400,
        {"error": "files must have at most 50 entries"},
    )


async def test_scan_findings_do_not_push_out_what_was_saved(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=0)
    findings = [
        {
            "layer": "architecture",
            "title": f"Contents of `src/part{number}/`",
            "content": f"`src/part{number}/` contains {number + 3} Python files that import `core{number}`.",
            "tags": ["layout"],
        }
        for number in range(20)
    ]
    await memory.learn({"findings": findings}, "scan_result")
    for title, content, more in (
        ("Dates are stored in UTC", "Otherwise reports of two regions disagree.", {}),
        ("Cache thumbnails", "Resizing takes 300 ms for each request.", {"source": "mcp:codex"}),
    ):
        item = {"title": title, "content": content, "type": "todo", "tags": ["x"]}
        await memory.learn_from(memory.owner, {"operation": "create", "item": item, **more})
    items = {item["title"]: item for item in await memory.items("&status=approved")}
    assert items["Dates are stored in UTC"]["tags"] == ["x", "saved"]
    assert items["Cache thumbnails"]["tags"] == ["x"]
    assert {item["tier"] for item in items.values() if "scan" in item["tags"]} == {3}
    brain = (await brain_of(memory.owner, memory.tool.project_id, "&tokenBudget=400")).json()
    assert "**Dates are stored in UTC**" in brain["markdown"]
    assert "**Cache thumbnails**" in brain["markdown"]
    assert brain["metadata"]["omitted"]["count"] > 10


async def test_brain_is_not_visible_to_other_teams(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    member = await service.join(owner)
    private = await owner.create_project()
    public = await owner.create_project(visibility="public")
    for person in (stranger, member):
        for known in ({}, {"If-None-Match": "*"}):
            assert status_and_body(await person.get(f"{PATH}?projectId={private}", headers=known)) == NO_PROJECT
    assert (await brain_of(member, public)).status_code == 200
    assert status_and_body(await owner.get(f"{PATH}?projectId=")) == (400, {"error": "projectId is required"})
    for project in ("nothing", "prj_" + "0" * 26):
        assert status_and_body(await owner.get(f"{PATH}?projectId={project}")) == NO_PROJECT
    assert status_and_body(await owner.get(PATH)) == (400, {"error": "projectId is required"})
    for budget in (199, 200_001, -1, 0, "abc", "6000.5", "", "NaN"):
        assert status_and_body(await owner.get(f"{PATH}?projectId={public}&tokenBudget={budget}")) == (
            400,
            {"error": "tokenBudget must be between 200 and 200000"},
        )
    assert (await owner.delete(f"/api/projects/{public}")).status_code in (200, 202, 204)
    assert status_and_body(await owner.get(f"{PATH}?projectId={public}", headers={"If-None-Match": "*"})) == NO_PROJECT


@pytest.mark.own_service
async def test_concurrent_requests_share_one_assembly(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await create_approved_item(service, owner, project, "Redis was chosen")
    answers = await asyncio.gather(*(brain_of(owner, project) for _ in range(20)))
    assert len({answer.content for answer in answers}) == 1
    for budget in range(1000, 1100):
        await brain_of(owner, project, f"&tokenBudget={budget}")
    async with service.runtime.database.read() as tx:
        row = await tx.one(select(func.count().label("found")).select_from(brains))
    assert row is not None
    assert 64 <= row["found"] <= 66, "only the newest variants are stored"
    assert (await brain_of(owner, project)).content == answers[0].content
