"""Send events to the server."""

from __future__ import annotations

from typing import Any

from loremark.client.call import Call, body
from loremark.wire.sessions import EventAccepted


def send_signed_event(project_id: str, event: str, payload: dict[str, Any]) -> Call[EventAccepted]:
    """A captured event, signed with the project's secret. The server deduplicates, so it is safe to resend."""
    return Call(
        method="POST",
        path="/api/v2/ingest",
        response_type=EventAccepted,
        body=body(event=event, payload=payload),
        signed_for=project_id,
        idempotent=True,
    )


def send_event(project_id: str, event: str, payload: dict[str, Any]) -> Call[EventAccepted]:
    """Like ``send_signed_event``, but authorized by API key, for members who cannot read the project's secret."""
    return Call(
        method="POST",
        path="/api/v2/events",
        response_type=EventAccepted,
        body=body(projectId=project_id, event=event, payload=payload),
        idempotent=True,
    )
