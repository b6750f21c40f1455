"""Memory items."""

from __future__ import annotations

from typing import Literal

from cairn.wire.shapes import Shape

ItemType = Literal["architecture", "convention", "implementation", "decision", "bug", "todo", "codemap"]
ItemStatus = Literal["approved", "draft", "deprecated"]
ItemFlag = Literal["low_confidence", "conflict", "stale", "quality", "redacted"]


class Evidence(Shape):
    """Where an item comes from: an event, and its own words."""

    event_id: str
    quote: str
