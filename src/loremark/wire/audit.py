"""The audit log."""

from __future__ import annotations

from typing import Any

from loremark.wire.shapes import Shape


class AuditActor(Shape):
    user_id: str
    name: str
    via: str
    address: str


class AuditEntry(Shape):
    """Who did what to which thing, when and from where."""

    id: str
    action: str
    target: str
    project_id: str | None
    actor: AuditActor
    detail: dict[str, Any]
    request_id: str
    created_at: str
