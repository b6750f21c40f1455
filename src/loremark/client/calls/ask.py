"""Questions: request a ticket, then stream the answer from the worker."""

from __future__ import annotations

import base64
import binascii

import msgspec

from loremark.client.call import Call, body
from loremark.wire.answers import Ticket

_MAX_CHARS = 4_000


class _Claims(msgspec.Struct):
    sid: str


def create_ask_ticket(project_id: str, question: str, chat_session_id: str | None = None) -> Call[Ticket]:
    sent = body(projectId=project_id, question=question, chatSessionId=chat_session_id)
    return Call(method="POST", path="/api/v2/ask", response_type=Ticket, body=sent)


def build_answer_call(ticket: Ticket, question: str) -> Call[bytes]:
    """The request to the answer worker at the ticket's URL; it needs no API key."""
    return Call(method="POST", path="/ask", response_type=bytes, body=body(ticket=ticket.ticket, question=question))


def chat_id_of(ticket: Ticket) -> str | None:
    """The chat session ID inside the ticket."""
    payload = ticket.ticket[:_MAX_CHARS].partition(".")[0]
    try:
        claims = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        return msgspec.json.decode(claims, type=_Claims).sid
    except (binascii.Error, ValueError, msgspec.DecodeError, RecursionError):
        return None
