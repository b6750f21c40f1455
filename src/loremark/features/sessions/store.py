"""Queries for sessions and their events."""

from __future__ import annotations

from sqlalchemy import bindparam, func, insert, select, update

from loremark.base import clock, ids
from loremark.base.caller import Caller, Scope
from loremark.features.projects.access import visible_to
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import events, jobs, projects, sessions

ENRICHMENT = "enrichment"
"""Kind of the jobs that turn a session's events into memory items."""

_INSERT = Sql(insert(sessions))
_find = select(sessions).where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("session_id"))
_FIND = Sql(_find)
_LOCK = Sql(_find.with_for_update())
_SET_STATUS = Sql(
    update(sessions)
    .where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("session_id"))
    .values(status=bindparam("new_status"), completed_at_ms=bindparam("new_completed_at_ms"))
)
_REOPEN = Sql(
    update(sessions)
    .where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("session_id"))
    .values(status="active", completed_at_ms=None, last_event_ms=bindparam("now_ms"))
)
# Sum the sizes first, so payloads beyond the page's byte limit are not read.
_sizes = (
    select(events.c.id, func.sum(events.c.size_bytes).over(order_by=events.c.id).label("up_to"), events.c.size_bytes)
    .where(
        events.c.team_id == bindparam("scope"),
        events.c.session_id == bindparam("of_session"),
        events.c.id > bindparam("after"),
    )
    .order_by(events.c.id)
    .limit(bindparam("take"))
    .subquery()
)
_EVENTS = Sql(
    select(events.c.id, events.c.event, events.c.payload, events.c.size_bytes, events.c.created_at_ms)
    .join(_sizes, _sizes.c.id == events.c.id)
    .where(_sizes.c.up_to - _sizes.c.size_bytes <= bindparam("most_bytes"))
    .order_by(events.c.id)
)
_PAYLOADS = Sql(
    select(events.c.id, events.c.payload).where(
        events.c.team_id == bindparam("scope"), InList(events.c.id, "event_ids")
    )
)
_JOBS = Sql(
    select(jobs)
    .where(
        jobs.c.team_id == bindparam("scope"),
        jobs.c.session_id == bindparam("of_session"),
        jobs.c.kind == ENRICHMENT,
        jobs.c.id < bindparam("before"),
    )
    .order_by(jobs.c.id.desc())
    .limit(bindparam("take"))
)
_AFTER_ALL_IDS = "\uffff"
_EXPIRED = Sql(
    select(sessions)
    .where(sessions.c.status == "active", sessions.c.last_event_ms < bindparam("idle_since_ms"))
    .order_by(sessions.c.last_event_ms)
    .limit(bindparam("take"))
    .with_for_update(skip_locked=True)
)


async def create_session(tx: Tx, scope: Scope, project_id: str, *, source: str, now_ms: int) -> Row:
    """Create an active session."""
    session_id = ids.new("ses")
    await insert_session(tx, scope, session_id, project_id, source=source, now_ms=now_ms)
    row = await find_session(tx, scope, session_id)
    assert row is not None
    return row


async def insert_session(
    tx: Tx, scope: Scope, session_id: str, project_id: str, *, source: str, now_ms: int, event_count: int = 0
) -> None:
    await tx.run(
        _INSERT,
        id=session_id,
        team_id=scope,
        project_id=project_id,
        source=source,
        status="active",
        event_count=event_count,
        items_extracted=0,
        enrichment_model=None,
        last_event_ms=now_ms,
        created_at_ms=now_ms,
        completed_at_ms=None,
    )


async def find_session(tx: Tx, scope: Scope, session_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, session_id=session_id)


async def lock_session(tx: Tx, scope: Scope, session_id: str) -> Row | None:
    """Return the session, locked until the transaction ends."""
    return await tx.one(_LOCK, scope=scope, session_id=session_id)


async def list_sessions(
    tx: Tx, caller: Caller, *, project_id: str | None, status: str | None, before: str | None, take: int
) -> list[Row]:
    """List sessions, newest first, of one project or all visible ones, each with its project's ``ai_tier``."""
    its_project = (projects.c.team_id == sessions.c.team_id) & (projects.c.id == sessions.c.project_id)
    ai_tier = select(projects.c.ai_tier).where(its_project).scalar_subquery().label("ai_tier")
    statement = select(sessions, ai_tier).where(sessions.c.team_id == caller.scope)
    if project_id is not None:
        statement = statement.where(sessions.c.project_id == project_id)
    else:
        statement = statement.where(sessions.c.project_id.in_(select(projects.c.id).where(visible_to(caller))))
    if status is not None:
        statement = statement.where(sessions.c.status == status)
    if before is not None:
        statement = statement.where(sessions.c.id < before)
    return await tx.many(statement.order_by(sessions.c.id.desc()).limit(take))


async def update_status(tx: Tx, scope: Scope, session_id: str, status: str) -> None:
    completed_at_ms = clock.now_ms() if status == "completed" else None
    await tx.run(
        _SET_STATUS, scope=scope, session_id=session_id, new_status=status, new_completed_at_ms=completed_at_ms
    )


async def reopen(tx: Tx, scope: Scope, session_id: str) -> None:
    """Reopen the session for a full session window."""
    await tx.run(_REOPEN, scope=scope, session_id=session_id, now_ms=clock.now_ms())


async def list_events(
    tx: Tx, scope: Scope, session_id: str, *, after: str | None, take: int, most_bytes: int
) -> list[Row]:
    """List events, oldest first, up to ``take`` or until ``most_bytes`` is reached; always at least one."""
    return await tx.many(
        _EVENTS, scope=scope, of_session=session_id, after=after or "", take=take, most_bytes=most_bytes
    )


async def find_payloads(tx: Tx, scope: Scope, event_ids: list[str]) -> dict[str, str]:
    """Return stored payloads by event id."""
    return {row["id"]: row["payload"] for row in await tx.many(_PAYLOADS, scope=scope, event_ids=event_ids)}


async def list_jobs(tx: Tx, scope: Scope, session_id: str, *, before: str | None, take: int) -> list[Row]:
    """List a session's enrichment jobs, newest first."""
    return await tx.many(_JOBS, scope=scope, of_session=session_id, before=before or _AFTER_ALL_IDS, take=take)


async def list_expired(tx: Tx, *, idle_since_ms: int, take: int) -> list[Row]:
    """List active sessions that have been idle for the whole window. Unscoped: maintenance across teams."""
    return await tx.many(_EXPIRED, idle_since_ms=idle_since_ms, take=take)
