"""One event that can't be read must not keep the rest of a project from being enriched and exported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loremark.base import limits
from loremark.features.enrichment import enrich
from loremark.memory.extraction.extract import Extraction, extract
from loremark.memory.items import RawEvent
from tests.features.memory_project import Memory, save
from tests.features.steps import run_sql, status_and_body
from tests.support.service import Service

pytestmark = pytest.mark.anyio

POOL = (
    "decision",
    "Use PgBouncer in transaction mode",
    "We decided to put PgBouncer in transaction mode in front of PostgreSQL because the workers exhausted the "
    "connection limit. Configured in deploy/pgbouncer.ini.",
)


def _nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [limits.PAYLOAD_LEVELS, 700, 900])
async def test_both_routes_refuse_what_is_nested_too_deeply(service: Service, levels: int) -> None:
    memory = await Memory.of(service)
    payload = {"summary": "x", "changes": _nested(levels)}
    event = {"projectId": memory.tool.project_id, "event": "session_save", "payload": payload}
    refused = await memory.owner.post("/api/v2/events", event)
    assert status_and_body(refused) == (400, {"error": "Invalid request body"})
    signed = await memory.tool.post(service.http, json.dumps({"event": "session_save", "payload": payload}).encode())
    assert status_and_body(signed) == (400, {"error": "Invalid request body"})


async def test_a_stored_event_of_an_older_version_is_cut(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send({"summary": "to be replaced", "changes": []})
    await memory.send(save(POOL))
    deep = json.dumps({"changes": _nested(700), "summary": "Deep."})
    await run_sql(service, f"UPDATE events SET payload = '{deep}' WHERE id = '{sent['eventId']}'")
    job = await memory.enrich(sent["sessionId"])
    assert job["status"] == "completed"
    assert [item["title"] for item in await memory.items()] == [POOL[1]]
    events = await memory.owner.get(f"/api/v2/sessions/{sent['sessionId']}/events?blobs=inline")
    assert "left out: nested more than 200 levels deep" in events.text
    exported = await memory.owner.get(f"/api/v2/export?projectId={memory.tool.project_id}")
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert lines[-1]["events"] == 2


async def test_an_event_that_makes_the_rules_fail_is_skipped_with_a_warning(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_on_pebbles(event: RawEvent) -> Extraction:
        if "pebbles" in str(event.payload):
            raise RecursionError
        return extract(event)

    monkeypatch.setattr(enrich, "extract", fail_on_pebbles)
    memory = await Memory.of(service)
    sent = await memory.send({"summary": "pebbles", "changes": []})
    await memory.send(save(POOL))
    job = await memory.enrich(sent["sessionId"])
    assert job["status"] == "completed"
    assert job["warning"] == f"The event {sent['eventId']} could not be read and was skipped."
    assert [item["title"] for item in await memory.items()] == [POOL[1]]
