"""Search in a project's memory."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from loremark.wire.answers import Source
from loremark.wire.shapes import Shape


class ScoreComponent(Shape):
    """One signal's contribution to a result's score."""

    signal: str
    description: str
    score: float


class SearchResult(Source, kw_only=True):
    """A source with its score; ``explanation`` is present with ``explain=true``."""

    score: float
    explanation: list[ScoreComponent] | UnsetType = UNSET


class TurnResult(Shape):
    """Something said in a session, or a commit message, that matches. It has not been reviewed."""

    turn_id: str
    kind: Literal["session", "commit"]
    session_id: str
    event_id: str
    excerpt: str
    agent: str
    branch: str | None
    commit_sha: str | None
    said_at: str
    files: list[str]
    similarity: float
    score: float


class SearchResults(Shape):
    """Results, best first. ``turns`` is present with ``in=sessions`` and ``in=all``."""

    results: list[SearchResult]
    query: str
    took_ms: float
    turns: list[TurnResult] | UnsetType = UNSET
