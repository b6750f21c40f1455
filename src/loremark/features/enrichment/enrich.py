"""The first stage: events become candidates. With a model where there is one, and without in any case."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

from loremark.base.redaction.redacting import redact_payload
from loremark.features.enrichment import store
from loremark.features.enrichment.records import Found, ItemFound, beside_items, encode
from loremark.features.enrichment.task import Task
from loremark.features.metering import service as metering
from loremark.features.sessions.blobs import Unpacking
from loremark.memory.combining import combine
from loremark.memory.extraction import prompting
from loremark.memory.extraction.extract import extract, texts_of
from loremark.memory.items import Item, RawEvent
from loremark.ports.llm import tokens
from loremark.ports.llm.model import CapReached, ModelFailed, Prompt

STAGE = "enrich"
_EVENTS_AT_ONCE = 50
_EVENTS_A_CALL = 10
_BYTES_AT_ONCE = 1024 * 1024
_WHOLE_CHARS_AT_ONCE = 8 * 1024 * 1024
_ANSWER_TOKENS = 400
_ANSWER_TOKENS_AN_EVENT = 400
_REDACTED_MARK = "[redacted:"
_SAID_OUTRIGHT = ("context_update", "memory_operation", "scan_result")
"""Events that say themselves what is to be remembered: no model is asked about them."""


async def enrich(task: Task) -> None:
    """In bounded batches; each batch's findings, its events' marks and its cost are one commit."""
    after, position = "", 0
    async with task.kit.database.read() as tx:
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
                metered=task.kit.meter_builtin and task.model is None,
                reference=f"{task.job_id}/{events[-1].id}",
            )
            await task.keep(tx)
        task.meter.forget_charged()
        after, position = events[-1].id, position + len(rows)
    async with task.run.finish(STAGE):
        pass


async def _load(task: Task, after: str) -> list[RawEvent]:
    """The next events, whole and without secrets."""
    take = _EVENTS_AT_ONCE if task.model is None else _EVENTS_A_CALL
    async with task.kit.database.read() as tx:
        rows = await store.list_raw_events(
            tx, task.scope, task.session_id, after=after, take=take, most_bytes=_BYTES_AT_ONCE
        )
    unpacking = Unpacking(task.kit.blobs, task.project_id)
    events: list[RawEvent] = []
    for row in rows:
        events.append(RawEvent(row["id"], row["event"], await unpacking.payload(row["payload"])))
        if unpacking.size > _WHOLE_CHARS_AT_ONCE:
            break
    if task.kit.deep is not None and task.project["deep_enrich_enabled"] and task.project["repo_url"]:
        events = await task.kit.deep.read(task.project, events, task.progress)
    return await asyncio.to_thread(_without_secrets, task, events)


def _without_secrets(task: Task, events: Sequence[RawEvent]) -> list[RawEvent]:
    clean: list[RawEvent] = []
    for event in events:
        payload, redacted = redact_payload(event.payload)
        task.progress.redacted += redacted
        clean.append(dataclasses.replace(event, payload=payload))
    return clean


async def _find(task: Task, events: Sequence[RawEvent]) -> list[tuple[str, Found]]:
    """All that the events tell, in their order."""
    extractions = await asyncio.to_thread(lambda: [extract(event) for event in events])
    modelled = await _ask(task, [event for event in events if event.event not in _SAID_OUTRIGHT])
    found: list[tuple[str, Found]] = []
    for event, extraction in zip(events, extractions, strict=True):
        for warning in extraction.warnings:
            task.progress.warn(warning)
        items = [_flagged(item) for item in combine(extraction.items, modelled.get(event.id, ()))]
        found += [(event.id, ItemFound(item, event.event)) for item in items]
        found += [(event.id, one) for one in beside_items(extraction)]
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
    """What the model finds, by event. When it fails, what the built-in engine found stands alone, and we say so."""
    if task.model is None or task.gave_up_model or not events:
        return {}
    system, user, schema = prompting.prompt(events)
    most = _ANSWER_TOKENS + _ANSWER_TOKENS_AN_EVENT * len(events)
    prompt = Prompt(system, user, max_tokens=most, schema=schema, schema_name="memory")
    try:
        completion = await task.model.complete(prompt, task.meter)
        answer = prompting.read_answer(completion.text, events)
    except CapReached:
        task.gave_up_model = True
        task.progress.warn("The AI token limit was reached; the built-in engine did the rest.")
        return {}
    except ModelFailed as failure:
        task.gave_up_model = failure.reason in ("unavailable", "refused")
        task.progress.warn(f"The model failed ({failure.reason}): {failure}. The built-in engine did its part.")
        return {}
    except prompting.MalformedAnswer:
        task.progress.warn("The model's answer could not be read; the built-in engine did its part.")
        return {}
    task.progress.model = task.model.name
    task.progress.dropped_unsupported += answer.dropped_unsupported
    task.progress.dropped_invalid += answer.dropped_invalid
    found: dict[str, list[Item]] = {}
    for event_id, item in answer.items:
        found.setdefault(event_id, []).append(item)
    return found


def _count_tokens(events: Sequence[RawEvent]) -> int:
    return sum(tokens.count(text) for event in events for text in texts_of(event))
