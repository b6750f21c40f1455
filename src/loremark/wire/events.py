"""The names of events: captured, streamed, and told to webhooks."""

from __future__ import annotations

import enum
from typing import Literal

from loremark.wire.shapes import Shape


class IngestEvent(enum.StrEnum):
    """What a tool may send to the ingest endpoint."""

    SESSION_SAVE = "session_save"
    SCAN_RESULT = "scan_result"
    GIT_DIGEST = "git_digest"
    CONTEXT_UPDATE = "context_update"
    MEMORY_OPERATION = "memory_operation"


class WebhookEvent(enum.StrEnum):
    """What a webhook may be told."""

    SESSION_CREATED = "session.created"
    SESSION_COMPLETED = "session.completed"
    ENRICHMENT_STARTED = "enrichment.started"
    ENRICHMENT_COMPLETED = "enrichment.completed"
    ENRICHMENT_FAILED = "enrichment.failed"
    ITEM_CREATED = "item.created"
    ITEM_UPDATED = "item.updated"
    ITEM_DEPRECATED = "item.deprecated"
    BRAIN_UPDATED = "brain.updated"
    MEMBER_ADDED = "member.added"
    MEMBER_REMOVED = "member.removed"


class LiveNotice(Shape):
    """Something the caller may see has changed; fetch it anew."""

    type: Literal["ready", "changed"]
    what: str = ""
    project_id: str | None = None
