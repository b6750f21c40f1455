"""Notes imported from other tools: superseded ones are deprecated, and none is approved by the file itself."""

from __future__ import annotations

import pytest

from loremark.exchange.adr import read_document
from loremark.exchange.notes import to_event
from tests.features.memory_project import Memory
from tests.support.service import Service

pytestmark = pytest.mark.anyio

_RECORD = """# {number}. {title}
## Status
{status}
## Context
The shop must outlive a restart of its workers.
## Decision
{decision}
"""


def _record(number: int, title: str, status: str, decision: str) -> str:
    return _RECORD.format(number=number, title=title, status=status, decision=decision)


async def test_superseded_decision_becomes_a_deprecated_item(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=0.8)
    old = _record(1, "Keep carts in Redis", "Superseded by ADR-2", "We keep carts in Redis with a lifetime of a day.")
    new = _record(2, "Print invoices with WeasyPrint", "Accepted", "We print invoices as PDF files with WeasyPrint.")
    for name, text in (("0001-carts.md", old), ("0002-invoices.md", new)):
        event = to_event(read_document(text, name))
        job = await memory.learn_from(memory.owner, event.payload, event.event)
        assert (job["status"], job["itemsExtracted"]) == ("completed", 1)
    found = {item["title"]: item for item in await memory.items()}
    assert {title: item["status"] for title, item in found.items()} == {
        "Keep carts in Redis": "deprecated",
        "Print invoices with WeasyPrint": "approved",
    }
    brain = (await memory.owner.get(f"/api/v2/brain?projectId={memory.tool.project_id}")).text
    assert "WeasyPrint" in brain
    assert "Redis" not in brain
    again = await memory.owner.patch(f"/api/v2/items/{found['Keep carts in Redis']['id']}", {"status": "approved"})
    assert again.status_code == 200, "a reviewer can still approve it"


async def test_new_note_does_not_deprecate_a_current_item(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=0.8)
    item = {"title": "Keep carts in Redis", "content": "We keep carts in Redis with a lifetime of a day."}
    for status in ("approved", "deprecated"):
        operation = {"operation": "create", "item": {**item, "type": "decision", "status": status}, "source": status}
        await memory.learn(operation, "memory_operation")
    assert [kept["status"] for kept in await memory.items()] == ["approved"]
    other = {"title": "Never log card numbers", "content": "Card numbers are never logged.", "type": "convention"}
    low = {"operation": "create", "item": {**other, "status": "approved", "confidence": 0.3}}
    await memory.learn(low, "memory_operation")
    assert (await memory.items())[-1]["status"] == "draft", "approval depends on the confidence, not on the note"
