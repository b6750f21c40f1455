"""Memory items."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.history import Version
from loremark.wire.shapes import ANY_TEXT, END, VISIBLE_TEXT, BranchName, Shape

ItemType = Literal["architecture", "convention", "implementation", "decision", "bug", "todo", "codemap"]
ItemStatus = Literal["approved", "draft", "deprecated"]
ItemFlag = Literal["low_confidence", "conflict", "stale", "quality", "redacted"]

SECTION_SEPARATOR = " › "
"""Separates the headings in the title of an item imported from a section of a document."""

Title = Annotated[str, Meta(min_length=1, max_length=limits.ITEM_TITLE_CHARS, pattern=VISIBLE_TEXT)]
Content = Annotated[str, Meta(max_length=limits.CONTENT_CHARS, pattern=ANY_TEXT)]
SchemaKey = Annotated[str, Meta(max_length=limits.SCHEMA_KEY_CHARS, pattern=rf"^[a-z0-9-]+(?:/[a-z0-9-]+){{0,7}}{END}")]
# A whole number. It is a float because JSON does not distinguish 1 from 1.0.
Tier = Annotated[float, Meta(ge=1, le=3, multiple_of=1)]
FilePath = Annotated[str, Meta(min_length=1, max_length=limits.FILE_PATH_CHARS, pattern=rf"^[^\x00-\x1f\x7f]+{END}")]
Files = Annotated[list[FilePath], Meta(max_length=limits.ITEM_FILES)]
Tag = Annotated[str, Meta(min_length=1, max_length=limits.TAG_CHARS, pattern=VISIBLE_TEXT)]
Tags = Annotated[list[Tag], Meta(max_length=limits.ITEM_TAGS)]


class Evidence(Shape):
    """An event that supports an item, and the quote from it.

    ``commit_sha``: the commit whose message is quoted, or null.
    """

    event_id: str
    quote: str
    commit_sha: str | None


class ItemUpdate(Shape):
    """Omitted fields keep their values.

    ``version``: the one whose text the sender has seen. If the title or content differs now, nothing changes (412).
    """

    title: Title | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    type: ItemType | UnsetType = UNSET
    status: ItemStatus | UnsetType = UNSET
    schema_key: SchemaKey | UnsetType = UNSET
    tier: Tier | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    files: Files | UnsetType = UNSET
    branch: BranchName | UnsetType | None = UNSET
    """Null if the item applies to all branches."""
    version: Version | UnsetType = UNSET

    @property
    def only_deprecates(self) -> bool:
        return self == ItemUpdate(status="deprecated", version=self.version)


class MemoryItem(Shape):
    """A piece of project knowledge and the evidence for it."""

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
    reviewed: bool
    """Whether a person has approved the text."""


class EvidenceDetail(Shape):
    """A quote with the event it comes from and the surrounding text.

    ``found`` is false if the event was deleted or no longer contains the quote.
    """

    event_id: str
    quote: str
    commit_sha: str | None
    event: str | None
    session_id: str | None
    created_at: str | None
    source: str | None
    excerpt: str
    found: bool


class ConflictingItem(Shape):
    """An item that contradicts this one."""

    item: MemoryItem
    reason: str | None


class SimilarItem(Shape):
    """An item about much the same topic."""

    item: MemoryItem
    similarity: float


class RelatedItems(Shape):
    """Other items connected to this one."""

    conflicts: list[ConflictingItem]
    similar: list[SimilarItem]
    same_files: list[MemoryItem]
    same_session: list[MemoryItem]
