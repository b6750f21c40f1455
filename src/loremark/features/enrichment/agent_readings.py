"""Lets a developer's coding agent read a session: hands out the prompts and takes the answers.

Nothing an agent answers is trusted: it is stored as it is, and verified when the session is enriched.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from loremark.base import clock, errors
from loremark.base.caller import Caller, Scope
from loremark.base.plans import Plans
from loremark.base.redaction.redactor import redact
from loremark.features.audit import store as audit
from loremark.features.enrichment import known_items, service, store
from loremark.features.enrichment.session_events import load_events
from loremark.features.identity import store as people
from loremark.features.projects.access import Access, get_project
from loremark.features.reading import store as readings
from loremark.features.sessions import service as sessions
from loremark.memory.items import RawEvent
from loremark.memory.json_answer import MalformedAnswer
from loremark.memory.reading import prompt as prompts
from loremark.memory.reading.session_reading import SessionReading
from loremark.ports.blobs.store import Blobs
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.llm import tokens
from loremark.storage.database import Database, Row
from loremark.wire.readings import ReadingAnswer, ReadingPart, ReadingRequest, ReadingState

_LEAST_CHARS = 60
"""A session shorter than this is not worth a call: recall has it as it is."""


@dataclass(frozen=True)
class AgentReadings:
    """Serves readings to agents."""

    database: Database
    blobs: Blobs
    embedders: Embedders
    plans: Plans

    async def start(self, caller: Caller, session_id: str, request: ReadingRequest) -> ReadingState:
        """Open a reading of what was not enriched yet, or resume the one that was not finished."""
        scope = caller.scope
        async with self.database.read() as tx:
            session, _ = await sessions.get_session(tx, caller, session_id, Access.READ)
            await get_project(tx, caller, session["project_id"], Access.WRITE)
            used = await readings.used_since(tx, scope, caller.user_id, _today_ms())
            latest = await readings.find_latest(tx, scope, session_id)
        if session["status"] == "enriching":
            raise errors.ENRICHMENT_RUNNING()
        if latest is not None and latest["status"] == "open" and latest["user_id"] == caller.user_id:
            reading = await self._restore(scope, session["project_id"], latest)
            if reading is not None:
                return await _state(latest["id"], "open", reading, used)
        if used[0] >= request.calls_per_day or used[1] >= request.tokens_per_day:
            return await _state(None, "nothing", None, used, reason="You have reached your daily limit")
        async with self.database.read() as tx:
            first = "" if request.again else await store.first_unread_event(tx, scope, session_id)
        events = await self._load(scope, session["project_id"], session_id, first) if first is not None else []
        said = await asyncio.to_thread(SessionReading.of_events, events, ())
        if sum(len(passage.text) for passage in said.passages) < _LEAST_CHARS:
            reason = "There is too little text to read" if events else "The session has nothing new to read"
            return await _state(None, "nothing", None, used, reason=reason)
        known = await known_items.find_known_items(
            self.database, self.embedders.current, scope, session["project_id"], said.passages
        )
        reading = SessionReading(known, said.passages, said.branch)
        async with self.database.write() as tx:
            await sessions.get_session(tx, caller, session_id, Access.WRITE)
            reading_id = await readings.create_reading(
                tx,
                scope,
                session["project_id"],
                session_id,
                user_id=caller.user_id,
                agent=request.agent,
                prompt_version=prompts.VERSION,
                from_event=events[0].id,
                up_to_event=events[-1].id,
                known=[one.id for one in known],
                parts=reading.part_count,
            )
            details = {"agent": request.agent, "parts": reading.part_count}
            await audit.record(
                tx, caller, "session.sent_to_agent", session_id, project_id=session["project_id"], **details
            )
        return await _state(reading_id, "open", reading, (used[0] + 1, used[1]))

    async def answer(self, caller: Caller, reading_id: str, given: ReadingAnswer) -> ReadingState:
        """Take the answer to a part. After the last one, start enriching the session with what the agent said."""
        scope = caller.scope
        async with self.database.read() as tx:
            row = await _get_own(await readings.find_reading(tx, scope, reading_id), caller)
            if caller.only_project not in (None, row["project_id"]):
                raise errors.READING_NOT_FOUND()
            await get_project(tx, caller, row["project_id"], Access.WRITE)
            used = await readings.used_since(tx, scope, caller.user_id, _today_ms())
        if row["status"] != "open":
            return await _state(row["id"], row["status"], None, used, reason=row["error"])
        reading = await self._restore(scope, row["project_id"], row)
        if reading is None:
            return await self._fail(caller, row, "The session has changed", used)
        if given.part <= reading.parts_read:  # sent again because the response was lost
            return await _state(row["id"], "open", reading, used)
        if given.part != reading.parts_read + 1:
            raise errors.PART_NOT_EXPECTED()
        if given.error:
            return await self._fail(caller, row, given.error, used)
        asked = reading.prompt
        assert asked is not None
        text = (await asyncio.to_thread(redact, given.text))[0]
        spent = await asyncio.to_thread(_tokens_of, given, f"{asked.system}\n{asked.user}", text)
        try:
            await asyncio.to_thread(reading.add_answer, text)
        except MalformedAnswer:
            return await self._fail(caller, row, f"The answer from {row['agent']} was invalid", used, spent)
        return await self._save(caller, row, reading, [*readings.answers_of(row), text], given.model, spent)

    async def _save(
        self, caller: Caller, row: Row, reading: SessionReading, answers: list[str], model: str, spent: tuple[int, int]
    ) -> ReadingState:
        is_complete = reading.prompt is None
        async with self.database.write() as tx:
            await sessions.get_session(tx, caller, row["session_id"], Access.WRITE)
            locked = await _get_own(await readings.lock_reading(tx, caller.scope, row["id"]), caller)
            if locked["status"] != "open" or locked["answers"] != row["answers"]:
                raise errors.PART_NOT_EXPECTED()
            await readings.update_reading(
                tx,
                caller.scope,
                locked,
                status="answered" if is_complete else "open",
                model=model or locked["model"],
                answers=answers,
                prompt_tokens=locked["prompt_tokens"] + spent[0],
                completion_tokens=locked["completion_tokens"] + spent[1],
            )
            used = await readings.used_since(tx, caller.scope, caller.user_id, _today_ms())
        job_id = await self._enrich(caller, row["session_id"]) if is_complete else None
        return await _state(row["id"], "answered" if is_complete else "open", reading, used, job_id=job_id)

    async def _enrich(self, caller: Caller, session_id: str) -> str | None:
        """Start the job that applies the reading. If it cannot start now, the next enrichment applies it."""
        try:
            async with self.database.write() as tx:
                plan = self.plans.get((await people.get_team(tx, caller.team_id))["plan"])
                return (await service.start(tx, caller, session_id, plan, paid=False)).job_id
        except errors.Refusal:
            return None

    async def _fail(
        self, caller: Caller, row: Row, reason: str, used: tuple[int, int], spent: tuple[int, int] = (0, 0)
    ) -> ReadingState:
        reason = redact(reason)[0]
        async with self.database.write() as tx:
            locked = await _get_own(await readings.lock_reading(tx, caller.scope, row["id"]), caller)
            await readings.update_reading(
                tx,
                caller.scope,
                locked,
                status="failed",
                model=locked["model"],
                answers=readings.answers_of(locked),
                prompt_tokens=locked["prompt_tokens"] + spent[0],
                completion_tokens=locked["completion_tokens"] + spent[1],
                error=reason,
            )
        return await _state(row["id"], "failed", None, (used[0], used[1] + sum(spent)), reason=reason)

    async def _restore(self, scope: Scope, project_id: str, row: Row) -> SessionReading | None:
        """Return the reading as far as it got, or None if its events or items have changed since."""
        events = await self._load(scope, project_id, row["session_id"], row["from_event"], row["up_to_event"])
        if not events or events[-1].id != row["up_to_event"]:
            return None
        async with self.database.read() as tx:
            known = await known_items.list_known_items(tx, scope, readings.known_of(row))
        reading = await asyncio.to_thread(SessionReading.of_events, events, known)
        try:
            for answer in readings.answers_of(row):
                await asyncio.to_thread(reading.add_answer, answer)
        except MalformedAnswer:
            return None
        return reading

    async def _load(
        self, scope: Scope, project_id: str, session_id: str, from_event: str, up_to: str | None = None
    ) -> list[RawEvent]:
        """Load the events to read, without secrets, in order."""
        return await load_events(self.database, self.blobs, scope, project_id, session_id, from_event, up_to)


def _today_ms() -> int:
    now_ms = clock.now_ms()
    return now_ms - now_ms % clock.DAY_MS


async def _get_own(row: Row | None, caller: Caller) -> Row:
    if row is None or row["user_id"] != caller.user_id:
        raise errors.READING_NOT_FOUND()
    return row


def _tokens_of(given: ReadingAnswer, asked: str, answered: str) -> tuple[int, int]:
    """What the agent reports, or our own count."""
    return (
        tokens.count(asked) if given.prompt_tokens is None else int(given.prompt_tokens),
        tokens.count(answered) if given.completion_tokens is None else int(given.completion_tokens),
    )


async def _state(
    reading_id: str | None,
    status: str,
    reading: SessionReading | None,
    used: tuple[int, int],
    *,
    reason: str = "",
    job_id: str | None = None,
) -> ReadingState:
    state = ReadingState(
        id=reading_id,
        status=status,  # type: ignore[arg-type]  # as the database keeps it
        reason=reason,
        next=await asyncio.to_thread(_next_part, reading) if reading is not None else None,
        calls_today=used[0],
        tokens_today=used[1],
    )
    if job_id is not None:
        state.job_id = job_id
    return state


def _next_part(reading: SessionReading) -> ReadingPart | None:
    asked = reading.prompt
    if asked is None:
        return None
    user = redact(asked.user)[0]
    return ReadingPart(
        part=reading.parts_read + 1,
        parts=reading.part_count,
        system=asked.system,
        user=user,
        answer_schema=prompts.answer_schema(),
        token_estimate=tokens.count(asked.system) + tokens.count(user),
    )
