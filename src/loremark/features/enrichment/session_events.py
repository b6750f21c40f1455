"""Loads the events of a session for a model to read."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

from loremark.base.caller import Scope
from loremark.base.redaction.redactor import redact_payload
from loremark.features.enrichment import store
from loremark.features.sessions.blobs import PayloadReader
from loremark.memory.items import RawEvent
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database

_STRUCTURED_EVENTS = frozenset(("context_update", "memory_operation", "scan_result"))
"""Events that already state what to remember, so they are not read."""
_MAX_EVENTS = 2_000
_MAX_CHARS = 8 * 1024 * 1024


async def load_events(
    database: Database,
    blobs: Blobs,
    scope: Scope,
    project_id: str,
    session_id: str,
    from_event: str,
    up_to: str | None,
) -> list[RawEvent]:
    """Return the events between these two, without secrets, in order. Of very many, the last ones."""
    async with database.read() as tx:
        rows = await store.list_events_between(tx, scope, session_id, from_event, up_to, _MAX_EVENTS)
    reader = PayloadReader(blobs, project_id)
    events: list[RawEvent] = []
    for row in rows:
        if row["event"] not in _STRUCTURED_EVENTS:
            events.append(RawEvent(row["id"], row["event"], await reader.read(row["payload"])))
        if reader.size > _MAX_CHARS:
            break
    return await asyncio.to_thread(_redacted, events[::-1])


def _redacted(events: Sequence[RawEvent]) -> list[RawEvent]:
    return [dataclasses.replace(event, payload=redact_payload(event.payload)[0]) for event in events]
