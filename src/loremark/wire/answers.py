"""Questions, and answers with their sources."""

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
    """An item the answer may draw on; ``used`` is true if the answer cites it.

    If no item covers the question, it may be something said in a session or a commit message: ``item_id`` is then the
    turn's. For these, and for items that nobody has reviewed, ``reviewed`` is false and ``session_id`` names the
    session they come from. Both are absent for reviewed items.
    """

    item_id: str
    type: ItemType
    title: str
    facts: str
    schema_key: str
    similarity: float
    confidence: float
    files: list[str]
    used: bool
    session_id: str | UnsetType = UNSET
    reviewed: bool | UnsetType = UNSET


class AskRequest(Shape):
    """A request for a ticket. Without a chat session, a new one is created."""

    project_id: AnyId
    question: Question
    chat_session_id: AnyId | None = None


class Ticket(Shape):
    """A ticket for the answer worker, valid for one minute."""

    ticket: str
    worker_url: str


class WorkerAskRequest(Shape):
    """A question for the answer worker."""

    ticket: str
    question: Question


class TokenUsage(Shape):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class EmbedUsage(Shape):
    total_tokens: int = 0


class AnswerToken(Shape, kw_only=True):
    """A chunk of the answer, sent as it is generated."""

    type: Literal["token"] = "token"
    content: str


class AnswerDone(Shape, kw_only=True):
    """The last event of a stream: the whole answer, or the error that prevented it."""

    type: Literal["done"] = "done"
    answer: str | UnsetType = UNSET
    sources: list[Source]
    avg_similarity: float
    usage: TokenUsage
    model: str
    embed_usage: EmbedUsage
    error: str | UnsetType = UNSET
