"""The whole pipeline for structured events: items, contexts by key, and warnings about truncation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.memory_project import Memory, save
from tests.support.service import Service

pytestmark = pytest.mark.anyio

CHANGES = [
    ("decision", "Use JWT", "We use JWT for auth."),
    ("bug", "Fixed null pointer", "Fixed null pointer in user service"),
    ("todo", "Add metrics", "Add Prometheus metrics to the worker."),
    ("feature", "Add login", "Added login form"),
    ("convention", "Cache layer", "The cache layer stores results in Redis."),
]


async def test_short_changes_become_typed_items(service: Service) -> None:
    memory = await Memory.of(service)
    job = await memory.learn(save(*CHANGES))
    assert (job["itemsExtracted"], job.get("warning")) == (len(CHANGES), None)
    assert {item["title"]: item["type"] for item in await memory.items()} == {
        "Use JWT": "decision",
        "Fixed null pointer": "bug",
        "Add metrics": "todo",
        "Add login": "implementation",
        "Cache layer": "convention",
    }


async def test_findings_and_operations_are_stored_as_sent(service: Service) -> None:
    memory = await Memory.of(service)
    finding = {"layer": "product", "title": "A todo app", "content": "It is a todo app"}
    assert (await memory.learn({"findings": [finding]}, "scan_result"))["itemsExtracted"] == 1
    content = "Line one.\n\n" + "More of it. " * 3_000
    item = {"title": "Decision: use X here", "content": content, "type": "decision", "confidence": 9}
    await memory.learn({"operation": "create", "item": item}, "memory_operation")
    stored = (await memory.items())[-1]
    assert (stored["title"], stored["content"], stored["confidence"]) == (item["title"], content.strip(), 0.85)
    changed = {"title": "JIRA-123 Do it", "content": content * 2}
    await memory.learn({"operation": "update", "itemId": stored["id"], "item": changed}, "memory_operation")
    now = await memory.item(stored["id"])
    assert (now["title"], now["content"]) == (changed["title"], changed["content"].strip())


@pytest.mark.nightly
async def test_job_warns_about_truncation(service: Service) -> None:
    memory = await Memory.of(service)
    job = await memory.learn(save(*(("todo", f"Add part {n}", f"Add part {n} to the list.") for n in range(230))))
    assert "more than 200 items" in job["warning"]


async def test_contexts_are_updated_by_key(service: Service) -> None:
    memory = await Memory.of(service)

    async def update_context(**payload: Any) -> dict[str, Any]:
        await memory.learn(payload, "context_update")
        listed = (await memory.owner.get(f"/api/contexts?projectId={memory.tool.project_id}")).json()
        context_id = next(context["id"] for context in listed if context["schemaKey"] == "root/journal")
        found: dict[str, Any] = (await memory.owner.get(f"/api/contexts/{context_id}")).json()
        return found

    created = await update_context(schemaKey="root/journal", content="## One\n")
    assert (created["name"], created["content"]) == ("journal", "## One\n")
    renamed = await update_context(schemaKey="root/journal", name="Journal", tier=1)
    assert (renamed["name"], renamed["content"], renamed["tier"]) == ("Journal", "## One\n", 1)
    appended = await update_context(schemaKey="root/journal", content="## Two", append=True)
    assert (appended["name"], appended["content"]) == ("Journal", "## One\n\n## Two\n")
    replaced = await update_context(schemaKey="root/journal", content="Three")
    assert (replaced["name"], replaced["content"], replaced["tier"]) == ("Journal", "Three", 1)
    assert (await update_context(schemaKey="root/journal", content="", time=1))["content"] == ""
