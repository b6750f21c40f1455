"""Questions: a ticket first, then the worker that answers."""

from __future__ import annotations

import base64
import binascii

import msgspec

from loremark.client.call import Call, body
from loremark.wire.answers import Ticket

_MOST_CHARS = 4_000


class _Claims(msgspec.Struct):
    sid: str


def open_ask(project_id: str, question: str, chat_session_id: str | None = None) -> Call[Ticket]:
    sent = body(projectId=project_id, question=question, chatSessionId=chat_session_id)
    return Call(method="POST", path="/api/v2/ask", answer=Ticket, body=sent)


def answer_at(ticket: Ticket, question: str) -> Call[bytes]:
    """The call of the worker, whose address the ticket tells; it needs no key."""
    return Call(method="POST", path="/ask", answer=bytes, body=body(ticket=ticket.ticket, question=question))


def chat_of(ticket: Ticket) -> str | None:
    """The conversation that a ticket belongs to: it says so itself."""
    payload = ticket.ticket[:_MOST_CHARS].partition(".")[0]
    try:
        claims = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        return msgspec.json.decode(claims, type=_Claims).sid
    except (binascii.Error, ValueError, msgspec.DecodeError, RecursionError):
        return None
