"""POST /api/v2/ask for a ticket, and POST /worker/ask for the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from loremark.base import clock, errors, limits
from loremark.base.errors import Refusal
from loremark.base.plans import Plans
from loremark.features.ask.service import issue_ticket
from loremark.features.ask.streams import AnswerStream, AnswerStreams
from loremark.features.ask.tickets import Tickets
from loremark.web import sse
from loremark.web.authentication import KEY, LOGIN, TICKET, needs
from loremark.web.call import Call
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from loremark.web.validation import explain, read_json
from loremark.wire.answers import AnswerToken, AskRequest, Ticket, WorkerAskRequest

routes = Routes("ask", unauthorized=errors.UNAUTHORIZED)
worker_routes = Routes("worker", unauthorized=errors.INVALID_TICKET)

T = TypeVar("T")

_LIMIT = "ask"
_MAX_STREAM_S = limits.ANSWER_STREAM_MS / clock.SECOND_MS + 60
"""Longest duration of a stream, including extra time for slow readers."""


@dataclass(frozen=True)
class KeepAlive:
    """Interval between keep-alive comments."""

    seconds: float


@routes.add(
    "POST",
    "/api/v2/ask",
    needs(KEY | LOGIN, "read"),
    name="ticket",
    tx=TxMode.NONE,
    raw_body=AskRequest,
    errors=(
        errors.WORKER_NOT_CONFIGURED,
        errors.PROJECT_ID_REQUIRED,
        errors.QUESTION_REQUIRED,
        errors.PROJECT_NOT_FOUND,
        errors.PROJECT_ARCHIVED,
        errors.SESSION_NOT_FOUND,
        errors.AI_TOKEN_LIMIT,
        errors.BODY_TOO_LARGE,
        errors.UNSUPPORTED_MEDIA_TYPE,
    ),
)
async def ticket(call: Call) -> Ticket:
    """Get a ticket for a question, and the address of the worker that answers it."""
    tickets = call.use(Tickets)
    tickets.require_worker()
    given = await _read(call)
    if given.project_id in (None, ""):
        raise errors.PROJECT_ID_REQUIRED()
    request = _validate(given, AskRequest)
    await call.check_rate_limit(_LIMIT, call.caller.team_id)
    async with call.write() as tx:
        issued = await issue_ticket(tx, call.caller, tickets, call.use(Plans), request)
    return Ticket(ticket=issued, worker_url=tickets.worker_url)


@worker_routes.add(
    "POST",
    "/worker/ask",
    needs(TICKET),
    name="ask",
    tx=TxMode.NONE,
    raw_body=WorkerAskRequest,
    content_type="text/event-stream",
    errors=(
        errors.INVALID_JSON,
        errors.QUESTION_REQUIRED,
        errors.INVALID_TICKET,
        errors.BODY_TOO_LARGE,
        errors.UNSUPPORTED_MEDIA_TYPE,
    ),
)
async def ask(call: Call) -> Stream:
    """Stream the answer as server-sent events: text chunks, then the full answer with its sources."""
    try:
        given = await _read(call)
    except Refusal as refusal:
        raise errors.INVALID_JSON() if refusal.status == errors.INVALID_JSON.status else refusal from None
    ticket_text = given.ticket if isinstance(given.ticket, str) else ""
    request = _validate(msgspec.structs.replace(given, ticket=ticket_text), WorkerAskRequest)
    claims = call.use(Tickets).read(ticket_text)
    # A ticket can be used more than once, so answers have their own limit.
    await call.check_rate_limit(_LIMIT, f"{claims.tid}/answers")
    running = await call.use(AnswerStreams).begin(ticket_text, claims, request.question)
    return Stream(_pieces(running, call.use(KeepAlive).seconds), max_s=_MAX_STREAM_S)


class _RawRequest(msgspec.Struct, rename="camel"):
    """An unvalidated request, because the contract defines specific errors for missing fields."""

    project_id: Any = None
    question: Any = None
    chat_session_id: Any = None
    ticket: Any = None


async def _read(call: Call) -> _RawRequest:
    raw = await call.request.read_body()
    given: _RawRequest = read_json(call.request, raw, _RawRequest, optional=False)
    return given


def _validate(given: _RawRequest, kind: type[T]) -> T:
    """Validate the request, with the contract's error for a missing question."""
    question = given.question
    if not isinstance(question, str) or len(question) < limits.QUESTION_MIN_CHARS or not question.strip():
        raise errors.QUESTION_REQUIRED()
    try:
        return msgspec.convert(msgspec.to_builtins(given), kind)
    except msgspec.ValidationError as error:
        raise errors.invalid(explain(error, kind)) from error


async def _pieces(running: AnswerStream, interval_s: float) -> AsyncGenerator[bytes, None]:
    """Yield the stream with keep-alive comments. When the client disconnects, the work is stopped."""
    buffer = running.buffer
    ended = False
    keep_alive_at = clock.monotonic() + interval_s
    try:
        while not ended:
            changed = await buffer.wait(max(0.0, keep_alive_at - clock.monotonic()))
            if clock.monotonic() >= keep_alive_at:
                keep_alive_at = clock.monotonic() + interval_s
                yield sse.KEEP_ALIVE
            if not changed:
                continue
            ended = buffer.closed
            text = buffer.take()
            if text:
                yield sse.event(AnswerToken(content=text))
        if buffer.end is not None:
            yield sse.event(buffer.end)
    finally:
        await running.stop()
