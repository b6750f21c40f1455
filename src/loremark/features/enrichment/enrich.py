"""Pipeline stage 1: extracts candidates from events with the built-in engine, and a model if one is configured."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

from loremark.base.redaction.redactor import redact_payload
from loremark.features.enrichment import store
from loremark.features.enrichment.records import Candidate, ItemCandidate, encode, non_item_candidates
from loremark.features.enrichment.task import Task
from loremark.features.metering import service as metering
from loremark.features.sessions.blobs import PayloadReader
from loremark.memory.extraction import prompting
from loremark.memory.extraction.extract import event_texts, extract
from loremark.memory.items import Item, RawEvent
from loremark.memory.rule_model_merge import merge_rule_and_model_items
from loremark.ports.llm import tokens
from loremark.ports.llm.model import CapReached, ModelFailed, Prompt

STAGE = "enrich"
_EVENTS_BATCH = 50
_EVENTS_PER_CALL = 10
_BATCH_BYTES = 1024 * 1024
_BATCH_CHARS = 8 * 1024 * 1024
_ANSWER_TOKENS = 400
_ANSWER_TOKENS_PER_EVENT = 400
_REDACTED_MARK = "[redacted:"
_STRUCTURED_EVENTS = ("context_update", "memory_operation", "scan_result")
"""Events that already state what to remember, so they are not sent to a model."""


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
            await task.meter.charge(tx)
            await metering.count_builtin(
                tx,
                task.scope,
                task.plan,
                counted,
                metered=task.deps.meter_builtin and task.model is None,
                reference=f"{task.job_id}/{events[-1].id}",
            )
            await task.save_progress(tx)
        task.meter.forget_charged()
        after, position = events[-1].id, position + len(rows)
    async with task.run.finish(STAGE):
        pass


async def _load(task: Task, after: str) -> list[RawEvent]:
    """Load the next events with large texts restored and secrets redacted."""
    take = _EVENTS_BATCH if task.model is None else _EVENTS_PER_CALL
    async with task.deps.database.read() as tx:
        rows = await store.list_raw_events(
            tx, task.scope, task.session_id, after=after, take=take, most_bytes=_BATCH_BYTES
        )
    reader = PayloadReader(task.deps.blobs, task.project_id)
    events: list[RawEvent] = []
    for row in rows:
        events.append(RawEvent(row["id"], row["event"], await reader.read(row["payload"])))
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
    """Return all candidates found in the events, in order."""
    extractions = await asyncio.to_thread(lambda: [extract(event) for event in events])
    from_model = await _ask(task, [event for event in events if event.event not in _STRUCTURED_EVENTS])
    found: list[tuple[str, Candidate]] = []
    for event, extraction in zip(events, extractions, strict=True):
        for warning in extraction.warnings:
            task.progress.warn(warning)
        items = [_flagged(item) for item in merge_rule_and_model_items(extraction.items, from_model.get(event.id, ()))]
        found += [(event.id, ItemCandidate(item, event.event)) for item in items]
        found += [(event.id, one) for one in non_item_candidates(extraction)]
    return found


def _flagged(item: Item) -> Item:
    texts = (item.title, item.content, *(quote.quote for quote in item.evidence))
    flags = {*item.flags}
    if any(_REDACTED_MARK in text for text in texts):
        flags.add("redacted")
    if item.confidence < 0.5:
        flags.add("low_confidence")
    return dataclasses.replace(item, flags=tuple(sorted(flags)))


async def _ask(task: Task, events: Sequence[RawEvent]) -> dict[str, list[Item]]:
    """Return the items found by the model, by event. If it fails, add a warning and rely on the built-in engine."""
    if task.model is None or task.model_disabled or not events:
        return {}
    system, user, schema = prompting.build_prompt(events)
    max_tokens = _ANSWER_TOKENS + _ANSWER_TOKENS_PER_EVENT * len(events)
    prompt = Prompt(system, user, max_tokens=max_tokens, schema=schema, schema_name="memory")
    try:
        completion = await task.model.complete(prompt, task.meter)
        answer = prompting.parse_answer(completion.text, events)
    except CapReached:
        task.model_disabled = True
        task.progress.warn("AI token limit reached. The built-in engine processed the remaining events.")
        return {}
    except ModelFailed as failure:
        task.model_disabled = failure.reason in ("unavailable", "refused")
        task.progress.warn(f"The model failed ({failure.reason}): {failure}. The built-in engine was used instead.")
        return {}
    except prompting.MalformedAnswer:
        task.progress.warn("The model returned an invalid answer. The built-in engine was used instead.")
        return {}
    task.progress.model = task.model.name
    task.progress.dropped_unsupported += answer.dropped_unsupported
    task.progress.dropped_invalid += answer.dropped_invalid
    found: dict[str, list[Item]] = {}
    for event_id, item in answer.items:
        found.setdefault(event_id, []).append(item)
    return found


def _count_tokens(events: Sequence[RawEvent]) -> int:
    return sum(tokens.count(text) for event in events for text in event_texts(event))
