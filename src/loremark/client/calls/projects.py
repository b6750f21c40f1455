"""Projects, their members and secrets."""

from __future__ import annotations

from typing import Any

from loremark.client.call import Call, body, path
from loremark.wire.projects import (
    HmacSecret,
    ProjectChanged,
    ProjectCreated,
    ProjectDetail,
    ProjectEntry,
    ProjectMember,
    RotatedSecret,
)


def list_projects(cursor: str | None = None, limit: int | None = None) -> Call[list[ProjectEntry]]:
    return Call(method="GET", path=path("/api/projects", cursor=cursor, limit=limit), answer=list[ProjectEntry])


def get_project(project_id: str) -> Call[ProjectDetail]:
    return Call(method="GET", path=path("/api/projects/{}", project_id), answer=ProjectDetail)


def create_project(name: str, description: str | None = None, visibility: str | None = None) -> Call[ProjectCreated]:
    sent = body(name=name, description=description, visibility=visibility)
    return Call(method="POST", path="/api/projects", answer=ProjectCreated, body=sent)


def update_project(project_id: str, **changes: Any) -> Call[ProjectChanged]:
    """``changes`` are fields of the interface, such as ``autoApproveThreshold``."""
    return Call(method="PATCH", path=path("/api/projects/{}", project_id), answer=ProjectChanged, body=body(**changes))


def delete_project(project_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/projects/{}", project_id), answer=type(None))


def list_members(project_id: str) -> Call[list[ProjectMember]]:
    return Call(method="GET", path=path("/api/projects/{}/members", project_id), answer=list[ProjectMember])


def get_hmac_secret(project_id: str) -> Call[HmacSecret]:
    return Call(method="GET", path=path("/api/projects/{}/hmac-secret", project_id), answer=HmacSecret)


def rotate_hmac_secret(project_id: str) -> Call[RotatedSecret]:
    return Call(
        method="POST", path=path("/api/projects/{}/hmac-secret/rotate", project_id), answer=RotatedSecret, body=body()
    )
