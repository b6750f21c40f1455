"""Answer streams. A ticket has at most one at a time, and an answer is stored before its end is sent.

The answer is produced in a separate task. When the client disconnects, the server stops or the time limit is reached,
that task is cancelled; the text and token usage so far are still stored, in a task that is not cancelled. The same
happens when the asker loses access. A ticket does not say which key or login it came from, so any revoked credential of
the asker ends their streams.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from msgspec import UNSET
from msgspec.structs import replace

from loremark.base import clock, errors, limits, log
from loremark.base.caller import Scope
from loremark.base.signing import sha256_hex
from loremark.features.ask import store
from loremark.features.ask.answering import AnswerBuilder, AnswerRequest, Dependencies
from loremark.features.ask.buffer import Buffer
from loremark.features.ask.tickets import Claims
from loremark.features.chats import service as chats
from loremark.features.metering import service as metering
from loremark.features.projects.access import find_project
from loremark.features.search.service import SIMILARITY_FLOOR
from loremark.jobs import notices
from loremark.ports.llm.model import CapReached, ModelFailed, Reason
from loremark.storage.database import Row, StorageUnavailable, Tx
from loremark.wire.answers import AnswerDone, EmbedUsage, Source, TokenUsage

LEASE_MS = 20 * clock.SECOND_MS
_RENEW_S = 5.0
_CHECK_ACCESS_S = 2.0
"""Signals about lost access may be lost themselves, or come from a process that shares no signals with this one."""
_STORE_S = 60.0
_STORE_RETRY_S = 0.5
_END_S = 5.0
_STOP_S = 6.0
_MAX_STREAMS = 2_000
_TIMED_OUT = "The answer took too long"
_STORED_FACTS_CHARS = 2_000
"""Maximum length of a source's text stored with a chat message. The item has the full text."""
_MODEL_ERRORS: dict[Reason, str] = {
    "timeout": "The model took too long to answer",
    "overloaded": "The model is overloaded",
    "refused": "The model provider rejected the request",
    "malformed": "The model returned an invalid answer",
    "broken": "The model's answer was interrupted",
    "unavailable": "The model is unavailable",
}
"""Shown instead of the provider's own message, which may reveal keys, accounts or addresses and is only logged."""
_log = log.logger("ask")


