"""Sessions and their events."""

from __future__ import annotations

from sqlalchemy import bindparam, func, insert, select, update

from cairn.base import clock, ids
from cairn.base.caller import Caller, Scope
from cairn.features.projects.access import visible_to
from cairn.storage.database import Row, Tx
from cairn.storage.statements import Sql
from cairn.storage.tables import blobs, events, jobs, projects, sessions

ENRICHMENT = "enrichment"
"""The kind of the jobs that turn a session's events into memory."""

_INSERT = Sql(insert(sessions))
_FIND = Sql(
    select(sessions)
    .where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("session_id"))
    .with_for_update()
)
_SET_STATUS = Sql(
    update(sessions)
    .where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("session_id"))
    .values(status=bindparam("new_status"), completed_at_ms=bindparam("new_completed_at_ms"))
)
_EVENTS = Sql(
    select(events.c.id, events.c.event, events.c.payload, events.c.created_at_ms)
    .where(
        events.c.team_id == bindparam("scope"),
        events.c.session_id == bindparam("of_session"),
        events.c.id > bindparam("after"),
    )
    .order_by(events.c.id)
    .limit(bindparam("take"))
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
_HAS_BLOB = Sql(
    select(func.count().label("found"))
    .select_from(blobs)
    .where(
        blobs.c.team_id == bindparam("scope"),
        blobs.c.project_id == bindparam("of_project"),
        blobs.c.sha256 == bindparam("hashed"),
    )
)
_EXPIRED = Sql(
    select(sessions)
    .where(sessions.c.status == "active", sessions.c.last_event_ms < bindparam("silent_since_ms"))
    .order_by(sessions.c.last_event_ms)
    .limit(bindparam("take"))
    .with_for_update(skip_locked=True)
)


async def create_session(tx: Tx, scope: Scope, project_id: str, *, source: str) -> Row:
    """A new session, active from now on."""
    now_ms = clock.now_ms()
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
    """The session; inside a write it is held until the transaction ends."""
    return await tx.one(_FIND, scope=scope, session_id=session_id)


async def list_sessions(
    tx: Tx, caller: Caller, *, project_id: str | None, status: str | None, before: str | None, take: int
) -> list[Row]:
    """Newest first, of one project or of all the caller may see."""
    statement = select(sessions).where(sessions.c.team_id == caller.scope)
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


async def list_events(tx: Tx, scope: Scope, session_id: str, *, after: str | None, take: int) -> list[Row]:
    """Oldest first."""
    return await tx.many(_EVENTS, scope=scope, of_session=session_id, after=after or "", take=take)


async def list_jobs(tx: Tx, scope: Scope, session_id: str, *, before: str | None, take: int) -> list[Row]:
    """Newest first."""
    return await tx.many(_JOBS, scope=scope, of_session=session_id, before=before or _AFTER_ALL_IDS, take=take)


async def has_blob(tx: Tx, scope: Scope, project_id: str, sha256: str) -> bool:
    row = await tx.one(_HAS_BLOB, scope=scope, of_project=project_id, hashed=sha256)
    return row is not None and bool(row["found"])


async def list_expired(tx: Tx, *, silent_since_ms: int, take: int) -> list[Row]:
    """Unscoped: upkeep of all teams. Active sessions in which nothing has happened for the whole window."""
    return await tx.many(_EXPIRED, silent_since_ms=silent_since_ms, take=take)
