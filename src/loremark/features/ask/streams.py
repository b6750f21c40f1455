"""Streams: each ticket has one at a time, made apart from its reader, and kept before its end is told.

The work is a task of its own. When the reader leaves, the server stops or time is up, it is ended where it is; what it
has said and spent by then is written down all the same, in a task that nobody ends.
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
from loremark.features.ask.buffer import Buffer
from loremark.features.ask.making import Asked, Kit, Making
from loremark.features.ask.tickets import Claims
from loremark.features.chats import service as chats
from loremark.features.metering import service as metering
from loremark.features.projects.access import find_project
from loremark.features.search.service import SIMILARITY_FLOOR
from loremark.ports.llm.model import CapReached, ModelFailed, Reason
from loremark.storage.database import StorageUnavailable, Tx
from loremark.wire.answers import AnswerDone, EmbedUsage, Source, TokenUsage

LEASE_MS = 20 * clock.SECOND_MS
_RENEW_S = 5.0
_KEEP_S = 60.0
_KEEP_AGAIN_S = 0.5
_END_S = 5.0
_STOP_S = 6.0
_AT_ONCE = 2_000
_TOO_LATE = "The answer took too long"
_KEPT_FACTS_CHARS = 2_000
"""Of each source. A conversation shows what an answer rests on; the whole of it is in the item."""
_FAILED: dict[Reason, str] = {
    "timeout": "The model took too long to answer",
    "overloaded": "The model is overloaded",
    "refused": "The model's server refused the question",
    "malformed": "The model's answer could not be read",
    "broken": "The model's answer broke off",
    "unavailable": "The model cannot be reached",
}
"""The words of a model's server may tell of keys, accounts and addresses: they are for the log only."""
_log = log.logger("ask")


class Running:
    """One stream: the work, what it has said, and its ticket."""

    def __init__(self, kit: Kit, asked: Asked, ticket: str, until_ms: int) -> None:
        self.buffer: Buffer[AnswerDone] = Buffer()
        self._kit = kit
        self._asked = asked
        self._ticket = ticket
        self._until_ms = until_ms
        self._making = Making(kit, asked)
        self._work = asyncio.create_task(self._fill())
        self._left = False
        self._written: list[str | None] = []
        """For each attempt to keep that may have been committed, the id of its answer if it wrote one."""
        self.task = asyncio.create_task(self._run())
        self.task.add_done_callback(_tell_fault)

    async def stop(self) -> None:
        """Nobody reads any more: end the work, and wait a while until what there is has been kept."""
        self._left = True
        self._work.cancel()
        await asyncio.wait((self.task,), timeout=_STOP_S)

    async def _fill(self) -> None:
        async with aclosing(self._making.pieces()) as pieces:
            async for piece in pieces:
                self.buffer.add(piece)

    async def _run(self) -> None:
        """Whatever goes wrong, the work ends, what there is is kept, and the reader is not left waiting."""
        error: str | None = errors.INTERNAL.text
        done: AnswerDone | None = None
        try:
            try:
                in_time = await self._watch()
                error = _error_of(self._work) if in_time else _TOO_LATE
            finally:
                await self._end_work()
                done = self._done(TokenUsage(), errors.INTERNAL.text)
                done = await self._keep_in_time(error)
        finally:
            self.buffer.finish(None if self._left else done)

    async def _end_work(self) -> None:
        if not self._work.done():
            self._work.cancel()
            await asyncio.wait((self._work,), timeout=_END_S)

    async def _keep_in_time(self, error: str | None) -> AnswerDone:
        try:
            async with asyncio.timeout(_KEEP_S):
                return await self._keep_surely(error)
        except TimeoutError:
            _log.error("an answer could not be kept", chat=self._asked.chat_id)
            return self._done(TokenUsage(), errors.UNAVAILABLE.text)

    async def _keep_surely(self, error: str | None) -> AnswerDone:
        """Also past a moment in which the database cannot be reached. It is kept once, whichever attempt it was."""
        await self._making.settle()
        while True:
            try:
                return await self._keep(error)
            except StorageUnavailable as fault:
                _log.warning("an answer waits to be kept", chat=self._asked.chat_id, error=str(fault))
            await asyncio.sleep(_KEEP_AGAIN_S)

    async def _watch(self) -> bool:
        """Hold the ticket until the work has ended; whether it did so by itself."""
        end = clock.monotonic() + limits.ANSWER_STREAM_MS / clock.SECOND_MS
        while (left := end - clock.monotonic()) > 0:
            await asyncio.wait((self._work,), timeout=min(_RENEW_S, left))
            if self._work.done():
                return True
            if not await self._renew():
                break
        return False

    async def _renew(self) -> bool:
        """Whether the ticket is still ours. A database that is away for a moment says nothing about it."""
        new_until_ms = clock.now_ms() + LEASE_MS
        try:
            async with self._kit.turns, self._kit.database.write() as tx:
                kept = await store.renew_ticket(tx, self._asked.scope, self._ticket, self._until_ms, new_until_ms)
        except StorageUnavailable:
            return True
        if kept:
            self._until_ms = new_until_ms
        return kept

    async def _keep(self, error: str | None) -> AnswerDone:
        """Both messages, the cost and the end of the stream in one commit; then what the reader is told."""
        prompt_tokens, completion_tokens = await self._making.count()
        usage = TokenUsage(
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            total_tokens=prompt_tokens + completion_tokens,
        )
        async with self._kit.turns, self._kit.database.write() as tx:
            released = await store.release_ticket(tx, self._asked.scope, self._ticket, self._until_ms)
            if not released and await self._is_kept(tx):
                return self._done(usage, error)
            await self._charge(tx, usage)
            self._written.append(await self._write(tx, usage) if self._making.text.strip() else None)
        return self._done(usage, error)

    async def _is_kept(self, tx: Tx) -> bool:
        """Whether an attempt before had come through, and only its answer was lost.

        That the ticket has gone proves nothing: it may have run out meanwhile, and others forget it then. The message
        proves it. Where none was written, or the conversation has gone with it, the ticket has to do: nothing is
        charged twice.
        """
        if not self._written:
            return False
        scope, chat_id = self._asked.scope, self._asked.chat_id
        if None in self._written or not await chats.is_there(tx, scope, chat_id):
            return True
        return any([await chats.has_message(tx, scope, chat_id, made) for made in self._written if made])

    async def _write(self, tx: Tx, usage: TokenUsage) -> str | None:
        return await chats.add_turn(
            tx,
            self._asked.scope,
            self._asked.chat_id,
            question=self._asked.question,
            answer=self._making.text,
            sources=[replace(source, facts=_bounded(source.facts)) for source in self._sources()],
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            model=self._making.model,
        )

    async def _charge(self, tx: Tx, usage: TokenUsage) -> None:
        """What was set aside is paid by the meter, be it for a model or for the built-in engine."""
        await self._making.meter.charge(tx)
        if not self._making.by_model:
            await metering.count_builtin(
                tx,
                self._asked.scope,
                self._asked.plan,
                usage.total_tokens,
                metered=False,
                reference=f"{self._ticket}/{self._until_ms}",
            )

    def _done(self, usage: TokenUsage, error: str | None) -> AnswerDone:
        sources = self._sources()
        average = sum(source.similarity for source in sources) / len(sources) if sources else 0.0
        return AnswerDone(
            answer=self._making.text if error is None else UNSET,
            sources=sources,
            avg_similarity=round(average, 4),
            usage=usage,
            model=self._making.model,
            embed_usage=EmbedUsage(total_tokens=self._making.embed_tokens),
            error=UNSET if error is None else error,
        )

    def _sources(self) -> list[Source]:
        return [
            Source(
                item_id=item.item_id,
                type=item.type,
                title=item.title,
                facts=item.content,
                schema_key=item.schema_key,
                similarity=round(max(SIMILARITY_FLOOR, item.similarity), 4),
                confidence=item.confidence,
                files=list(item.files),
                used=item.item_id in self._making.used,
            )
            for item in self._making.sources
        ]