class AnswerStream:
    """One stream: the answer task, its buffered output and its ticket lease."""

    def __init__(self, deps: Dependencies, request: AnswerRequest, ticket: str, until_ms: int, claims: Claims) -> None:
        self.buffer: Buffer[AnswerDone] = Buffer()
        self._deps = deps
        self._request = request
        self._ticket = ticket
        self._until_ms = until_ms
        self._claims = claims
        self._builder = AnswerBuilder(deps, request)
        self._work = asyncio.create_task(self._fill())
        self._ends_silently = False
        """Set after a disconnect or the loss of access: nothing more may be sent."""
        self._written: list[str | None] = []
        """For each store attempt that may have been committed, the id of the message it wrote, if any."""
        self.task = asyncio.create_task(self._run())
        self.task.add_done_callback(_log_error)

    async def stop(self) -> None:
        """Cancel the answer after a disconnect, and wait briefly until its partial result is stored."""
        self._ends_silently = True
        self._work.cancel()
        await asyncio.wait((self.task,), timeout=_STOP_S)

    async def _fill(self) -> None:
        async with aclosing(self._builder.pieces()) as pieces:
            async for piece in pieces:
                self.buffer.add(piece)

    async def _run(self) -> None:
        """Run the answer task. Whatever happens, it is ended, its result is stored and the buffer is closed."""
        error: str | None = errors.INTERNAL.text
        done: AnswerDone | None = None
        try:
            try:
                ended_by = await self._watch()
                error = _error_of(self._work) if ended_by is None else ended_by
            finally:
                await self._end_work()
                done = self._done(TokenUsage(), errors.INTERNAL.text)
                done = await self._store_with_timeout(error)
        finally:
            self.buffer.finish(None if self._ends_silently else done)

    async def _end_work(self) -> None:
        if not self._work.done():
            self._work.cancel()
            await asyncio.wait((self._work,), timeout=_END_S)

    async def _store_with_timeout(self, error: str | None) -> AnswerDone:
        try:
            async with asyncio.timeout(_STORE_S):
                return await self._store_with_retries(error)
        except TimeoutError:
            _log.error("could not store answer", chat=self._request.chat_id)
            return self._done(TokenUsage(), errors.UNAVAILABLE.text)

    async def _store_with_retries(self, error: str | None) -> AnswerDone:
        """Store the answer exactly once, retrying while the database is unavailable."""
        await self._builder.finalize()
        while True:
            try:
                return await self._store(error)
            except StorageUnavailable as failure:
                _log.warning("could not store answer, retrying", chat=self._request.chat_id, error=str(failure))
            await asyncio.sleep(_STORE_RETRY_S)

    async def _watch(self) -> str | None:
        """Renew the lease until the answer task ends; return the error if something else ended it."""
        end = clock.monotonic() + limits.ANSWER_STREAM_MS / clock.SECOND_MS
        no_access = asyncio.create_task(self._wait_for_lost_access())
        try:
            while (left := end - clock.monotonic()) > 0:
                timeout = min(_RENEW_S, left)
                await asyncio.wait((self._work, no_access), timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
                if self._work.done():
                    return None
                if no_access.done():
                    no_access.result()
                    self._silence()
                    return errors.UNAUTHORIZED.text
                if not await self._renew():
                    break
        finally:
            no_access.cancel()
        return _TIMED_OUT

    def _silence(self) -> None:
        """End the output now, without what has not been sent yet."""
        self._ends_silently = True
        self._work.cancel()
        self.buffer.take()
        self.buffer.finish(None)

    async def _wait_for_lost_access(self) -> None:
        """Return when a credential or the role of the asker has changed, or they have lost access."""
        with self._deps.database.signals.listen(notices.ACCESS) as listener:
            while await self._has_access():
                check_at = clock.monotonic() + _CHECK_ACCESS_S
                while (left := check_at - clock.monotonic()) > 0:
                    if await listener.next(timeout=left) == (notices.ACCESS, self._claims.uid):
                        return

    async def _has_access(self) -> bool:
        try:
            async with self._deps.database.read() as tx:
                return await _find_access(tx, self._claims) is not None
        except StorageUnavailable:
            return True

    async def _renew(self) -> bool:
        """Renew the lease; return whether it is still ours. An unavailable database does not count as losing it."""
        new_until_ms = clock.now_ms() + LEASE_MS
        try:
            async with self._deps.write_slots, self._deps.database.write() as tx:
                renewed = await store.renew_ticket(tx, self._request.scope, self._ticket, self._until_ms, new_until_ms)
        except StorageUnavailable:
            return True
        if renewed:
            self._until_ms = new_until_ms
        return renewed

    async def _store(self, error: str | None) -> AnswerDone:
        """Store both messages, the cost and the end of the lease in one commit; return the final event."""
        prompt_tokens, completion_tokens = await self._builder.count()
        usage = TokenUsage(
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            total_tokens=prompt_tokens + completion_tokens,
        )
        texts = await chats.clean_texts(self._request.question, self._builder.text)
        async with self._deps.write_slots, self._deps.database.write() as tx:
            released = await store.release_ticket(tx, self._request.scope, self._ticket, self._until_ms)
            if not released and await self._is_stored(tx):
                return self._done(usage, error)
            await self._charge(tx, usage)
            self._written.append(await self._write(tx, usage, *texts) if self._builder.text.strip() else None)
        return self._done(usage, error)

    async def _is_stored(self, tx: Tx) -> bool:
        """Return whether an earlier attempt was committed although its response was lost.

        A missing lease proves nothing, because it may have expired and been deleted. A stored message proves it. If
        none was written, or the chat was deleted, the missing lease has to do: nothing may be charged twice.
        """
        if not self._written:
            return False
        scope, chat_id = self._request.scope, self._request.chat_id
        if None in self._written or not await chats.chat_exists(tx, scope, chat_id):
            return True
        return any(
            [await chats.has_message(tx, scope, chat_id, message_id) for message_id in self._written if message_id]
        )

    async def _write(self, tx: Tx, usage: TokenUsage, question: str, answer: str) -> str | None:
        return await chats.add_turn(
            tx,
            self._request.scope,
            self._request.chat_id,
            question=question,
            answer=answer,
            sources=[replace(source, facts=_truncate(source.facts)) for source in self._sources()],
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            model=self._builder.model,
        )

    async def _charge(self, tx: Tx, usage: TokenUsage) -> None:
        """Charge the tokens. Reserved tokens, of a model or the built-in engine, are charged by the meter."""
        await self._builder.meter.charge(tx)
        if not self._builder.by_model:
            await metering.count_builtin(
                tx,
                self._request.scope,
                self._request.plan,
                usage.total_tokens,
                metered=False,
                reference=f"{self._ticket}/{self._until_ms}",
            )

    def _done(self, usage: TokenUsage, error: str | None) -> AnswerDone:
        sources = self._sources()
        average = sum(source.similarity for source in sources) / len(sources) if sources else 0.0
        return AnswerDone(
            answer=self._builder.text if error is None else UNSET,
            sources=sources,
            avg_similarity=round(average, 4),
            usage=usage,
            model=self._builder.model,
            embed_usage=EmbedUsage(total_tokens=self._builder.embed_tokens),
            error=UNSET if error is None else error,
        )

    def _sources(self) -> list[Source]:
        items = [
            Source(
                item_id=item.item_id,
                type=item.type,
                title=item.title,
                facts=item.content,
                schema_key=item.schema_key,
                similarity=round(max(SIMILARITY_FLOOR, item.similarity), 4),
                confidence=item.confidence,
                files=list(item.files),
                used=item.item_id in self._builder.used,
                session_id=UNSET if item.reviewed or item.session_id is None else item.session_id,
                reviewed=UNSET if item.reviewed else False,
            )
            for item in self._builder.sources
        ]
        used = self._builder.used
        return items + [said.to_source(used=said.passage.item_id in used) for said in self._builder.quotations]


async def _find_access(tx: Tx, claims: Claims) -> tuple[str, Row] | None:
    """Return the team's plan and the project if the ticket's owner may still ask about it."""
    asker = await store.find_asker(tx, Scope(claims.tid), claims.uid)
    project = await find_project(tx, asker[0], claims.pid) if asker else None
    if asker is None or project is None or project["status"] == "archived":
        return None
    return asker[1], project


def _error_of(work: asyncio.Task[None]) -> str | None:
    """Return the error message for the client, or None."""
    error = None if work.cancelled() else work.exception()
    if error is None:
        return None
    if isinstance(error, CapReached):
        return errors.AI_TOKEN_LIMIT.text
    if isinstance(error, ModelFailed):
        _log.warning("model failed while answering", reason=error.reason, error=str(error))
        return _MODEL_ERRORS[error.reason]
    if isinstance(error, StorageUnavailable):
        return errors.UNAVAILABLE.text
    _log.error("unexpected error while answering", exc_info=error)
    return errors.INTERNAL.text


def _log_error(task: asyncio.Task[None]) -> None:
    """Log errors of the task, because nothing awaits it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("unexpected error in an answer stream", exc_info=error)


def _truncate(facts: str) -> str:
    return facts if len(facts) <= _STORED_FACTS_CHARS else facts[:_STORED_FACTS_CHARS] + "…"


class AnswerStreams:
    """All answer streams of a process."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._running: set[AnswerStream] = set()

    async def begin(self, ticket: str, claims: Claims, question: str) -> AnswerStream:
        """Start a stream. Fails if the ticket's owner has lost access or the ticket is already being answered."""
        if len(self._running) >= _MAX_STREAMS:
            raise errors.UNAVAILABLE({"Retry-After": "5"})
        hashed = sha256_hex(ticket)
        async with self._deps.write_slots, self._deps.database.write() as tx:
            until_ms = clock.now_ms() + LEASE_MS
            request = await self._admit(tx, claims, question)
            if not await store.take_ticket(tx, request.scope, request.project_id, hashed, until_ms):
                holder = await store.find_holder(tx, request.scope, hashed)
                rest_ms = holder["expires_at_ms"] - clock.now_ms() if holder else 0
                seconds = max(1, -(-rest_ms // clock.SECOND_MS))
                raise errors.RATE_LIMITED({"Retry-After": str(seconds)}, seconds=seconds)
        running = AnswerStream(self._deps, request, hashed, until_ms, claims)
        self._running.add(running)
        running.task.add_done_callback(lambda _: self._running.discard(running))
        return running

    async def _admit(self, tx: Tx, claims: Claims, question: str) -> AnswerRequest:
        """Check access again, because it may have changed since the ticket was issued."""
        scope = Scope(claims.tid)
        access = await _find_access(tx, claims)
        chat = await chats.find_for_answer(tx, scope, claims.sid, claims.pid, claims.uid)
        if access is None or chat is None:
            raise errors.INVALID_TICKET()
        plan_name, project = access
        plan = self._deps.plans.get(plan_name)
        return AnswerRequest(
            scope, claims.pid, claims.sid, question, plan, project["ai_tier"], bool(project["show_unreviewed"])
        )

    async def close(self) -> None:
        """Stop all streams and wait until their results are stored."""
        await asyncio.gather(*(running.stop() for running in self._running))
