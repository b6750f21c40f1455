"""Briefings: what project memory says about the task at hand."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from loremark.base import limits
from loremark.wire.shapes import ANY_TEXT, AnyId, BranchName, Shape

Prompt = Annotated[str, Meta(max_length=limits.PROMPT_CHARS, pattern=ANY_TEXT)]
BriefedFile = Annotated[str, Meta(min_length=1, max_length=limits.FILE_PATH_CHARS, pattern=ANY_TEXT)]
AgentName = Annotated[str, Meta(max_length=limits.SOURCE_CHARS, pattern=ANY_TEXT)]
BriefingBudget = Annotated[int, Meta(ge=limits.BRIEFING_TOKENS_MIN, le=limits.BRIEFING_TOKENS_MAX)]
PhraseHash = Annotated[int, Meta(ge=0, lt=2**32)]


class BriefingRequest(Shape):
    """What the agent is about to do. Without a prompt or files, the briefing is what applies to every task.

    ``session``: the agent's session, as its events name it in ``source``. ``known``: hashes of phrases that the agent
    reads anyway, such as the repository's instruction files; what they say is left out.
    """

    project_id: AnyId
    prompt: Prompt = ""
    files: Annotated[list[BriefedFile], Meta(max_length=limits.ITEM_FILES)] = field(default_factory=list)
    branch: BranchName | None = None
    session: AgentName = ""
    token_budget: BriefingBudget | None = None
    known: Annotated[list[PhraseHash], Meta(max_length=limits.BRIEFING_PHRASES)] = field(default_factory=list)


class BriefingEntry(Shape):
    """A memory item, session or commit in the briefing."""

    kind: Literal["item", "session", "commit"]
    id: str
    reviewed: bool


class Briefing(Shape):
    """The briefing as Markdown (empty if nothing in memory is relevant) and the entries it contains.

    ``id`` is set if the request named its session: what was served to it is recorded.
    """

    id: str | None
    markdown: str
    token_estimate: int
    entries: list[BriefingEntry]
