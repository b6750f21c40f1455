"""A whole project as lines of JSON: what each kind of line holds, and what an import answers.

Every line says in ``loremark`` what it is. Records name each other by refs, which mean the same in every project; a
line with a field that is not known here is refused, because leaving it out would lose something unnoticed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from loremark.base import limits
from loremark.wire.contexts import ContextName, ContextType
from loremark.wire.contexts import ContextState as ContextStatus
from loremark.wire.events import IngestEvent
from loremark.wire.items import Content, FilePath, Files, ItemFlag, ItemStatus, ItemType, SchemaKey, Title
from loremark.wire.projects import AiTier, RepoUrl, Threshold
from loremark.wire.shapes import ANY_TEXT, VISIBLE_TEXT, Description, ProjectName, Shape

VERSION = 1
CHUNK_BYTES = limits.BODY_BYTES
"""So much is sent at once."""
CHUNK_MOST_BYTES = limits.BODY_BYTES + 256 * 1024
"""So much is taken: an event as large as one may be has its line's other fields beside it."""
CHUNK_LINES = 20_000
MEDIA_TYPE = "application/x-ndjson"

TAG_CHARS = 2 * limits.TAG_CHARS
"""Those that are made from a name are a little longer than those that people may write."""
QUOTE_CHARS = 2_000
REASON_CHARS = 2_000
MODEL_CHARS = 200
REVISION_CHARS = 100
QUOTES = 20
"""As many as an item keeps."""
_MOST_REFS = 2_000
_MOST_NUMBER = 2**31 - 1

Ref = Annotated[str, Meta(max_length=100, pattern=ANY_TEXT)]
Line = Annotated[str, Meta(max_length=MODEL_CHARS, pattern=ANY_TEXT)]
Tag = Annotated[str, Meta(min_length=1, max_length=TAG_CHARS, pattern=VISIBLE_TEXT)]
Refs = Annotated[list[Ref], Meta(max_length=_MOST_REFS)]
TimeMs = Annotated[int, Meta(ge=0, le=2**47)]
Number = Annotated[int, Meta(ge=0, le=_MOST_NUMBER)]
Version = Annotated[int, Meta(ge=1, le=_MOST_NUMBER)]
Confidence = Annotated[float, Meta(ge=0, le=1)]
Tier = Literal[1, 2, 3]


class _Exact(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A part of a line."""


class _Line(_Exact, frozen=True, kw_only=True, tag_field="loremark"):
    """A line."""


class ProjectSettings(_Exact, frozen=True, kw_only=True):
    """What is the memory's, not its keepers': no members, no keys, no secrets, no tokens."""

    name: ProjectName
    description: Description
    ai_tier: AiTier | None
    deep_enrich_enabled: bool
    auto_approve_threshold: Threshold
    repo_url: RepoUrl | None


class HeaderLine(_Line, frozen=True, kw_only=True, tag="export"):
    version: int
    project: ProjectSettings


class AnyHeader(Struct, frozen=True):
    """Enough of a header to tell whether the rest can be read."""

    loremark: str = ""
    version: Any = None


class ContextSnapshot(_Exact, frozen=True, kw_only=True):
    """A context at one of its versions."""

    name: ContextName
    description: Description
    content: Content
    schema_key: SchemaKey
    state: ContextStatus
    tier: Tier
    context_type: ContextType


class ContextLine(ContextSnapshot, _Line, frozen=True, kw_only=True, tag="context"):
    ref: Ref
    parent: SchemaKey | None
    """The schema key of the context above it; None where that is the team's, or there is none."""
    version: Version
    created_at_ms: TimeMs
    updated_at_ms: TimeMs


class SessionLine(_Line, frozen=True, kw_only=True, tag="session"):
    """Work that is under way or has failed is this server's own: such a session is told as completed."""

    ref: Ref
    source: Annotated[str, Meta(min_length=1, max_length=limits.SOURCE_CHARS, pattern=ANY_TEXT)]
    status: Literal["active", "completed"]
    items_extracted: Number
    enrichment_model: Line | None
    last_event_ms: TimeMs
    created_at_ms: TimeMs
    completed_at_ms: TimeMs | None


class EventLine(_Line, frozen=True, kw_only=True, tag="event"):
    ref: Ref
    session: Ref
    event: IngestEvent
    payload: dict[str, Any]
    enriched: bool
    created_at_ms: TimeMs


class QuotedEvent(_Exact, frozen=True, kw_only=True):
    event: Ref
    quote: Annotated[str, Meta(max_length=QUOTE_CHARS, pattern=ANY_TEXT)]


class ItemSnapshot(_Exact, frozen=True, kw_only=True):
    """An item at one of its versions."""

    title: Title
    content: Content
    type: ItemType
    schema_key: SchemaKey
    status: ItemStatus
    confidence: Confidence
    files: Files
    tags: Annotated[list[Tag], Meta(max_length=limits.ITEM_TAGS)]
    evidence: Annotated[list[QuotedEvent], Meta(max_length=QUOTES)]
    flags: Annotated[list[ItemFlag], Meta(max_length=20)]
    tier: Tier
    branch: Annotated[str, Meta(max_length=limits.BRANCH_CHARS, pattern=ANY_TEXT)] | None
    merged_from: Refs
    superseded_by: Ref | None


class ItemConflict(_Exact, frozen=True, kw_only=True):
    item: Ref
    reason: Annotated[str, Meta(max_length=REASON_CHARS, pattern=ANY_TEXT)]
    found_at_ms: TimeMs


class ItemLine(ItemSnapshot, _Line, frozen=True, kw_only=True, tag="item"):
    ref: Ref
    session: Ref | None
    source_ref: Line | None
    merged_at_ms: TimeMs | None
    fingerprints: Annotated[dict[FilePath, Line], Meta(max_length=limits.ITEM_FILES)]
    """By path, where one is known."""
    conflicts: Annotated[list[ItemConflict], Meta(max_length=_MOST_REFS)]
    version: Version
    created_at_ms: TimeMs
    updated_at_ms: TimeMs


class RevisionLine(_Line, frozen=True, kw_only=True, tag="revision"):
    """An earlier or the present state of an item or a context; whose doing it was is not told."""

    of: Literal["item", "context"]
    ref: Ref
    version: Version
    change: Annotated[str, Meta(min_length=1, max_length=REVISION_CHARS, pattern=ANY_TEXT)]
    snapshot: dict[str, Any]
    created_at_ms: TimeMs


class EndLine(_Line, frozen=True, kw_only=True, tag="end"):
    """Nothing is missing: so many lines of each kind came before."""

    contexts: Number
    sessions: Number
    events: Number
    items: Number
    revisions: Number


AnyLine = HeaderLine | ContextLine | SessionLine | EventLine | ItemLine | RevisionLine | EndLine


class LineCounts(Shape):
    contexts: int = 0
    sessions: int = 0
    events: int = 0
    items: int = 0
    revisions: int = 0


class Imported(Shape):
    """What an import (or a rehearsal of one) has done with a chunk of lines."""

    dry_run: bool
    lines: int
    created: LineCounts
    skipped: LineCounts
    """Those that were there already."""
    redacted: int
    """Secrets that were taken out."""
