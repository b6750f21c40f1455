"""POST /api/v2/ingest, and /api/v2/events for people with a key."""

from __future__ import annotations

from loremark.base import errors
from loremark.features.ingest.payload import SentEvent
from loremark.features.ingest.service import Capture
from loremark.features.projects.access import Right, get_project
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, QUICK_SIGNATURE, needs
from loremark.web.routes import Routes, TxMode
from loremark.web.validation import require_json
from loremark.wire.sessions import Ingested, NewEvent

routes = Routes("ingest", unauthorized=errors.INVALID_SIGNATURE, rate_limited=errors.RATE_LIMITED_PLAIN)
event_routes = Routes("events")


@routes.add(
    "POST",
    "/api/v2/ingest",
    needs(QUICK_SIGNATURE),
    name="send",
    status=202,
    tx=TxMode.NONE,
    reads=SentEvent,
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
async def ingest(call: Call) -> Ingested:
    """Keep an event. The answer comes after it is durable; the same event again is not kept twice."""
    request = call.request
    require_json(request)
    encoding, source = request.header(b"content-encoding"), request.header(b"x-service-source")
    return await call.use(Capture).take(await request.read_body(), encoding, call.caller, source)


@event_routes.add(
    "POST",
    "/api/v2/events",
    needs(KEY | LOGIN),
    name="tell",
    status=202,
    tx=TxMode.NONE,
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.PLAN_LIMIT),
)
async def tell(call: Call, body: NewEvent) -> Ingested:
    """As ingest, by the right to write to the project instead of its secret, which members do not see."""
    async with call.database.read() as tx:
        project = await get_project(tx, call.caller, body.project_id, Right.WRITE)
    return await call.use(Capture).take_from(SentEvent(body.event, body.payload), project)
