"""The audit log."""

from __future__ import annotations

from typing import Any

from loremark.wire.shapes import Shape


class AuditActor(Shape):
    user_id: str
    name: str
    auth_method: str
    ip_address: str


class AuditEntry(Shape):
    """A recorded action: who did what to which resource, when, and from where."""

    id: str
    action: str
    target: str
    project_id: str | None
    actor: AuditActor
    details: dict[str, Any]
    request_id: str
    created_at: str
