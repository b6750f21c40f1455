"""Capture sessions with their events and enrichment jobs."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from loremark.wire.events import IngestEvent
from loremark.wire.shapes import AnyId, Shape

SessionStatus = Literal["active", "completed", "enriching", "failed"]
JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
StageStatus = Literal["pending", "running", "completed", "failed", "skipped"]


class NewSession(Shape):
    project_id: AnyId


class SessionUpdate(Shape):
    status: SessionStatus | UnsetType = UNSET


class SessionEntry(Shape):
    """A session in a list. The optional fields are present with ``detail=true``."""

    id: str
    project_id: str
    status: SessionStatus
    event_count: int
    source: str
    created_at: str
    completed_at: str | None
    items_extracted: int | UnsetType = UNSET
    enrichment_model: str | UnsetType = UNSET


class SessionDetail(Shape):
    """A single session."""

    id: str
    project_id: str
    status: SessionStatus
    event_count: int
    items_extracted: int
    source: str
    created_at: str
    completed_at: str | None
    enrichment_model: str


class SessionEvent(Shape):
    id: str
    event: str
    payload: dict[str, Any]
    created_at: str


class PipelineStage(Shape):
    stage: str
    status: StageStatus
    duration: int | None


class EnrichmentJob(Shape):
    id: str
    status: JobStatus
    pipeline: list[PipelineStage]
    items_extracted: int
    created_at: str
    completed_at: str | None
    warning: str | UnsetType = UNSET


class EnrichmentStarted(Shape):
    """The queued enrichment job."""

    job_id: str
    status: JobStatus
    pipeline: list[str]


class RetryStarted(Shape):
    """The new job that replaces the failed one."""

    job_id: str
    status: JobStatus
    retried_from: str


class NewEvent(Shape):
    """An event sent with an API key or login instead of a signature."""

    project_id: AnyId
    event: IngestEvent
    payload: dict[str, Any]


class EventAccepted(Shape, omit_defaults=True):
    """The stored event and its session. ``duplicate`` is true if the event was already stored."""

    event_id: str
    session_id: str
    duplicate: bool = False
