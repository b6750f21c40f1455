"""The brain: approved memory as one document."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta

from loremark.base import limits
from loremark.wire.shapes import END, Shape

BrainFormat = Literal["json", "markdown"]
# The range is refused in words of its own; the description of the interface shall know it all the same.
TokenBudget = Annotated[
    int, Meta(extra_json_schema={"minimum": limits.BRAIN_TOKENS_MIN, "maximum": limits.BRAIN_TOKENS_MAX})
]
# Paths with commas between them.
FileList = Annotated[str, Meta(min_length=1, pattern=r"^[^\x00-\x1f\x7f]+$(?!\n)")]


# ISO 8601 with its offset from UTC.
PastMoment = Annotated[datetime, Meta(tz=True)]
MomentsLimit = Annotated[int, Meta(ge=1, le=limits.BRAIN_MOMENTS_PAGE)]
MomentCursor = Annotated[str, Meta(pattern=rf"^[1-9][0-9]{{0,14}}{END}")]
PlanState = Literal["whole", "shortened", "left_out"]


class BrainOmitted(Shape):
    """What did not fit."""

    count: int
    by_layer: dict[str, int]


class BrainMetadata(Shape):
    """What is told of the document."""

    item_count: int
    token_estimate: int
    assembled_at: str
    schema_keys: list[str]
    omitted: BrainOmitted
    budget: int


class Brain(Shape):
    """The document."""

    markdown: str
    metadata: BrainMetadata


class PlanLayer(Shape):
    """A layer of a planned document. Layer 0 is what is no memory: the head, and the note on what was left out."""

    layer: Literal[0, 1, 2, 3]
    tokens: int
    taken: int
    shortened: int
    left_out: int


class PlanEntry(Shape):
    """A memory and what becomes of it. Tokens: what it costs here; left out, about what it would cost whole."""

    id: str
    kind: Literal["item", "context"]
    title: str
    type: str
    schema_key: str
    layer: Literal[1, 2, 3]
    tokens: int
    state: PlanState
    flags: list[str]


class BrainPlan(Shape):
    """Which memories enter the document of a budget, and which fall out."""

    budget: int
    token_estimate: int
    layers: list[PlanLayer]
    entries: list[PlanEntry]
    more: int


class BrainMoment(Shape):
    """Changes of approved memory that came close together: what had become of how much at their end."""

    at: str
    added: int
    changed: int
    removed: int
    titles: list[str]
