"""Answers from the memory, and what they rest on."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.items import ItemType
from loremark.wire.shapes import VISIBLE_TEXT, AnyId, Shape

Question = Annotated[
    str, Meta(min_length=limits.QUESTION_MIN_CHARS, max_length=limits.QUESTION_MAX_CHARS, pattern=VISIBLE_TEXT)
]


class Source(Shape):
    """An item that was shown to whoever answered; ``used`` where the answer cites it."""

    item_id: str
    type: ItemType
    title: str
    facts: str
    schema_key: str
    similarity: float
    confidence: float
    files: list[str]
    used: bool


class NewQuestion(Shape):
    """What is asked for a ticket; without a chat session a new one is made."""

    project_id: AnyId
    question: Question
    chat_session_id: AnyId | None = None


class Ticket(Shape):
    """Shown to the worker within a minute."""

    ticket: str
    worker_url: str


class TicketQuestion(Shape):
    """What the worker is asked."""

    ticket: str
    question: Question


class TokenUsage(Shape):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class EmbedUsage(Shape):
    total_tokens: int = 0


class AnswerToken(Shape, kw_only=True):
    """A piece of the answer, as it is made."""

    type: Literal["token"] = "token"
    content: str


class AnswerDone(Shape, kw_only=True):
    """The last of a stream: an answer, or the error that kept it away."""

    type: Literal["done"] = "done"
    answer: str | UnsetType = UNSET
    sources: list[Source]
    avg_similarity: float
    usage: TokenUsage
    model: str
    embed_usage: EmbedUsage
    error: str | UnsetType = UNSET
