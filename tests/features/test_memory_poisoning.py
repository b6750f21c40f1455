"""What a sender says about its own text neither approves it nor changes what a reviewer approved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.memory_project import Memory
from tests.support.service import Service

pytestmark = [pytest.mark.anyio, pytest.mark.both_engines]

RULE = {"title": "Money is integer cents", "content": "Amounts of money are never floats.", "type": "convention"}
_RECORD = """# 7. Keep carts in Redis

## Status

Accepted

## Context

Carts must survive a restart of the shop.

## Decision

We keep carts in Redis with a lifetime of a day.
"""


def create(source: str | None = None, **fields: Any) -> dict[str, Any]:
    """A ``memory_operation`` that creates an item."""
    payload: dict[str, Any] = {"operation": "create", "item": {**RULE, **fields}}
    return payload if source is None else {**payload, "source": source}


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("memory_operation", create(confidence=1.0)),
        ("memory_operation", create("cli", confidence=1.0)),
        ("memory_operation", create("cli")),
        ("memory_operation", create("import:adr", confidence=1.0)),
        ("context_update", {"name": "Carts", "content": _RECORD, "source": "import:adr"}),
        ("scan_result", {"findings": [{**RULE, "layer": "conventions", "importance": "critical"}]}),
        ("scan_result", {"findings": [{**RULE, "layer": "conventions", "importance": 100}]}),
    ],
    ids=["claim", "claim as person", "person", "claim as import", "record", "importance", "score"],
)
async def test_no_signed_event_approves_itself(service: Service, event: str, payload: dict[str, Any]) -> None:
    memory = await Memory.of(service)
    await memory.learn(payload, event)
    items = await memory.items()
    assert items
    assert {item["status"] for item in items} == {"draft"}
    assert all(item["confidence"] < 0.9 and "saved" not in item["tags"] for item in items)


async def test_repeating_a_text_does_not_approve_it(service: Service) -> None:
    memory = await Memory.of(service)
    for number in range(4):
        await memory.learn({**create("mcp:codex", confidence=1.0), "nonce": number}, "memory_operation")
    (item,) = await memory.items()
    assert len({quote["eventId"] for quote in item["evidence"]}) == 4
    assert (item["status"], item["confidence"]) == ("draft", 0.89)


async def test_an_update_cannot_raise_the_confidence_of_a_draft(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(create("mcp:codex", confidence=0.6), "memory_operation")
    (item,) = await memory.items()
    for claimed, stored in ((1.0, 0.6), (0.4, 0.4)):
        change = {"operation": "update", "itemId": item["id"], "item": {"confidence": claimed}}
        await memory.learn(change, "memory_operation")
        assert (await memory.item(item["id"]))["confidence"] == stored


@pytest.mark.parametrize(
    ("source", "claimed", "confidence", "status"),
    [
        ("cli", None, 0.95, "approved"),
        ("cli", 1.0, 0.95, "approved"),
        ("cli", 0.6, 0.6, "draft"),
        ("mcp:claude-code", 1.0, 0.85, "draft"),
        ("import:mem0", 1.0, 0.85, "draft"),
    ],
)
async def test_only_what_a_signed_in_person_saves_is_approved(
    service: Service, source: str, claimed: float | None, confidence: float, status: str
) -> None:
    memory = await Memory.of(service)
    claim = {} if claimed is None else {"confidence": claimed}
    await memory.learn_from(memory.owner, create(source, **claim))
    (item,) = await memory.items()
    assert (item["confidence"], item["status"]) == (confidence, status)
