"""The brain: approved memory as one document."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from cairn.base import limits
from cairn.wire.shapes import ANY_TEXT, Shape

BrainFormat = Literal["json", "markdown"]
# The range is refused in words of its own; the description of the interface shall know it all the same.
TokenBudget = Annotated[
    int, Meta(extra_json_schema={"minimum": limits.BRAIN_TOKENS_MIN, "maximum": limits.BRAIN_TOKENS_MAX})
]
BranchName = Annotated[str, Meta(min_length=1, pattern=ANY_TEXT)]
# Paths with commas between them.
FileList = Annotated[str, Meta(min_length=1, pattern=r"^[^\x00-\x1f\x7f]+$(?!\n)")]


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
