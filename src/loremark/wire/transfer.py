"""The export format: a whole project as JSON lines.

The ``loremark`` field of a line says what kind of record it is. Records refer to each other by refs, which are the same
in every project. A line with an unknown field is rejected, because dropping the field would silently lose data.
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
from loremark.wire.shapes import ANY_TEXT, END, VISIBLE_TEXT, Description, ProjectName, Shape

VERSION = 1
CHUNK_BYTES = limits.BODY_BYTES
"""Size of the chunks a client sends."""
MAX_CHUNK_BYTES = limits.BODY_BYTES + 256 * 1024
"""The most the server accepts: an event of the maximum size plus the other fields of its line."""
CHUNK_LINES = 20_000
MEDIA_TYPE = "application/x-ndjson"

TAG_CHARS = 2 * limits.TAG_CHARS
"""Generated tags can be longer than those users may enter."""
QUOTE_CHARS = 2_000
REASON_CHARS = 2_000
MODEL_CHARS = 200
REVISION_CHARS = 100
QUOTES = 20
"""The most an item keeps."""
_MAX_REFS = 2_000
_MAX_NUMBER = 2**31 - 1

Ref = Annotated[str, Meta(max_length=100, pattern=ANY_TEXT)]
Line = Annotated[str, Meta(max_length=MODEL_CHARS, pattern=ANY_TEXT)]
Tag = Annotated[str, Meta(min_length=1, max_length=TAG_CHARS, pattern=VISIBLE_TEXT)]
Refs = Annotated[list[Ref], Meta(max_length=_MAX_REFS)]
TimeMs = Annotated[int, Meta(ge=0, le=2**47)]
Number = Annotated[int, Meta(ge=0, le=_MAX_NUMBER)]
Version = Annotated[int, Meta(ge=1, le=_MAX_NUMBER)]
Confidence = Annotated[float, Meta(ge=0, le=1)]
Tier = Literal[1, 2, 3]


class _Strict(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A line or a part of one; unknown fields are rejected."""


class _Line(_Strict, frozen=True, kw_only=True, tag_field="loremark"):
    """One line of an export."""


class ProjectSettings(_Strict, frozen=True, kw_only=True):
    """Project settings; never members, keys, secrets or tokens."""

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
    """The part of a header needed to check the format version."""

    loremark: str = ""
    version: Any = None


class ContextSnapshot(_Strict, frozen=True, kw_only=True):
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
    parent_schema_key: SchemaKey | None
    """None if the parent is a team-wide context or there is no parent."""
    version: Version
    created_at_ms: TimeMs
    updated_at_ms: TimeMs


class SessionLine(_Line, frozen=True, kw_only=True, tag="session"):
    """Sessions that are enriching or failed are exported as completed, since their jobs stay on this server."""

    ref: Ref
    source: Annotated[str, Meta(min_length=1, max_length=limits.SOURCE_CHARS, pattern=ANY_TEXT)]
    status: Literal["active", "completed"]
    items_extracted: Number
    enrichment_model: Line | None
    last_event_at_ms: TimeMs
    created_at_ms: TimeMs
    completed_at_ms: TimeMs | None


class EventLine(_Line, frozen=True, kw_only=True, tag="event"):
    ref: Ref
    session: Ref
    event: IngestEvent
    payload: dict[str, Any]
    enriched: bool
    created_at_ms: TimeMs


class EvidenceQuote(_Strict, frozen=True, kw_only=True, omit_defaults=True):
    """``commit``: the hash of the quoted commit, if any."""

    event: Ref
    quote: Annotated[str, Meta(max_length=QUOTE_CHARS, pattern=ANY_TEXT)]
    commit: Annotated[str, Meta(max_length=64, pattern=rf"^[0-9A-Za-z._-]*{END}")] = ""


class ItemSnapshot(_Strict, frozen=True, kw_only=True):
    """An item at one of its versions."""

    title: Title
    content: Content
    type: ItemType
    schema_key: SchemaKey
    status: ItemStatus
    confidence: Confidence
    files: Files
    tags: Annotated[list[Tag], Meta(max_length=limits.ITEM_TAGS)]
    evidence: Annotated[list[EvidenceQuote], Meta(max_length=QUOTES)]
    flags: Annotated[list[ItemFlag], Meta(max_length=20)]
    tier: Tier
    branch: Annotated[str, Meta(max_length=limits.BRANCH_CHARS, pattern=ANY_TEXT)] | None
    merged_from: Refs
    superseded_by: Ref | None
    reviewed: bool = False


class ItemConflict(_Strict, frozen=True, kw_only=True):
    item: Ref
    reason: Annotated[str, Meta(max_length=REASON_CHARS, pattern=ANY_TEXT)]
    detected_at_ms: TimeMs


class ItemLine(ItemSnapshot, _Line, frozen=True, kw_only=True, tag="item"):
    ref: Ref
    session: Ref | None
    source_ref: Line | None
    merged_at_ms: TimeMs | None
    fingerprints: Annotated[dict[FilePath, Line], Meta(max_length=limits.ITEM_FILES)]
    """Known fingerprints by path."""
    conflicts: Annotated[list[ItemConflict], Meta(max_length=_MAX_REFS)]
    version: Version
    created_at_ms: TimeMs
    updated_at_ms: TimeMs


class RevisionLine(_Line, frozen=True, kw_only=True, tag="revision"):
    """One version of an item or context, without its author."""

    kind: Literal["item", "context"]
    ref: Ref
    version: Version
    change: Annotated[str, Meta(min_length=1, max_length=REVISION_CHARS, pattern=ANY_TEXT)]
    snapshot: dict[str, Any]
    created_at_ms: TimeMs


class EndLine(_Line, frozen=True, kw_only=True, tag="end"):
    """The last line: the number of lines of each kind. Without it the file is truncated."""

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


class ImportResult(Shape):
    """What an import did, or in a dry run would do, with a chunk of lines."""

    dry_run: bool
    lines: int
    created: LineCounts
    skipped: LineCounts
    """Records that already existed."""
    redacted: int
    """Number of secrets redacted."""
