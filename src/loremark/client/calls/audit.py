"""The audit log."""

from __future__ import annotations

from loremark.client.call import Call, path


def export_audit(action: str | None = None, project_id: str | None = None) -> Call[bytes]:
    """The audit log as JSON Lines, oldest first."""
    return Call(method="GET", path=path("/api/audit/export", action=action, projectId=project_id), response_type=bytes)
