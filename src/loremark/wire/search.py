"""Searching the memory."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from loremark.wire.answers import Source
from loremark.wire.shapes import Shape


class Why(Shape):
    """One part of a result's score, and what it stands for."""

    leg: str
    told: str
    points: float


class SearchResult(Source):
    """A source with the score that orders the results, and, if asked for, how it came about."""

    score: float
    why: list[Why] | UnsetType = UNSET


class SearchResults(Shape):
    """Best first."""

    results: list[SearchResult]
    query: str
    took_ms: float
