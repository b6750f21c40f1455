"""Queries for the pipeline: events to enrich, candidates and their outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, bindparam, delete, func, or_, select, update

from loremark.base.caller import Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import candidates, events, jobs, projects, sessions

_sizes = (
    select(events.c.id, func.sum(events.c.size_bytes).over(order_by=events.c.id).label("up_to"), events.c.size_bytes)
    .where(
        events.c.team_id == bindparam("scope"),
        events.c.session_id == bindparam("of_session"),
        events.c.id > bindparam("after"),
        events.c.enriched_by.is_(None),
    )
    .order_by(events.c.id)
    .limit(bindparam("take"))
    .subquery()
)
_TO_ENRICH = Sql(
    select(events.c.id, events.c.event, events.c.payload, events.c.actor_id)
    .join(_sizes, _sizes.c.id == events.c.id)
    .where(_sizes.c.up_to - _sizes.c.size_bytes <= bindparam("most_bytes"))
    .order_by(events.c.id)
)
_of_session = and_(events.c.team_id == bindparam("scope"), events.c.session_id == bindparam("of_session"))
_BETWEEN = Sql(
    select(events.c.id, events.c.event, events.c.payload)
    .where(_of_session, events.c.id >= bindparam("first"), events.c.id <= bindparam("last"))
    .order_by(events.c.id.desc())
    .limit(bindparam("take"))
)
_FIRST_UNREAD = Sql(select(func.min(events.c.id).label("first")).where(_of_session, events.c.enriched_by.is_(None)))
_FIRST_OF_JOB = Sql(
    select(func.min(events.c.id).label("first")).where(_of_session, events.c.enriched_by == bindparam("by_job"))
)
_MARK = Sql(
    update(events)
    .where(events.c.team_id == bindparam("scope"), InList(events.c.id, "event_ids"))
    .values(enriched_by=bindparam("by_job"))
)
_ACTOR = Sql(
    select(events.c.actor_id).where(events.c.team_id == bindparam("scope"), events.c.id == bindparam("of_event"))
)
_CANDIDATES = Bulk(
    candidates,
    ("job_id", "position", "team_id", "project_id", "event_id", "content"),
    ("job_id", "position"),
)
_AFTER_ALL = "~"
"""Sorts after every id."""
_of_job = and_(candidates.c.team_id == bindparam("scope"), candidates.c.job_id == bindparam("of_job"))
_LAST = Sql(select(func.max(candidates.c.position).label("last")).where(_of_job))
_TO_EMBED = Sql(
    select(candidates.c.position, candidates.c.content)
    .where(
        _of_job,
        candidates.c.position > bindparam("after"),
        candidates.c.vector.is_(None),
        candidates.c.outcome.is_(None),
        candidates.c.content.startswith('{"type":"item"'),
    )
    .order_by(candidates.c.position)
    .limit(bindparam("take"))
)
_SET_VECTOR = Sql(
    update(candidates)
    .where(_of_job, candidates.c.position == bindparam("at_position"))
    .values(vector=bindparam("new_vector"))
)
_SET_OUTCOME = Sql(
    update(candidates)
    .where(_of_job, candidates.c.position == bindparam("at_position"))
    .values(outcome=bindparam("new_outcome"), item_id=bindparam("new_item_id"))
)
_PENDING = Sql(
    select(candidates)
    .where(_of_job, candidates.c.outcome.is_(None))
    .order_by(candidates.c.position)
    .limit(bindparam("take"))
)
_ITEMS = Sql(
    select(candidates.c.position, candidates.c.event_id, candidates.c.content)
    .where(_of_job, candidates.c.outcome.is_(None), candidates.c.content.startswith('{"type":"item"'))
    .order_by(candidates.c.position)
)
_REVERTS = Sql(
    select(candidates.c.position, candidates.c.content)
    .where(
        _of_job,
        candidates.c.position > bindparam("after"),
        candidates.c.outcome != "applied",
        candidates.c.content.startswith('{"type":"revert"'),
    )
    .order_by(candidates.c.position)
    .limit(bindparam("take"))
)
_LIST_CANDIDATES = Sql(select(candidates).where(_of_job).order_by(candidates.c.position).limit(bindparam("take")))
_DELETE_CANDIDATES = Sql(delete(candidates).where(_of_job, candidates.c.position <= bindparam("up_to")))
_TRANSFER = Sql(
    update(candidates)
    .where(candidates.c.team_id == bindparam("scope"), candidates.c.job_id == bindparam("from_job"))
    .values(job_id=bindparam("to_job"))
)
_PROJECT = Sql(
    select(projects).where(
        projects.c.team_id == bindparam("scope"),
        projects.c.id == bindparam("project_id"),
        projects.c.deleted_at_ms.is_(None),
    )
)
_COUNT_EXTRACTED = Sql(
    update(sessions)
    .where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("session_id"))
    .values(items_extracted=sessions.c.items_extracted + bindparam("more"), enrichment_model=bindparam("new_model"))
)
_LATEST_JOB = Sql(
    select(jobs)
    .where(
        jobs.c.team_id == bindparam("scope"),
        jobs.c.session_id == bindparam("of_session"),
        jobs.c.kind == bindparam("of_kind"),
    )
    .order_by(jobs.c.id.desc())
    .limit(1)
)
_unfinished = jobs.alias("unfinished")
_STRANDED = Sql(
    select(sessions)
    .where(
        sessions.c.status == "enriching",
        ~select(_unfinished.c.id)
        .where(
            _unfinished.c.session_id == sessions.c.id,
            _unfinished.c.kind == bindparam("of_kind"),
            or_(_unfinished.c.status == "queued", _unfinished.c.status == "running"),
        )
        .exists(),
    )
    .limit(bindparam("take"))
    .with_for_update(skip_locked=True, of=sessions)
)


async def find_project(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    """Return the project unless it is being deleted."""
    return await tx.one(_PROJECT, scope=scope, project_id=project_id)


async def find_latest_job(tx: Tx, scope: Scope, session_id: str, kind: str) -> Row | None:
    return await tx.one(_LATEST_JOB, scope=scope, of_session=session_id, of_kind=kind)


async def list_stranded(tx: Tx, kind: str, take: int) -> list[Row]:
    """List sessions in status "enriching" without an active job. Unscoped: maintenance across teams."""
    return await tx.many(_STRANDED, of_kind=kind, take=take)


async def list_raw_events(
    tx: Tx, scope: Scope, session_id: str, *, after: str, take: int, most_bytes: int
) -> list[Row]:
    """List events to enrich, oldest first, up to ``take`` or until ``most_bytes`` is reached; at least one."""
    return await tx.many(_TO_ENRICH, scope=scope, of_session=session_id, after=after, take=take, most_bytes=most_bytes)


async def list_events_between(
    tx: Tx, scope: Scope, session_id: str, first: str, last: str | None, take: int
) -> list[Row]:
    """List the events of a session between these two, newest first."""
    return await tx.many(_BETWEEN, scope=scope, of_session=session_id, first=first, last=last or _AFTER_ALL, take=take)


async def first_unread_event(tx: Tx, scope: Scope, session_id: str) -> str | None:
    """Return the first event that was not enriched yet."""
    row = await tx.one(_FIRST_UNREAD, scope=scope, of_session=session_id)
    return row["first"] if row is not None else None


async def first_event_of_job(tx: Tx, scope: Scope, session_id: str, job_id: str) -> str | None:
    """Return the first event that a job enriched."""
    row = await tx.one(_FIRST_OF_JOB, scope=scope, of_session=session_id, by_job=job_id)
    return row["first"] if row is not None else None


async def mark_enriched(tx: Tx, scope: Scope, event_ids: Sequence[str], job_id: str) -> None:
    await tx.run(_MARK, scope=scope, event_ids=list(event_ids), by_job=job_id)


async def last_position(tx: Tx, scope: Scope, job_id: str) -> int:
    row = await tx.one(_LAST, scope=scope, of_job=job_id)
    return int(row["last"]) if row and row["last"] is not None else 0


async def create_candidates(
    tx: Tx, scope: Scope, job_id: str, project_id: str, found: Sequence[tuple[int, str, str]]
) -> None:
    """Store candidates, given as position, event id and content."""
    rows = [(job_id, position, scope, project_id, event_id, content) for position, event_id, content in found]
    if rows:
        await tx.insert_new(_CANDIDATES, rows)


async def list_to_embed(tx: Tx, scope: Scope, job_id: str, *, after: int, take: int) -> list[Row]:
    return await tx.many(_TO_EMBED, scope=scope, of_job=job_id, after=after, take=take)


async def set_vector(tx: Tx, scope: Scope, job_id: str, position: int, vector: bytes) -> None:
    await tx.run(_SET_VECTOR, scope=scope, of_job=job_id, at_position=position, new_vector=vector)


async def list_pending(tx: Tx, scope: Scope, job_id: str, take: int) -> list[Row]:
    """List candidates without an outcome, in order."""
    return await tx.many(_PENDING, scope=scope, of_job=job_id, take=take)


async def list_candidates(tx: Tx, scope: Scope, job_id: str, take: int) -> list[Row]:
    """List a job's candidates, in order."""
    return await tx.many(_LIST_CANDIDATES, scope=scope, of_job=job_id, take=take)


