"""Projects, members and signing secrets."""

from __future__ import annotations

from typing import Any

from loremark.client.call import Call, body, changes, path
from loremark.wire.projects import (
    HmacSecret,
    ProjectCreated,
    ProjectDetail,
    ProjectEntry,
    ProjectMember,
    ProjectUpdated,
    RotatedSecret,
)


def list_projects(cursor: str | None = None, limit: int | None = None) -> Call[list[ProjectEntry]]:
    return Call(method="GET", path=path("/api/projects", cursor=cursor, limit=limit), response_type=list[ProjectEntry])


def get_project(project_id: str) -> Call[ProjectDetail]:
    return Call(method="GET", path=path("/api/projects/{}", project_id), response_type=ProjectDetail)


def create_project(name: str, description: str | None = None, visibility: str | None = None) -> Call[ProjectCreated]:
    sent = body(name=name, description=description, visibility=visibility)
    return Call(method="POST", path="/api/projects", response_type=ProjectCreated, body=sent)


def update_project(project_id: str, **changed: Any) -> Call[ProjectUpdated]:
    """``changed`` are API fields such as ``autoApproveThreshold``; None clears ``eventRetentionDays`` and its like."""
    return Call(
        method="PATCH", path=path("/api/projects/{}", project_id), response_type=ProjectUpdated, body=changes(**changed)
    )


def delete_project(project_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/projects/{}", project_id), response_type=type(None))


def list_members(project_id: str) -> Call[list[ProjectMember]]:
    return Call(method="GET", path=path("/api/projects/{}/members", project_id), response_type=list[ProjectMember])


def get_hmac_secret(project_id: str) -> Call[HmacSecret]:
    return Call(method="GET", path=path("/api/projects/{}/hmac-secret", project_id), response_type=HmacSecret)


def rotate_hmac_secret(project_id: str) -> Call[RotatedSecret]:
    return Call(
        method="POST",
        path=path("/api/projects/{}/hmac-secret/rotate", project_id),
        response_type=RotatedSecret,
        body=body(),
    )
