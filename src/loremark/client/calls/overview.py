"""Project overview."""

from __future__ import annotations

from loremark.client.call import Call, path
from loremark.wire.overview import ProjectHealth


def get_health(project_id: str) -> Call[ProjectHealth]:
    return Call(method="GET", path=path("/api/v2/overview/{}", project_id), response_type=ProjectHealth)
