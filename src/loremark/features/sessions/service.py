"""What may be done with a session."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors, limits
from loremark.base.caller import Caller, Scope
from loremark.base.plans import Plan
from loremark.features.metering.counting import take
from loremark.features.metering.slots import SESSIONS
from loremark.features.projects.access import Right, get_project
from loremark.features.sessions import store
from loremark.jobs import outbox
from loremark.jobs.notices import tell_changed
from loremark.memory import states
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.sessions import EnrichmentJob, PipelineStage, SessionDetail, SessionEntry, SessionEvent

_BY_HAND = ("active", "completed")


class Models:
    """The names of the models that the tiers stand for."""

    def __init__(self, small: str, medium: str, *, meter_builtin: bool = False) -> None:
        self._names = {"small": small, "medium": medium}
        self._meter_builtin = meter_builtin

    def name_for(self, plan: Plan, ai_tier: str | None) -> str:
        """The plan's tier, or the project's where it asks for a smaller one."""
        name = self._names[tier_for(plan, ai_tier)]
        return builtin_name(plan, ai_tier) if name == "builtin" else name

    def costs(self, plan: Plan, ai_tier: str | None) -> bool:
        """Whether work for this tier is counted against the team's tokens."""
        return self._meter_builtin or self.name_for(plan, ai_tier) != builtin_name(plan, ai_tier)


def tier_for(plan: Plan, ai_tier: str | None) -> str:
    return ai_tier if ai_tier and plan.ai_tier == "medium" else plan.ai_tier


def builtin_name(plan: Plan, ai_tier: str | None) -> str:
    """What the built-in engine is called where it serves a tier, or stands in for its model."""
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
    """An entry that tells all a session by itself does."""
    return msgspec.structs.replace(
        entry_shape(row), items_extracted=row["items_extracted"], enrichment_model=row["enrichment_model"] or model
    )


def detail_shape(row: Row, model: str) -> SessionDetail:
    return SessionDetail(**msgspec.structs.asdict(full_entry_shape(row, model)))


def event_shape(row: Row, payload: Any) -> SessionEvent:
    return SessionEvent(id=row["id"], event=row["event"], payload=payload, created_at=clock.iso(row["created_at_ms"]))


def job_shape(row: Row) -> EnrichmentJob:
    stages = msgspec.json.decode(row["stages"], type=list[PipelineStage])
    if row["status"] == "failed":  # also where the worker was lost and could not write it down
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


async def get_session(tx: Tx, caller: Caller, session_id: str, wanted: Right) -> tuple[Row, Row]:
    """The session and its project, if the caller may see them; one that is wanted for a change is held."""
    find = store.find_session if wanted is Right.READ else store.hold_session
    session = await find(tx, caller.scope, session_id)
    if session is None:
        raise errors.SESSION_NOT_FOUND()
    try:
        project = await get_project(tx, caller, session["project_id"], wanted)
    except errors.Refusal as refusal:
        raise errors.SESSION_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    return session, project


async def list_events(tx: Tx, caller: Caller, session_id: str, after: str | None, limit: int) -> tuple[list[Row], bool]:
    """A page of events, ended by its number or by its bytes, and whether more follow."""
    most_bytes = limits.EVENTS_PAGE_BYTES
    rows = await store.list_events(tx, caller.scope, session_id, after=after, take=limit + 1, most_bytes=most_bytes)
    if len(rows) > limit:
        return rows[:limit], True
    if sum(row["size_bytes"] for row in rows) < most_bytes:
        return rows, False
    following = await store.list_events(tx, caller.scope, session_id, after=rows[-1]["id"], take=1, most_bytes=0)
    return rows, bool(following)


async def tell(tx: Tx, event: WebhookEvent, session: Row, *, status: str, event_count: int) -> None:
    data = {"sessionId": session["id"], "status": status, "eventCount": event_count}
    await outbox.emit(tx, Scope(session["team_id"]), event, session["project_id"], data)
    tell_changed(tx, session["team_id"], "sessions", session["project_id"])


async def create_session(tx: Tx, caller: Caller, project_id: str, plan: Plan) -> tuple[Row, Row]:
    project = await get_project(tx, caller, project_id, Right.WRITE)
    now_ms = clock.now_ms()
    await take(tx, caller.scope, plan, SESSIONS, now_ms)
    session = await store.create_session(tx, caller.scope, project_id, source="api", now_ms=now_ms)
    await tell(tx, WebhookEvent.SESSION_CREATED, session, status="active", event_count=0)
    return session, project


async def change_status(tx: Tx, caller: Caller, session: Row, status: str) -> None:
    """By hand a session can only be completed, or taken up again."""
    if status not in _BY_HAND:
        raise errors.INVALID_TRANSITION()
    if status == session["status"]:
        return
    if session["status"] not in _BY_HAND or not states.SESSION.allows(session["status"], status):
        raise errors.INVALID_TRANSITION()
    if status == "active":
        await store.reopen(tx, caller.scope, session["id"])
        tell_changed(tx, caller.scope, "sessions", session["project_id"])
    else:
        await store.update_status(tx, caller.scope, session["id"], status)
        await tell(tx, WebhookEvent.SESSION_COMPLETED, session, status=status, event_count=session["event_count"])
