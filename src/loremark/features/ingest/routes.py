"""POST /api/v2/ingest for signed events, and POST /api/v2/events for API keys and logins."""

from __future__ import annotations

from loremark.base import errors
from loremark.features.ingest.payload import SentEvent
from loremark.features.ingest.service import EventIntake
from loremark.features.projects.access import Access, get_project
from loremark.web.authentication import KEY, LOGIN, QUICK_SIGNATURE, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.web.validation import require_json
from loremark.wire.sessions import EventAccepted, NewEvent

routes = Routes("ingest", unauthorized=errors.INVALID_SIGNATURE, rate_limited=errors.RATE_LIMITED_PLAIN)
event_routes = Routes("events")


@routes.add(
    "POST",
    "/api/v2/ingest",
    needs(QUICK_SIGNATURE),
    name="send",
    status=202,
    tx=TxMode.NONE,
    raw_body=SentEvent,
    errors=(
        errors.INVALID_BODY,
        errors.MISSING_HEADER,
        errors.TIMESTAMP_EXPIRED,
        errors.PROJECT_NOT_FOUND,
        errors.PROJECT_ARCHIVED,
        errors.PLAN_LIMIT,
        errors.BODY_TOO_LARGE,
        errors.UNSUPPORTED_MEDIA_TYPE,
        errors.UNSUPPORTED_ENCODING,
    ),
)
async def ingest(call: Call) -> EventAccepted:
    """Store a signed event. Responds once the event is durable; duplicates are stored only once."""
    request = call.request
    require_json(request)
    encoding, source = request.header(b"content-encoding"), request.header(b"x-service-source")
    return await call.use(EventIntake).accept_signed(await request.read_body(), encoding, call.caller, source)


@event_routes.add(
    "POST",
    "/api/v2/events",
    needs(KEY | LOGIN, "capture"),
    name="create",
    status=202,
    tx=TxMode.NONE,
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.PLAN_LIMIT),
)
async def send_event(call: Call, body: NewEvent) -> EventAccepted:
    """Store an event. Like ingest, but authorized by write access to the project instead of its secret."""
    async with call.database.read() as tx:
        project = await get_project(tx, call.caller, body.project_id, Access.WRITE)
    return await call.use(EventIntake).accept_authorized(SentEvent(body.event, body.payload), project, call.caller)
