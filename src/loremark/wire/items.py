"""Memory items."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.shapes import ANY_TEXT, END, VISIBLE_TEXT, BranchName, Shape

ItemType = Literal["architecture", "convention", "implementation", "decision", "bug", "todo", "codemap"]
ItemStatus = Literal["approved", "draft", "deprecated"]
ItemFlag = Literal["low_confidence", "conflict", "stale", "quality", "redacted"]

SECTION_MARK = " › "
"""Between the headings of a document, in the titles of what was taken from its sections."""

Title = Annotated[str, Meta(min_length=1, max_length=limits.ITEM_TITLE_CHARS, pattern=VISIBLE_TEXT)]
Content = Annotated[str, Meta(max_length=limits.CONTENT_CHARS, pattern=ANY_TEXT)]
SchemaKey = Annotated[str, Meta(max_length=limits.SCHEMA_KEY_CHARS, pattern=rf"^[a-z0-9-]+(?:/[a-z0-9-]+){{0,7}}{END}")]
# A whole number may be written 1.0: in JSON, and in its schema, that is the same.
Tier = Annotated[float, Meta(ge=1, le=3, multiple_of=1)]
FilePath = Annotated[str, Meta(min_length=1, max_length=limits.FILE_PATH_CHARS, pattern=rf"^[^\x00-\x1f\x7f]+{END}")]
Files = Annotated[list[FilePath], Meta(max_length=limits.ITEM_FILES)]
Tag = Annotated[str, Meta(min_length=1, max_length=limits.TAG_CHARS, pattern=VISIBLE_TEXT)]
Tags = Annotated[list[Tag], Meta(max_length=limits.ITEM_TAGS)]


class Evidence(Shape):
    """Where an item comes from: an event, and its own words."""

    event_id: str
    quote: str


class ItemChange(Shape):
    """Fields left out stay as they are."""

    title: Title | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    type: ItemType | UnsetType = UNSET
    status: ItemStatus | UnsetType = UNSET
    schema_key: SchemaKey | UnsetType = UNSET
    tier: Tier | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    files: Files | UnsetType = UNSET
    branch: BranchName | UnsetType | None = UNSET
    """Null: it holds everywhere, whatever became of the branch it was learnt on."""


class MemoryItem(Shape):
    """What is known, and how."""

    id: str
    title: str
    content: str
    type: ItemType
    schema_key: str
    status: ItemStatus
    confidence: float
    source_ref: str | None
    files: list[str]
    created_at: str
    updated_at: str
    project_id: str
    tier: int
    tags: list[str]
    evidence: list[Evidence]
    flags: list[ItemFlag]
    superseded_by: str | None
    merged_from: list[str]
    branch: str | None
    version: int


class CitedEvent(Shape):
    """A quote of an item in its place: the event it comes from, and the text around it there.

    ``found`` is false where the event has gone or the quote does not stand in it (any more).
    """

    event_id: str
    quote: str
    event: str | None
    session_id: str | None
    created_at: str | None
    source: str | None
    excerpt: str
    found: bool


class Contradiction(Shape):
    """Another item that cannot be true together with this one, and why."""

    item: MemoryItem
    why: str | None


class NearItem(Shape):
    """Another item that speaks of much the same."""

    item: MemoryItem
    similarity: float


class RelatedItems(Shape):
    """What else is known around an item."""

    conflicts: list[Contradiction]
    near: list[NearItem]
    same_files: list[MemoryItem]
    same_session: list[MemoryItem]
