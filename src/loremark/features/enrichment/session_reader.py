"""Adds what a language model says about the session to the candidates of the job, in place of the rules' findings.

The model is the server's, called here, or a developer's coding agent, whose answers are stored already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from loremark.features.enrichment import known_items, store
from loremark.features.enrichment.records import ItemCandidate, Reading, decode, encode
from loremark.features.enrichment.task import Task
from loremark.features.reading import store as readings
from loremark.memory.extraction import conversations
from loremark.memory.items import RawEvent
from loremark.memory.json_answer import MalformedAnswer
from loremark.memory.reading import prompt as prompts
from loremark.memory.reading.quoted_parts import is_quoted_by
from loremark.memory.reading.session_reading import SessionReading, Tally
from loremark.ports.llm.model import CapReached, LanguageModel, ModelFailed, Prompt, Usage
from loremark.storage.database import Row, Tx

_BUILTIN_USED = "The built-in engine was used instead."


@dataclass
class _Answered:
    """What a model said, perhaps not to the end of the session."""

    reading: SessionReading
    model: str
    prompt_version: str
    row: Row | None = None
    """The reading as it is stored; None if the server's model read, which is stored with its findings."""
    usage: Usage = Usage(0, 0)


async def read_session(task: Task, events: Sequence[RawEvent]) -> None:
    """Replace the rules' candidates by those of a model, if one has read or can read the session."""
    answered = await _stored_answer(task, events) if task.reading is not None else await _ask_server(task, events)
    task.progress.is_read = True
    if answered is None:  # a failed call may have cost tokens
        async with task.run.step() as tx:
            await task.meter.charge(tx)
            await task.save_progress(tx)
    else:
        _warn(task, answered.reading.tally)
        await _store(task, events, answered)
    task.meter.forget_charged()


async def _stored_answer(task: Task, events: Sequence[RawEvent]) -> _Answered | None:
    """Verify what a developer's agent said."""
    row = task.reading
    assert row is not None
    async with task.deps.database.read() as tx:
        known = await known_items.list_known_items(tx, task.scope, readings.known_of(row))
    reading = await asyncio.to_thread(SessionReading.of_events, events, known)
    try:
        for answer in readings.answers_of(row):
            await asyncio.to_thread(reading.add_answer, answer)
    except MalformedAnswer:
        await _fail(task, row, f"The answer from {row['agent']} was invalid")
    if not reading.parts_read:
        return None
    name = f"{row['agent']}:{row['model']}" if row["model"] else str(row["agent"])
    return _Answered(reading, name, row["prompt_version"], row)


async def _fail(task: Task, row: Row, reason: str) -> None:
    task.progress.warn(f"{reason}. {_BUILTIN_USED}")
    async with task.deps.database.write() as tx:
        await readings.set_status(tx, task.scope, row["id"], "failed", reason)


async def _ask_server(task: Task, events: Sequence[RawEvent]) -> _Answered | None:
    model = task.model
    if model is None or not events:
        return None
    passages = await asyncio.to_thread(SessionReading.of_events, events, ())
    known = await known_items.find_known_items(
        task.deps.database, task.deps.embedder, task.scope, task.project_id, passages.passages
    )
    reading = SessionReading(known, passages.passages, passages.branch)
    answered = _Answered(reading, model.name, prompts.VERSION)
    await _read_parts(task, model, answered)
    return answered if reading.parts_read else None


async def _read_parts(task: Task, model: LanguageModel, answered: _Answered) -> None:
    """Ask the model part by part, until it fails; a warning says why."""
    reading = answered.reading
    while (asked := reading.prompt) is not None:
        prompt = Prompt(
            asked.system,
            asked.user,
            max_tokens=prompts.ANSWER_TOKENS,
            schema=prompts.answer_schema(),
            schema_name="memory",
        )
        try:
            completion = await model.complete(prompt, task.meter)
            answered.usage = Usage(
                answered.usage.prompt_tokens + completion.usage.prompt_tokens,
                answered.usage.completion_tokens + completion.usage.completion_tokens,
            )
            await asyncio.to_thread(reading.add_answer, completion.text)
        except CapReached:
            task.progress.warn("AI token limit reached. The built-in engine processed the remaining events.")
            return
        except ModelFailed as failure:
            task.progress.warn(f"The model failed ({failure.reason}): {failure}. {_BUILTIN_USED}")
            return
        except MalformedAnswer:
            task.progress.warn(f"The model returned an invalid answer. {_BUILTIN_USED}")
            return


