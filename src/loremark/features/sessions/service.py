"""Session access, status changes and response shapes."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors, limits
from loremark.base.caller import Caller, Scope
from loremark.base.plans import Plan
from loremark.features.metering.counter_slots import SESSIONS
from loremark.features.metering.plan_limits import count_one
from loremark.features.projects.access import Access, get_project
from loremark.features.sessions import store
from loremark.jobs import outbox
from loremark.jobs.notices import notify_changed
from loremark.memory import states
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.sessions import EnrichmentJob, PipelineStage, SessionDetail, SessionEntry, SessionEvent

_USER_STATUSES = ("active", "completed")


class Models:
    """Maps AI tiers to model names."""

    def __init__(self, small: str, medium: str, *, meter_builtin: bool = False) -> None:
        self._names = {"small": small, "medium": medium}
        self._meter_builtin = meter_builtin

    def name_for(self, plan: Plan, ai_tier: str | None) -> str:
        """Return the model for the plan's tier, or for the project's tier if that is smaller."""
        name = self._names[tier_for(plan, ai_tier)]
        return builtin_name(plan, ai_tier) if name == "builtin" else name

    def is_metered(self, plan: Plan, ai_tier: str | None) -> bool:
        """Return whether work on this tier uses the team's AI tokens."""
        return self._meter_builtin or self.name_for(plan, ai_tier) != builtin_name(plan, ai_tier)


def tier_for(plan: Plan, ai_tier: str | None) -> str:
    return ai_tier if ai_tier and plan.ai_tier == "medium" else plan.ai_tier


def builtin_name(plan: Plan, ai_tier: str | None) -> str:
    """Return the model name reported when the built-in engine serves the tier or replaces its model."""
    return f"builtin-{tier_for(plan, ai_tier)}"


def entry_shape(row: Row) -> SessionEntry:
    return SessionEntry(
        id=row["id"],
        project_id=row["project_id"],
        status=row["status"],
        event_count=row["event_count"],
        source=row["source"],
        created_at=clock.iso(row["created_at_ms"]),
        completed_at=clock.iso_or_none(row["completed_at_ms"]),
    )


def full_entry_shape(row: Row, model: str) -> SessionEntry:
    """Return a list entry with the fields of a single session."""
    return msgspec.structs.replace(
        entry_shape(row), items_extracted=row["items_extracted"], enrichment_model=row["enrichment_model"] or model
    )


def detail_shape(row: Row, model: str) -> SessionDetail:
    return SessionDetail(**msgspec.structs.asdict(full_entry_shape(row, model)))


def event_shape(row: Row, payload: Any) -> SessionEvent:
    return SessionEvent(id=row["id"], event=row["event"], payload=payload, created_at=clock.iso(row["created_at_ms"]))


def job_shape(row: Row) -> EnrichmentJob:
    stages = msgspec.json.decode(row["stages"], type=list[PipelineStage])
    if row["status"] == "failed":  # a worker that crashed could not update its stage
        for stage in stages:
            stage.status = "failed" if stage.status == "running" else stage.status
    result = msgspec.json.decode(row["result"]) if row["result"] else {}
    notes = [row["error"]] if row["status"] == "failed" and row["error"] else []
    warning = " ".join([*result.get("warnings", []), *notes])
    return EnrichmentJob(
        id=row["id"],
        status=row["status"],
        pipeline=stages,
        items_extracted=result.get("itemsExtracted", 0),
        created_at=clock.iso(row["created_at_ms"]),
        completed_at=clock.iso_or_none(row["finished_at_ms"]),
        warning=warning or UNSET,
    )


async def get_session(tx: Tx, caller: Caller, session_id: str, access: Access) -> tuple[Row, Row]:
    """Return the session and its project if the caller has the requested right, locked unless it is only read."""
    find = store.find_session if access is Access.READ else store.lock_session
    session = await find(tx, caller.scope, session_id)
    if session is None:
        raise errors.SESSION_NOT_FOUND()
    try:
        project = await get_project(tx, caller, session["project_id"], access)
    except errors.Refusal as refusal:
        raise errors.SESSION_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    return session, project


async def list_events(tx: Tx, caller: Caller, session_id: str, after: str | None, limit: int) -> tuple[list[Row], bool]:
    """Return a page of events, limited by count and bytes, and whether more follow."""
    most_bytes = limits.EVENTS_PAGE_BYTES
    rows = await store.list_events(tx, caller.scope, session_id, after=after, take=limit + 1, most_bytes=most_bytes)
    if len(rows) > limit:
        return rows[:limit], True
    if sum(row["size_bytes"] for row in rows) < most_bytes:
        return rows, False
    following = await store.list_events(tx, caller.scope, session_id, after=rows[-1]["id"], take=1, most_bytes=0)
    return rows, bool(following)


async def emit_session_event(tx: Tx, event: WebhookEvent, session: Row, *, status: str, event_count: int) -> None:
    data = {"sessionId": session["id"], "status": status, "eventCount": event_count}
    await outbox.emit(tx, Scope(session["team_id"]), event, session["project_id"], data)
    notify_changed(tx, session["team_id"], "sessions", session["project_id"])


async def create_session(tx: Tx, caller: Caller, project_id: str, plan: Plan) -> tuple[Row, Row]:
    project = await get_project(tx, caller, project_id, Access.WRITE)
    now_ms = clock.now_ms()
    await count_one(tx, caller.scope, plan, SESSIONS, now_ms)
    session = await store.create_session(tx, caller.scope, project_id, source="api", now_ms=now_ms)
    await emit_session_event(tx, WebhookEvent.SESSION_CREATED, session, status="active", event_count=0)
    return session, project


async def change_status(tx: Tx, caller: Caller, session: Row, status: str) -> None:
    """Change the status on a user's request. Users can only complete or reopen a session."""
    if status not in _USER_STATUSES:
        raise errors.INVALID_TRANSITION()
    if status == session["status"]:
        return
    if session["status"] not in _USER_STATUSES or not states.SESSION.allows(session["status"], status):
        raise errors.INVALID_TRANSITION()
    if status == "active":
        await store.reopen(tx, caller.scope, session["id"])
        notify_changed(tx, caller.scope, "sessions", session["project_id"])
    else:
        await store.update_status(tx, caller.scope, session["id"], status)
        await emit_session_event(
            tx, WebhookEvent.SESSION_COMPLETED, session, status=status, event_count=session["event_count"]
        )
