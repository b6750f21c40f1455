"""Capture sessions, their events and enrichment jobs."""

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


class SessionChange(Shape):
    status: SessionStatus | UnsetType = UNSET


class SessionEntry(Shape):
    """A session in the list; what came of it is told where it is asked for (``detail=true``)."""

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
    """A session by itself."""

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


class Enriching(Shape):
    """The answer to a trigger: the job, which has only been promised."""

    job_id: str
    status: JobStatus
    pipeline: list[str]


class Retrying(Shape):
    """The answer to a retry: a new job in the place of the failed one."""

    job_id: str
    status: JobStatus
    retried_from: str


class NewEvent(Shape):
    """An event, told by a person."""

    project_id: AnyId
    event: IngestEvent
    payload: dict[str, Any]


class Ingested(Shape, omit_defaults=True):
    """The answer to an event: where it is kept."""

    event_id: str
    session_id: str
    duplicate: bool = False
