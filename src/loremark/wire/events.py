"""Event names: ingested, sent to webhooks, and streamed to open pages."""

from __future__ import annotations

import enum
from typing import Literal

from loremark.wire.shapes import Shape


class IngestEvent(enum.StrEnum):
    """Event types accepted by the ingest endpoint."""

    SESSION_SAVE = "session_save"
    SCAN_RESULT = "scan_result"
    GIT_DIGEST = "git_digest"
    CONTEXT_UPDATE = "context_update"
    MEMORY_OPERATION = "memory_operation"


class WebhookEvent(enum.StrEnum):
    """Event types a webhook can subscribe to."""

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


class LiveEvent(Shape):
    """A resource visible to the caller has changed and should be fetched again."""

    type: Literal["ready", "changed"]
    resource: str = ""
    project_id: str | None = None
