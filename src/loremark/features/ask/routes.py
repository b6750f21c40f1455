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
from loremark.features.ask.streams import Running, Streams
from loremark.features.ask.tickets import Tickets
from loremark.web import sse
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, TICKET, needs
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from loremark.web.validation import explain, read_json
from loremark.wire.answers import AnswerToken, NewQuestion, Ticket, TicketQuestion

routes = Routes("ask", unauthorized=errors.UNAUTHORIZED)
worker_routes = Routes("worker", unauthorized=errors.INVALID_TICKET)

T = TypeVar("T")

_LIMIT = "ask"
_MOST_S = limits.ANSWER_STREAM_MS / clock.SECOND_MS + 60
"""For whoever reads so slowly that the answer has long been made."""


@dataclass(frozen=True)
class Pace:
    """How often a stream shows that it is alive."""

    seconds: float


@routes.add(
    "POST",
    "/api/v2/ask",
    needs(KEY | LOGIN),
    name="ticket",
    tx=TxMode.NONE,
    reads=NewQuestion,
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
    """A ticket with which the worker answers a question, and the worker's address."""
    tickets = call.use(Tickets)
    tickets.require_worker()
    given = await _read(call)
    if given.project_id in (None, ""):
        raise errors.PROJECT_ID_REQUIRED()
    asked = _shaped(given, NewQuestion)
    await call.spend(_LIMIT, call.caller.team_id)
    async with call.write() as tx:
        made = await issue_ticket(tx, call.caller, tickets, call.use(Plans), asked)
    return Ticket(ticket=made, worker_url=tickets.worker_url)


@worker_routes.add(
    "POST",
    "/worker/ask",
    needs(TICKET),
    name="ask",
    tx=TxMode.NONE,
    reads=TicketQuestion,
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
    """The answer to a question, as server-sent events: pieces of it, and last the whole with its sources."""
    try:
        given = await _read(call)
    except Refusal as refusal:
        raise errors.INVALID_JSON() if refusal.status == errors.INVALID_JSON.status else refusal from None
    shown = given.ticket if isinstance(given.ticket, str) else ""
    asked = _shaped(msgspec.structs.replace(given, ticket=shown), TicketQuestion)
    claims = call.use(Tickets).read(shown)
    await call.spend(_LIMIT, f"{claims.tid}/answers")  # a ticket was paid for once, and may be used again
    running = await call.use(Streams).begin(shown, claims, asked.question)
    return Stream(_pieces(running, call.use(Pace).seconds), most_s=_MOST_S)


class _Given(msgspec.Struct, rename="camel"):
    """A request before it is judged: the contract has words of its own for what is missing."""

    project_id: Any = None
    question: Any = None
    chat_session_id: Any = None
    ticket: Any = None


async def _read(call: Call) -> _Given:
    raw = await call.request.read_body()
    given: _Given = read_json(call.request, raw, _Given, optional=False)
    return given


def _shaped(given: _Given, kind: type[T]) -> T:
    """The request as a shape. A question that is none is told in the contract's words."""
    question = given.question
    if not isinstance(question, str) or len(question) < limits.QUESTION_MIN_CHARS or not question.strip():
        raise errors.QUESTION_REQUIRED()
    try:
        return msgspec.convert(msgspec.to_builtins(given), kind)
    except msgspec.ValidationError as error:
        raise errors.invalid(explain(error, kind)) from error


async def _pieces(running: Running, pause_s: float) -> AsyncGenerator[bytes, None]:
    """What the reader is sent, with a sign of life from time to time. When they leave, the work ends."""
    buffer = running.buffer
    ended = False
    sign_at = clock.monotonic() + pause_s
    try:
        while not ended:
            news = await buffer.wait(max(0.0, sign_at - clock.monotonic()))
            if clock.monotonic() >= sign_at:
                sign_at = clock.monotonic() + pause_s
                yield sse.KEEP_ALIVE
            if not news:
                continue
            ended = buffer.closed
            text = buffer.take()
            if text:
                yield sse.event(AnswerToken(content=text))
        if buffer.end is not None:
            yield sse.event(buffer.end)
    finally:
        await running.stop()
