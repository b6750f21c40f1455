"""The history of an item or a context."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from loremark.wire.shapes import Shape


class Revision(Shape):
    """The whole state from one version on, and what led to it."""

    version: int
    change: str
    actor_id: str | None
    created_at: str
    snapshot: dict[str, Any]


class Reversion(Shape):
    """Which version to go back to."""

    version: Annotated[float, Meta(ge=1, le=2**53 - 1, multiple_of=1)]
