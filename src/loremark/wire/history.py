"""The history of an item or a context."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from loremark.wire.shapes import Shape

Version = Annotated[float, Meta(ge=1, le=2**53 - 1, multiple_of=1)]


class Revision(Shape):
    """The full state as of one version, and the change that led to it."""

    version: int
    change: str
    actor_id: str | None
    created_at: str
    snapshot: dict[str, Any]


class RevertRequest(Shape):
    """The version to restore."""

    version: Version
