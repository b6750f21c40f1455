"""What tools tell the server."""

from __future__ import annotations

from typing import Any

from loremark.client.call import Call, body
from loremark.wire.sessions import Ingested


def send_event(project_id: str, event: str, payload: dict[str, Any]) -> Call[Ingested]:
    """A captured event; the same one again is known to the server, so it may be sent until it is acknowledged."""
    return Call(
        method="POST",
        path="/api/v2/ingest",
        answer=Ingested,
        body=body(event=event, payload=payload),
        signed_for=project_id,
        repeatable=True,
    )


def tell_event(project_id: str, event: str, payload: dict[str, Any]) -> Call[Ingested]:
    """The same by one's key, for people who may write to the project and do not see its secret."""
    return Call(
        method="POST",
        path="/api/v2/events",
        answer=Ingested,
        body=body(projectId=project_id, event=event, payload=payload),
        repeatable=True,
    )
