"""The brain: a project's approved memory as one document."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from loremark.base import limits
from loremark.wire.shapes import END, Shape

BrainFormat = Literal["json", "markdown"]
# The range check has its own error text, so the bounds appear only in the schema.
TokenBudget = Annotated[
    int, Meta(extra_json_schema={"minimum": limits.BRAIN_TOKENS_MIN, "maximum": limits.BRAIN_TOKENS_MAX})
]
# Comma-separated paths.
FileList = Annotated[str, Meta(min_length=1, pattern=r"^[^\x00-\x1f\x7f]+$(?!\n)")]
HistoryLimit = Annotated[int, Meta(ge=1, le=limits.BRAIN_MOMENTS_PAGE)]
HistoryCursor = Annotated[str, Meta(pattern=rf"^[1-9][0-9]{{0,14}}{END}")]
PlanState = Literal["full", "shortened", "omitted"]


class BrainOmitted(Shape):
    """Entries left out because of the token budget."""

    count: int
    by_layer: dict[str, int]


class BrainMetadata(Shape):
    item_count: int
    token_estimate: int
    assembled_at: str
    schema_keys: list[str]
    omitted: BrainOmitted
    budget: int


class Brain(Shape):
    markdown: str
    metadata: BrainMetadata


class PlanLayer(Shape):
    """One layer of the document. Layer 0 is the header and the note about omitted entries."""

    layer: Literal[0, 1, 2, 3]
    tokens: int
    included: int
    shortened: int
    omitted: int


class PlanEntry(Shape):
    """One memory. ``tokens`` is its size in the document or, if omitted, an estimate of its full size."""

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
    """Which memories fit into the document for a given token budget, and which are omitted."""

    budget: int
    token_estimate: int
    layers: list[PlanLayer]
    entries: list[PlanEntry]
    remaining: int


class BrainHistoryEntry(Shape):
    """A burst of changes to approved memory, with the number of entries added, changed and removed."""

    at: str
    added: int
    changed: int
    removed: int
    titles: list[str]
