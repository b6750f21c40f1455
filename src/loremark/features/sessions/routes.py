"""/api/v2/sessions."""

from __future__ import annotations

from typing import Literal

from loremark.base import errors, limits
from loremark.base.plans import Plan, Plans
from loremark.features.identity import store as people
from loremark.features.projects.access import Access, get_project
from loremark.features.sessions import service, store
from loremark.features.sessions.blobs import PayloadReader
from loremark.features.sessions.service import Models
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Row
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.etag import check_if_match, set_etag
from loremark.web.paging import Page, cut, set_next_cursor
from loremark.web.routes import Routes, TxMode
from loremark.wire.sessions import (
    EnrichmentJob,
    NewSession,
    SessionDetail,
    SessionEntry,
    SessionEvent,
    SessionStatus,
    SessionUpdate,
)

routes = Routes("sessions")

_MISSING = (errors.SESSION_NOT_FOUND,)


class SessionsQuery(Page, frozen=True, rename="camel"):
    project_id: str | None = None
    status: SessionStatus | None = None
    detail: bool = False


class EventsQuery(Page, frozen=True):
    blobs: Literal["inline"] | None = None


async def _plan(call: Call) -> Plan:
    return call.use(Plans).get((await people.get_team(call.tx, call.caller.team_id))["plan"])


async def _detail(call: Call, session: Row, project: Row, plan: Plan | None = None) -> SessionDetail:
    model = call.use(Models).name_for(plan or await _plan(call), project["ai_tier"])
    return service.detail_shape(session, model)


async def _entries(call: Call, rows: list[Row], *, detail: bool) -> list[SessionEntry]:
    if not detail:
        return [service.entry_shape(row) for row in rows]
    models, plan = call.use(Models), await _plan(call)
    return [service.full_entry_shape(row, models.name_for(plan, row["ai_tier"])) for row in rows]


@routes.add("GET", "/api/v2/sessions", needs(KEY | LOGIN, "read"), name="list", errors=(errors.PROJECT_NOT_FOUND,))
async def list_sessions(call: Call, query: SessionsQuery) -> list[SessionEntry]:
    """List sessions, newest first, of one project or all visible ones; ``detail`` adds enrichment results."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Access.READ)
    rows = await store.list_sessions(
        call.tx,
        call.caller,
        project_id=query.project_id,
        status=query.status,
        before=query.cursor,
        take=query.take,
    )
    return cut(call, query, await _entries(call, rows, detail=query.detail), [row["id"] for row in rows])


@routes.add(
    "POST",
    "/api/v2/sessions",
    needs(KEY | LOGIN, "capture"),
    name="create",
    status=201,
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.PLAN_LIMIT),
)
async def create_session(call: Call, body: NewSession) -> SessionDetail:
    """Create a session manually."""
    plan = await _plan(call)
    session, project = await service.create_session(call.tx, call.caller, body.project_id, plan)
    return await _detail(call, session, project, plan)


@routes.add("GET", "/api/v2/sessions/{id}", needs(KEY | LOGIN, "read"), name="get", errors=_MISSING)
async def get_session(call: Call, id: str) -> SessionDetail:
    """Get a session."""
    detail = await _detail(call, *await service.get_session(call.tx, call.caller, id, Access.READ))
    set_etag(call, detail)
    return detail


@routes.add(
    "PATCH",
    "/api/v2/sessions/{id}",
    needs(KEY | LOGIN, "write"),
    name="update",
    errors=(
        *_MISSING,
        errors.FORBIDDEN,
        errors.PROJECT_ARCHIVED,
        errors.INVALID_TRANSITION,
        errors.PRECONDITION_FAILED,
    ),
)
async def update_session(call: Call, id: str, body: SessionUpdate) -> SessionDetail:
    """Complete or reopen a session."""
    session, project = await service.get_session(call.tx, call.caller, id, Access.WRITE)
    check_if_match(call, await _detail(call, session, project))
    if isinstance(body.status, str):
        await service.change_status(call.tx, call.caller, session, body.status)
    detail = await _detail(call, *await service.get_session(call.tx, call.caller, id, Access.WRITE))
    set_etag(call, detail)
    return detail


@routes.add(
    "GET", "/api/v2/sessions/{id}/events", needs(KEY | LOGIN, "read"), name="events", tx=TxMode.NONE, errors=_MISSING
)
async def list_events(call: Call, id: str, query: EventsQuery) -> list[SessionEvent]:
    """List a session's events, oldest first. ``blobs=inline`` includes large texts in full."""
    async with call.database.read() as tx:
        session, _ = await service.get_session(tx, call.caller, id, Access.READ)
        rows, more = await service.list_events(tx, call.caller, id, query.cursor, query.limit)
    blobs = call.use(Blobs) if query.blobs == "inline" else None
    reader = PayloadReader(blobs, session["project_id"])
    found: list[SessionEvent] = []
    for row in rows:
        found.append(service.event_shape(row, await reader.read(row["payload"])))
        if reader.size > limits.EVENTS_PAGE_BYTES:
            more = more or row is not rows[-1]
            break
    if more:
        set_next_cursor(call, found[-1].id)
    return found


@routes.add("GET", "/api/v2/sessions/{id}/jobs", needs(KEY | LOGIN, "read"), name="jobs", errors=_MISSING)
async def list_jobs(call: Call, id: str, query: Page) -> list[EnrichmentJob]:
    """List a session's enrichment jobs, newest first."""
    await service.get_session(call.tx, call.caller, id, Access.READ)
    rows = await store.list_jobs(call.tx, call.caller.scope, id, before=query.cursor, take=query.take)
    return cut(call, query, [service.job_shape(row) for row in rows], [row["id"] for row in rows])
