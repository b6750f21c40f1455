"""Capture sessions and their enrichment."""

from __future__ import annotations

from loremark.client.call import Call, body, path
from loremark.wire.sessions import (
    EnrichmentJob,
    EnrichmentStarted,
    RetryStarted,
    SessionDetail,
    SessionEntry,
    SessionEvent,
)


def list_sessions(
    project_id: str | None = None,
    status: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
    *,
    detail: bool | None = None,
) -> Call[list[SessionEntry]]:
    url = path("/api/v2/sessions", projectId=project_id, status=status, cursor=cursor, limit=limit, detail=detail)
    return Call(method="GET", path=url, response_type=list[SessionEntry])


def get_session(session_id: str) -> Call[SessionDetail]:
    return Call(method="GET", path=path("/api/v2/sessions/{}", session_id), response_type=SessionDetail)


def update_session(session_id: str, status: str) -> Call[SessionDetail]:
    return Call(
        method="PATCH",
        path=path("/api/v2/sessions/{}", session_id),
        response_type=SessionDetail,
        body=body(status=status),
        idempotent=True,
    )


def delete_session(session_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/v2/sessions/{}", session_id), response_type=type(None))


def list_events(session_id: str, cursor: str | None = None, limit: int | None = None) -> Call[list[SessionEvent]]:
    url = path("/api/v2/sessions/{}/events", session_id, cursor=cursor, limit=limit)
    return Call(method="GET", path=url, response_type=list[SessionEvent])


def list_jobs(session_id: str) -> Call[list[EnrichmentJob]]:
    return Call(method="GET", path=path("/api/v2/sessions/{}/jobs", session_id), response_type=list[EnrichmentJob])


def enrich(session_id: str) -> Call[EnrichmentStarted]:
    return Call(method="POST", path=path("/api/v2/sessions/{}/enrich", session_id), response_type=EnrichmentStarted)


def retry(session_id: str) -> Call[RetryStarted]:
    return Call(method="POST", path=path("/api/v2/sessions/{}/retry", session_id), response_type=RetryStarted)
