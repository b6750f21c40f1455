"""Queries for data whose retention period is over."""

from __future__ import annotations

from sqlalchemy import bindparam, or_, select

from loremark.base.caller import Scope
from loremark.features.metering.project_deletion import RETENTION
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import chats, events, jobs, projects, sessions

_LIMITED = Sql(
    select(
        projects.c.id,
        projects.c.team_id,
        projects.c.event_retention_days,
        projects.c.session_retention_days,
        projects.c.chat_retention_days,
    )
    .where(
        projects.c.id > bindparam("after"),
        projects.c.deleted_at_ms.is_(None),
        or_(
            projects.c.event_retention_days.is_not(None),
            projects.c.session_retention_days.is_not(None),
            projects.c.chat_retention_days.is_not(None),
        ),
    )
    .order_by(projects.c.id)
    .limit(bindparam("take"))
)
_OPEN_JOB = Sql(
    select(jobs.c.id)
    .where(
        jobs.c.team_id == bindparam("scope"),
        jobs.c.project_id == bindparam("of_project"),
        jobs.c.kind == RETENTION,
        or_(jobs.c.status == "queued", jobs.c.status == "running"),
    )
    .limit(1)
)
_EVENTS = Sql(
    select(events.c.id, events.c.team_id, events.c.session_id, events.c.size_bytes, events.c.created_at_ms)
    .where(
        events.c.team_id == bindparam("scope"),
        events.c.project_id == bindparam("of_project"),
        events.c.id < bindparam("before"),
        # What enrichment is reading stays until it has finished.
        ~select(sessions.c.id).where(sessions.c.id == events.c.session_id, sessions.c.status == "enriching").exists(),
    )
    .order_by(events.c.id)
    .limit(bindparam("take"))
)
_SESSION = Sql(
    select(sessions.c.id)
    .where(
        sessions.c.team_id == bindparam("scope"),
        sessions.c.project_id == bindparam("of_project"),
        sessions.c.id < bindparam("before"),
        sessions.c.last_event_ms < bindparam("before_ms"),
        sessions.c.status != "enriching",
    )
    .order_by(sessions.c.id)
    .limit(1)
)
_some_chats = (
    select(chats.c.id, chats.c.storage_tokens)
    .where(
        chats.c.team_id == bindparam("scope"),
        chats.c.project_id == bindparam("of_project"),
        chats.c.last_message_at_ms < bindparam("before_ms"),
    )
    .order_by(chats.c.last_message_at_ms, chats.c.id)
    .limit(bindparam("take"))
)
_CHATS = Sql(_some_chats)
_LOCK_CHATS = Sql(_some_chats.with_for_update())


async def list_limited_projects(tx: Tx, *, after: str, take: int) -> list[Row]:
    """List projects with a retention period. Unscoped: maintenance across teams."""
    return await tx.many(_LIMITED, after=after, take=take)


async def has_open_job(tx: Tx, scope: Scope, project_id: str) -> bool:
    """Return whether expired data of the project is being deleted or soon will be."""
    return await tx.one(_OPEN_JOB, scope=scope, of_project=project_id) is not None


async def list_expired_events(tx: Tx, scope: Scope, project_id: str, *, before: str, take: int) -> list[Row]:
    """List events older than the id ``before``, oldest first, unless their session is being enriched."""
    return await tx.many(_EVENTS, scope=scope, of_project=project_id, before=before, take=take)


async def find_expired_session(tx: Tx, scope: Scope, project_id: str, *, before: str, before_ms: int) -> str | None:
    """Find the oldest session whose last event is older, unless it is being enriched."""
    row = await tx.one(_SESSION, scope=scope, of_project=project_id, before=before, before_ms=before_ms)
    return None if row is None else str(row["id"])


async def has_expired_chat(tx: Tx, scope: Scope, project_id: str, *, before_ms: int) -> bool:
    return bool(await tx.many(_CHATS, scope=scope, of_project=project_id, before_ms=before_ms, take=1))


async def lock_expired_chats(tx: Tx, scope: Scope, project_id: str, *, before_ms: int, take: int) -> list[Row]:
    """List and lock chats without a message since then, oldest first."""
    return await tx.many(_LOCK_CHATS, scope=scope, of_project=project_id, before_ms=before_ms, take=take)
