"""Search in a project's memory."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from loremark.wire.answers import Source
from loremark.wire.shapes import Shape


class ScoreComponent(Shape):
    """One signal's contribution to a result's score."""

    signal: str
    description: str
    score: float


class SearchResult(Source):
    """A source with its score; ``explanation`` is present with ``explain=true``."""

    score: float
    explanation: list[ScoreComponent] | UnsetType = UNSET


class SearchResults(Shape):
    """Results, best first."""

    results: list[SearchResult]
    query: str
    took_ms: float