def _warn(task: Task, tally: Tally) -> None:
    task.progress.dropped_unsupported += tally.unsupported
    task.progress.dropped_invalid += tally.invalid + tally.beyond_limit
    for count, what in (
        (tally.unsupported, "without a quote from the session, or with values it does not contain"),
        (tally.beyond_limit, "beyond the limit for one session"),
        (tally.invalid, "in an invalid form"),
    ):
        if count:
            task.progress.warn(f"Left out {count} item{'' if count == 1 else 's'} {what}.")
    if tally.unknown_ids:
        task.progress.warn(
            f"The model named {tally.unknown_ids} unknown item ID{'' if tally.unknown_ids == 1 else 's'}."
        )


async def _store(task: Task, events: Sequence[RawEvent], answered: _Answered) -> None:
    """Store the model's candidates and drop the rules' in one transaction."""
    kinds = {event.id: event.event for event in events}
    found = [
        ItemCandidate(
            one.item,
            kinds.get(one.item.evidence[0].event_id, ""),
            Reading(answered.model, answered.prompt_version, one.verdict, one.known_id, one.sureness),
        )
        for one in answered.reading.findings
    ]
    deliberate = await asyncio.to_thread(_deliberate, events)
    task.progress.model = answered.model
    async with task.run.step() as tx:
        for row in await store.list_item_candidates(tx, task.scope, task.job_id):
            candidate = decode(row["content"])
            assert isinstance(candidate, ItemCandidate)
            is_replaced = (
                answered.reading.is_complete and row["event_id"] in kinds and row["event_id"] not in deliberate
            )
            if is_replaced or is_quoted_by(candidate.item, [one.item for one in found]):
                await store.set_outcome(tx, task.scope, task.job_id, row["position"], "dropped")
        position = await store.last_position(tx, task.scope, task.job_id)
        rows = [
            (position + number, one.item.evidence[0].event_id, encode(one)) for number, one in enumerate(found, start=1)
        ]
        await store.create_candidates(tx, task.scope, task.job_id, task.project_id, rows)
        if answered.row is not None:
            await readings.set_status(tx, task.scope, answered.row["id"], "applied")
        else:
            await _record(task, tx, events, answered)
        await task.meter.charge(tx)
        await task.save_progress(tx)


async def _record(task: Task, tx: Tx, events: Sequence[RawEvent], answered: _Answered) -> None:
    """Record what the server's model cost, as for readings by agents."""
    reading_id = await readings.create_reading(
        tx,
        task.scope,
        task.project_id,
        task.session_id,
        user_id=None,
        agent="",
        prompt_version=answered.prompt_version,
        from_event=events[0].id,
        up_to_event=events[-1].id,
        known=[one.id for one in answered.reading.known],
        parts=answered.reading.part_count,
    )
    row = await readings.lock_reading(tx, task.scope, reading_id)
    assert row is not None
    await readings.update_reading(
        tx,
        task.scope,
        row,
        status="applied",
        model=answered.model,
        answers=(),
        prompt_tokens=answered.usage.prompt_tokens,
        completion_tokens=answered.usage.completion_tokens,
    )


def _deliberate(events: Sequence[RawEvent]) -> Collection[str]:
    """Saves by a person or agent on purpose. A model may word them better, but never drops them."""
    return {
        event.id
        for event in events
        if event.event == "session_save" and not conversations.is_conversation(event.payload)
    }
