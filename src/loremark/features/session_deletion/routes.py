"""DELETE /api/v2/sessions/{id}."""

from __future__ import annotations

from loremark.base import errors
from loremark.features.session_deletion import service
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes

routes = Routes("sessions")


@routes.add(
    "DELETE",
    "/api/v2/sessions/{id}",
    needs(KEY | LOGIN, "write"),
    name="delete",
    status=204,
    errors=(errors.SESSION_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.SESSION_ENRICHING),
)
async def delete_session(call: Call, id: str) -> None:
    """Delete a session, everything captured in it, and drafts based only on it."""
    await service.delete_session(call.tx, call.caller, id)
