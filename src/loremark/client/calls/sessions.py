"""Capture sessions and their enrichment."""

from __future__ import annotations

from loremark.client.call import Call, body, path
from loremark.wire.sessions import Enriching, EnrichmentJob, Retrying, SessionDetail, SessionEntry, SessionEvent


def list_sessions(
    project_id: str | None = None,
    status: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
    *,
    detail: bool | None = None,
) -> Call[list[SessionEntry]]:
    asked = path("/api/v2/sessions", projectId=project_id, status=status, cursor=cursor, limit=limit, detail=detail)
    return Call(method="GET", path=asked, answer=list[SessionEntry])


def get_session(session_id: str) -> Call[SessionDetail]:
    return Call(method="GET", path=path("/api/v2/sessions/{}", session_id), answer=SessionDetail)


def update_session(session_id: str, status: str) -> Call[SessionDetail]:
    return Call(
        method="PATCH",
        path=path("/api/v2/sessions/{}", session_id),
        answer=SessionDetail,
        body=body(status=status),
        repeatable=True,
    )


def list_events(session_id: str, cursor: str | None = None, limit: int | None = None) -> Call[list[SessionEvent]]:
    asked = path("/api/v2/sessions/{}/events", session_id, cursor=cursor, limit=limit)
    return Call(method="GET", path=asked, answer=list[SessionEvent])


def list_jobs(session_id: str) -> Call[list[EnrichmentJob]]:
    return Call(method="GET", path=path("/api/v2/sessions/{}/jobs", session_id), answer=list[EnrichmentJob])


def enrich(session_id: str) -> Call[Enriching]:
    return Call(method="POST", path=path("/api/v2/sessions/{}/enrich", session_id), answer=Enriching)


def retry(session_id: str) -> Call[Retrying]:
    return Call(method="POST", path=path("/api/v2/sessions/{}/retry", session_id), answer=Retrying)