def _error_of(work: asyncio.Task[None]) -> str | None:
    """Why there is no answer, in words for whoever asked."""
    fault = None if work.cancelled() else work.exception()
    if fault is None:
        return None
    if isinstance(fault, CapReached):
        return errors.AI_TOKEN_LIMIT.text
    if isinstance(fault, ModelFailed):
        _log.warning("a model failed in an answer", reason=fault.reason, error=str(fault))
        return _FAILED[fault.reason]
    if isinstance(fault, StorageUnavailable):
        return errors.UNAVAILABLE.text
    _log.error("a fault of ours in an answer", exc_info=fault)
    return errors.INTERNAL.text


def _tell_fault(task: asyncio.Task[None]) -> None:
    """Nobody waits for the task itself."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        _log.error("a fault of ours beside an answer", exc_info=fault)


def _bounded(facts: str) -> str:
    return facts if len(facts) <= _KEPT_FACTS_CHARS else facts[:_KEPT_FACTS_CHARS] + "…"


class Streams:
    """All streams of a process."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._running: set[Running] = set()

    async def begin(self, ticket: str, claims: Claims, question: str) -> Running:
        """Start answering, or refuse: the ticket's holder may no longer ask, or is being answered already."""
        if len(self._running) >= _AT_ONCE:
            raise errors.UNAVAILABLE({"Retry-After": "5"})
        hashed = sha256_hex(ticket)
        async with self._kit.turns, self._kit.database.write() as tx:
            until_ms = clock.now_ms() + LEASE_MS
            asked = await self._admit(tx, claims, question)
            if not await store.take_ticket(tx, asked.scope, asked.project_id, hashed, until_ms):
                holder = await store.find_holder(tx, asked.scope, hashed)
                rest_ms = holder["expires_at_ms"] - clock.now_ms() if holder else 0
                seconds = max(1, -(-rest_ms // clock.SECOND_MS))
                raise errors.RATE_LIMITED({"Retry-After": str(seconds)}, seconds=seconds)
        running = Running(self._kit, asked, hashed, until_ms)
        self._running.add(running)
        running.task.add_done_callback(lambda _: self._running.discard(running))
        return running

    async def _admit(self, tx: Tx, claims: Claims, question: str) -> Asked:
        """Ask the database again: since the ticket was made, much may have gone. Then it is worth nothing."""
        scope = Scope(claims.tid)
        asker = await store.find_asker(tx, scope, claims.uid)
        project = await find_project(tx, asker[0], claims.pid) if asker else None
        chat = await chats.find_for_answer(tx, scope, claims.sid, claims.pid, claims.uid)
        if asker is None or project is None or project["status"] == "archived" or chat is None:
            raise errors.INVALID_TICKET()
        plan = self._kit.plans.get(asker[1])
        return Asked(scope, claims.pid, claims.sid, question, plan, project["ai_tier"])

    async def close(self) -> None:
        """End all, and wait until what they have said is kept."""
        await asyncio.gather(*(running.stop() for running in self._running))