async def list_item_candidates(tx: Tx, scope: Scope, job_id: str) -> list[Row]:
    """List a job's items without an outcome, in order."""
    return await tx.many(_ITEMS, scope=scope, of_job=job_id)


async def find_actor(tx: Tx, scope: Scope, event_id: str) -> str | None:
    """Return who sent an event; None if only a signature vouches for it."""
    row = await tx.one(_ACTOR, scope=scope, of_event=event_id)
    return row["actor_id"] if row is not None else None


async def list_reverts(tx: Tx, scope: Scope, job_id: str, *, after: int, take: int) -> list[Row]:
    """List a job's reverts that have not been applied, in order."""
    return await tx.many(_REVERTS, scope=scope, of_job=job_id, after=after, take=take)


async def delete_candidates(tx: Tx, scope: Scope, job_id: str, up_to: int) -> None:
    """Delete a job's candidates up to this position."""
    await tx.run(_DELETE_CANDIDATES, scope=scope, of_job=job_id, up_to=up_to)


async def set_outcome(
    tx: Tx, scope: Scope, job_id: str, position: int, outcome: str, item_id: str | None = None
) -> None:
    await tx.run(
        _SET_OUTCOME, scope=scope, of_job=job_id, at_position=position, new_outcome=outcome, new_item_id=item_id
    )


async def transfer_candidates(tx: Tx, scope: Scope, from_job: str, to_job: str) -> None:
    """Move the candidates of a failed job to the job that replaces it."""
    await tx.sweep(_TRANSFER, scope=scope, from_job=from_job, to_job=to_job)


async def count_extracted(tx: Tx, scope: Scope, session_id: str, more: int, model: str) -> None:
    await tx.run(_COUNT_EXTRACTED, scope=scope, session_id=session_id, more=more, new_model=model)
