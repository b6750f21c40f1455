"""Pipeline stage 1: extracts candidates from events with the built-in engine, then lets a model read the session."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

from loremark.base import log
from loremark.base.redaction.redactor import redact_payload
from loremark.features.enrichment import session_reader, store
from loremark.features.enrichment.records import Candidate, ItemCandidate, encode, flag_item, non_item_candidates
from loremark.features.enrichment.session_events import load_events
from loremark.features.enrichment.task import Task
from loremark.features.metering import service as metering
from loremark.features.sessions.blobs import PayloadReader
from loremark.memory.extraction.extract import event_texts, extract
from loremark.memory.extraction.results import Extraction
from loremark.memory.items import RawEvent
from loremark.ports.llm import tokens

_log = log.logger("enrichment")
STAGE = "enrich"
_EVENTS_BATCH = 50
_BATCH_BYTES = 1024 * 1024
_BATCH_CHARS = 8 * 1024 * 1024


async def enrich(task: Task) -> None:
    """Enrich events in bounded batches. Candidates, event marks and cost of a batch are committed together."""
    after, position = "", 0
    async with task.deps.database.read() as tx:
        position = await store.last_position(tx, task.scope, task.job_id)
    while events := await _load(task, after):
        found = await _find(task, events)
        counted = await asyncio.to_thread(_count_tokens, events)
        rows = [(position + number, event_id, encode(one)) for number, (event_id, one) in enumerate(found, start=1)]
        async with task.run.step() as tx:
            await store.create_candidates(tx, task.scope, task.job_id, task.project_id, rows)
            await store.mark_enriched(tx, task.scope, [event.id for event in events], task.job_id)
            await metering.count_builtin(
                tx,
                task.scope,
                task.plan,
                counted,
                metered=task.deps.meter_builtin and task.model is None,
                reference=f"{task.job_id}/{events[-1].id}",
            )
            await task.save_progress(tx)
        after, position = events[-1].id, position + len(rows)
    if (task.model is not None or task.reading is not None) and not task.progress.is_read:
        await _read_session(task)
    async with task.run.finish(STAGE):
        pass


async def _read_session(task: Task) -> None:
    """Let a model read the events of this job, or those that a developer's agent has read."""
    first, last = None, None
    if task.reading is not None:
        first, last = task.reading["from_event"], task.reading["up_to_event"]
    else:
        async with task.deps.database.read() as tx:
            first = await store.first_event_of_job(tx, task.scope, task.session_id, task.job_id)
    if first is None:
        return
    deps = task.deps
    events = await load_events(deps.database, deps.blobs, task.scope, task.project_id, task.session_id, first, last)
    await session_reader.read_session(task, events)


async def _load(task: Task, after: str) -> list[RawEvent]:
    """Load the next events with large texts restored and secrets redacted."""
    async with task.deps.database.read() as tx:
        rows = await store.list_raw_events(
            tx, task.scope, task.session_id, after=after, take=_EVENTS_BATCH, most_bytes=_BATCH_BYTES
        )
    reader = PayloadReader(task.deps.blobs, task.project_id)
    events: list[RawEvent] = []
    for row in rows:
        events.append(RawEvent(row["id"], row["event"], await reader.read(row["payload"]), row["actor_id"]))
        if reader.size > _BATCH_CHARS:
            break
    if task.deps.deep is not None and task.project["deep_enrich_enabled"] and task.project["repo_url"]:
        events = await task.deps.deep.read(task.project, events, task.progress)
    return await asyncio.to_thread(_redact_events, task, events)


def _redact_events(task: Task, events: Sequence[RawEvent]) -> list[RawEvent]:
    clean: list[RawEvent] = []
    for event in events:
        payload, redacted = redact_payload(event.payload)
        task.progress.redacted += redacted
        clean.append(dataclasses.replace(event, payload=payload))
    return clean


async def _find(task: Task, events: Sequence[RawEvent]) -> list[tuple[str, Candidate]]:
    """Return all candidates that the rules find in the events, in order."""
    extractions = await asyncio.to_thread(lambda: [_extract(event) for event in events])
    found: list[tuple[str, Candidate]] = []
    for event, extraction in zip(events, extractions, strict=True):
        if extraction is None:
            task.progress.warn(f"The event {event.id} could not be read and was skipped.")
            continue
        for warning in extraction.warnings:
            task.progress.warn(warning)
        found += [(event.id, ItemCandidate(flag_item(item), event.event)) for item in extraction.items]
        found += [(event.id, one) for one in non_item_candidates(extraction)]
    return found


def _extract(event: RawEvent) -> Extraction | None:
    """Return None if the event makes the rules fail: it must not keep those after it from being read."""
    try:
        return extract(event)
    except Exception:
        _log.exception("event could not be read", event_id=event.id)
        return None


def _count_tokens(events: Sequence[RawEvent]) -> int:
    return sum(tokens.count(text) for event in events for text in event_texts(event))
