"""Bulk queries for storing events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, select, update

from loremark.features.ingest.payload import CapturedEvent
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import blobs, event_blobs, events, projects, sessions, teams

_EVENTS = Bulk(
    events,
    (
        "id",
        "team_id",
        "project_id",
        "session_id",
        "event",
        "payload",
        "content_hash",
        "size_bytes",
        "created_at_ms",
        "actor_id",
    ),
    ("content_hash",),
)
_BLOBS = Bulk(blobs, ("sha256", "project_id", "team_id", "size_bytes", "created_at_ms"), ("project_id", "sha256"))
_EVENT_BLOBS = Bulk(event_blobs, ("event_id", "project_id", "team_id", "sha256"), ("project_id", "sha256", "event_id"))
_some_projects = select(
    projects.c.id,
    projects.c.status,
    projects.c.hmac_secret_sealed,
    projects.c.hmac_previous_sealed,
    projects.c.hmac_previous_until_ms,
    select(teams.c.plan).where(teams.c.id == projects.c.team_id).scalar_subquery().label("plan"),
).where(InList(projects.c.id, "wanted"), projects.c.deleted_at_ms.is_(None))
_PROJECTS = Sql(_some_projects)
_LOCK_PROJECTS = Sql(_some_projects.order_by(projects.c.id).with_for_update(key_share=True))
_newest_open = (
    select(sessions.c.id)
    .where(
        sessions.c.project_id == bindparam("of_project"),
        sessions.c.source == bindparam("from_source"),
        sessions.c.status == "active",
        sessions.c.last_event_ms > bindparam("since_ms"),
    )
    .order_by(sessions.c.last_event_ms.desc(), sessions.c.id.desc())
    .limit(1)
)
_OPEN_SESSION = Sql(_newest_open)
_open_session = _newest_open.with_for_update(key_share=True).scalar_subquery()
_JOIN = Sql(
    update(sessions)
    .where(sessions.c.id == _open_session)
    .values(event_count=sessions.c.event_count + bindparam("more"), last_event_ms=bindparam("now_ms"))
    .returning(sessions.c.id)
)
_SUBTRACT_EVENTS = Sql(
    update(sessions)
    .where(sessions.c.id == bindparam("session_id"))
    .values(event_count=sessions.c.event_count - bindparam("fewer"))
)
_KNOWN_BLOBS = Sql(
    select(blobs.c.sha256).where(blobs.c.project_id == bindparam("of_project"), InList(blobs.c.sha256, "given"))
)
_BY_HASH = Sql(select(events.c.id, events.c.session_id).where(events.c.content_hash == bindparam("hashed")))


async def find_projects(tx: Tx, project_ids: Sequence[str]) -> dict[str, Row]:
    """Return projects by id. Unscoped: a signature identifies a project, not a team."""
    rows = await tx.many(_PROJECTS, wanted=list(project_ids))
    return {row["id"]: row for row in rows}


async def lock_projects(tx: Tx, project_ids: Sequence[str]) -> dict[str, Row]:
    """Like ``find_projects``, but locked: one transaction at a time links a project's events to sessions. Unscoped."""
    if len(project_ids) == 1:
        row = await tx.one(_LOCK_PROJECTS, wanted=list(project_ids))
        return {} if row is None else {row["id"]: row}
    rows = await tx.many(_LOCK_PROJECTS, wanted=list(project_ids))
    return {row["id"]: row for row in rows}


async def join_session(tx: Tx, project_id: str, source: str, *, count: int, since_ms: int, now_ms: int) -> str | None:
    """Add events to the newest active session within the window. Unscoped: the signature identifies the project."""
    row = await tx.one(_JOIN, of_project=project_id, from_source=source, since_ms=since_ms, more=count, now_ms=now_ms)
    return None if row is None else str(row["id"])


async def insert_events(
    tx: Tx, captured: Sequence[CapturedEvent], event_ids: Sequence[str], session_ids: Sequence[str], now_ms: int
) -> set[int]:
    """Insert events and return the positions of the new ones, not of duplicates. Unscoped: rows name their team."""
    rows = [
        (
            event_id,
            item.team_id,
            item.project_id,
            session_id,
            item.event,
            item.payload,
            item.content_hash,
            item.size_bytes,
            now_ms,
            item.actor_id,
        )
        for item, event_id, session_id in zip(captured, event_ids, session_ids, strict=True)
    ]
    return await tx.insert_new(_EVENTS, rows)


async def insert_blobs(
    tx: Tx, captured: Sequence[CapturedEvent], fresh: Iterable[tuple[str, str]], now_ms: int
) -> None:
    """Insert the blobs listed in ``fresh`` by project and hash. Unscoped: rows name their team."""
    described = {
        (item.project_id, sha256): (sha256, item.project_id, item.team_id, len(content), now_ms)
        for item in captured
        for sha256, content in item.blobs.items()
    }
    await tx.insert_new(_BLOBS, [described[blob] for blob in fresh])


async def insert_blob_references(tx: Tx, stored: Sequence[tuple[str, CapturedEvent]]) -> None:
    """Record which blobs these events refer to, each named by its id. Unscoped: rows name their team."""
    await tx.insert_new(
        _EVENT_BLOBS,
        [(event_id, item.project_id, item.team_id, sha256) for event_id, item in stored for sha256 in item.blobs],
    )


async def subtract_events(tx: Tx, session_id: str, fewer: int) -> None:
    """Subtract duplicates from a session's event count. Unscoped: this transaction has locked the session."""
    await tx.run(_SUBTRACT_EVENTS, session_id=session_id, fewer=fewer)


async def find_blobs(tx: Tx, project_id: str, given: list[str]) -> set[str]:
    """Return the hashes already stored for the project. Unscoped: the signature identifies the project."""
    return {row["sha256"] for row in await tx.many(_KNOWN_BLOBS, of_project=project_id, given=given)}


async def has_open_session(tx: Tx, project_id: str, source: str, since_ms: int) -> bool:
    """Return whether an event from this source would join an open session. Unscoped, like ``find_blobs``."""
    return await tx.one(_OPEN_SESSION, of_project=project_id, from_source=source, since_ms=since_ms) is not None


async def find_by_hash(tx: Tx, content_hash: bytes) -> Row | None:
    """Return the stored event with this hash. Unscoped: the hash covers the project."""
    return await tx.one(_BY_HASH, hashed=content_hash)
