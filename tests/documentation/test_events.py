"""The examples in docs/events.md are valid events and create the items listed under them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from loremark.wire.events import IngestEvent
from tests.features.memory_project import Memory
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).parents[2] / "docs" / "events.md"
_EXAMPLE = re.compile(r"^```json (\w+)\n(.*?)^```\n\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| ([^|]+) \| ([a-z]+) \| (approved|draft) \| (?:(`[^|]+`) )?\|$", re.MULTILINE)


async def test_examples_create_the_items_listed_under_them(service: Service) -> None:
    examples = _EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    assert {event for event, _, _ in examples} == set(IngestEvent)
    memory = await Memory.of(service)
    before: set[str] = set()
    for event, payload, below in examples:
        await memory.learn(msgspec.json.decode(payload), event)
        items = await memory.items()
        assert sorted(map(_row, (item for item in items if item["id"] not in before))) == sorted(_ROW.findall(below))
        before = {item["id"] for item in items}


def _row(item: dict[str, Any]) -> tuple[str, ...]:
    return item["title"], item["type"], item["status"], ", ".join(f"`{path}`" for path in item["files"])
