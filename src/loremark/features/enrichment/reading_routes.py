"""/api/v2/sessions/{id}/readings and /api/v2/readings/{id}/answers."""

from __future__ import annotations

from loremark.base import clock, errors
from loremark.features.enrichment.agent_readings import AgentReadings
from loremark.features.projects.access import Access
from loremark.features.reading import store
from loremark.features.sessions import service as sessions
from loremark.storage.database import Row
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.readings import ReadingAnswer, ReadingEntry, ReadingRequest, ReadingState

routes = Routes("readings")

_LISTED = 50
_REFUSED = (errors.FORBIDDEN, errors.PROJECT_ARCHIVED)


# No transaction: the session is embedded in between, and this request would hold a connection meanwhile.
@routes.add(
    "POST",
    "/api/v2/sessions/{id}/readings",
    needs(KEY | LOGIN, "capture"),
    name="start",
    tx=TxMode.NONE,
    errors=(errors.SESSION_NOT_FOUND, *_REFUSED, errors.ENRICHMENT_RUNNING),
)
async def start_reading(call: Call, id: str, body: ReadingRequest) -> ReadingState:
    """Get the prompt with which your own coding agent reads a session, or resume a reading."""
    return await call.use(AgentReadings).start(call.caller, id, body)


@routes.add(
    "POST",
    "/api/v2/readings/{id}/answers",
    needs(KEY | LOGIN, "capture"),
    name="answer",
    tx=TxMode.NONE,
    errors=(errors.READING_NOT_FOUND, *_REFUSED, errors.PART_NOT_EXPECTED),
)
async def answer_reading(call: Call, id: str, body: ReadingAnswer) -> ReadingState:
    """Send what the agent answered, and get the next part. After the last one, the session is enriched."""
    return await call.use(AgentReadings).answer(call.caller, id, body)


@routes.add(
    "GET", "/api/v2/sessions/{id}/readings", needs(KEY | LOGIN, "read"), name="list", errors=(errors.SESSION_NOT_FOUND,)
)
async def list_readings(call: Call, id: str) -> list[ReadingEntry]:
    """List how a session was read by coding agents: the model, its cost and what came of it."""
    await sessions.get_session(call.tx, call.caller, id, Access.READ)
    return [_shape(row) for row in await store.list_of_session(call.tx, call.caller.scope, id, _LISTED)]


def _shape(row: Row) -> ReadingEntry:
    return ReadingEntry(
        id=row["id"],
        status=row["status"],
        agent=row["agent"],
        model=row["model"],
        prompt_version=row["prompt_version"],
        parts=row["parts"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        error=row["error"],
        created_at=clock.iso(row["created_at_ms"]),
    )
