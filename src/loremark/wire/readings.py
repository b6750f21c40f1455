"""Readings: a developer's coding agent reads a session and says what is worth remembering."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.shapes import ANY_TEXT, VISIBLE_TEXT, Shape

ReaderName = Annotated[str, Meta(min_length=1, max_length=limits.SOURCE_CHARS, pattern=VISIBLE_TEXT)]
ModelName = Annotated[str, Meta(max_length=limits.MODEL_NAME_CHARS, pattern=ANY_TEXT)]
AnswerText = Annotated[str, Meta(max_length=limits.READING_ANSWER_CHARS, pattern=ANY_TEXT)]
Failure = Annotated[str, Meta(max_length=limits.FAILURE_CHARS, pattern=ANY_TEXT)]
PartNumber = Annotated[float, Meta(ge=1, le=limits.READING_PARTS_MAX, multiple_of=1)]
Limit = Annotated[float, Meta(ge=0, le=limits.READING_LIMIT_MAX, multiple_of=1)]
ReadingStatus = Literal["open", "answered", "applied", "failed", "nothing"]


class ReadingRequest(Shape):
    """Which agent will read the session. ``again``: read it from the start, also what was enriched before.

    ``calls_per_day``, ``tokens_per_day``: the person's own limits, over all their machines.
    """

    agent: ReaderName
    again: bool = False
    calls_per_day: Limit = limits.READING_CALLS_PER_DAY
    tokens_per_day: Limit = limits.READING_TOKENS_PER_DAY


class ReadingPart(Shape):
    """The prompt for one part of the session, and the JSON schema of its answer."""

    part: int
    parts: int
    system: str
    user: str
    answer_schema: dict[str, Any]
    token_estimate: int


class ReadingState(Shape):
    """The state of a reading. ``next`` is the part to answer, ``reason`` why there is nothing to read or it failed.

    ``calls_today``, ``tokens_today``: what the person's agents have used.
    """

    id: str | None
    status: ReadingStatus
    reason: str
    next: ReadingPart | None
    calls_today: int
    tokens_today: int
    job_id: str | UnsetType = UNSET


class ReadingAnswer(Shape):
    """The agent's answer to a part, or why it gave none. Tokens are counted if it does not report them."""

    part: PartNumber
    text: AnswerText = ""
    model: ModelName = ""
    prompt_tokens: Limit | None = None
    completion_tokens: Limit | None = None
    error: Failure = ""


class ReadingEntry(Shape):
    """A reading of a session: by which agent and model, what it cost and what came of it."""

    id: str
    status: ReadingStatus
    agent: str
    model: str
    prompt_version: str
    parts: int
    prompt_tokens: int
    completion_tokens: int
    error: str
    created_at: str
