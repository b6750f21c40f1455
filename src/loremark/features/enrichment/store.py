"""Events on their way into memory: what is raw, what was found in it, and what came of that."""

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
_RAW = Sql(
    select(events.c.id, events.c.event, events.c.payload)
    .join(_sizes, _sizes.c.id == events.c.id)
    .where(_sizes.c.up_to - _sizes.c.size_bytes <= bindparam("most_bytes"))
    .order_by(events.c.id)
)
_MARK = Sql(
    update(events)
    .where(events.c.team_id == bindparam("scope"), InList(events.c.id, "event_ids"))
    .values(enriched_by=bindparam("by_job"))
)
_FOUND = Bulk(
    candidates,
    ("job_id", "position", "team_id", "project_id", "event_id", "content"),
    ("job_id", "position"),
)
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
_SETTLE = Sql(
    update(candidates)
    .where(_of_job, candidates.c.position == bindparam("at_position"))
    .values(outcome=bindparam("new_outcome"), item_id=bindparam("new_item_id"))
)
_OPEN = Sql(
    select(candidates)
    .where(_of_job, candidates.c.outcome.is_(None))
    .order_by(candidates.c.position)
    .limit(bindparam("take"))
)
_SETTLED = Sql(select(candidates).where(_of_job).order_by(candidates.c.position).limit(bindparam("take")))
_FORGET = Sql(delete(candidates).where(_of_job, candidates.c.position <= bindparam("up_to")))
_ADOPT = Sql(
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
_ENDED = Sql(
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
    """A project that is not being deleted."""
    return await tx.one(_PROJECT, scope=scope, project_id=project_id)


async def find_latest_job(tx: Tx, scope: Scope, session_id: str, kind: str) -> Row | None:
    return await tx.one(_LATEST_JOB, scope=scope, of_session=session_id, of_kind=kind)


async def list_stranded(tx: Tx, kind: str, take: int) -> list[Row]:
    """Unscoped: upkeep of all teams. Sessions said to be enriched although no job is at it."""
    return await tx.many(_STRANDED, of_kind=kind, take=take)


async def list_raw_events(
    tx: Tx, scope: Scope, session_id: str, *, after: str, take: int, most_bytes: int
) -> list[Row]:
    """Events nobody has enriched, oldest first: so many, or as many as fit into the bytes and one more."""
    return await tx.many(_RAW, scope=scope, of_session=session_id, after=after, take=take, most_bytes=most_bytes)


async def mark_enriched(tx: Tx, scope: Scope, event_ids: Sequence[str], job_id: str) -> None:
    await tx.run(_MARK, scope=scope, event_ids=list(event_ids), by_job=job_id)


async def last_position(tx: Tx, scope: Scope, job_id: str) -> int:
    row = await tx.one(_LAST, scope=scope, of_job=job_id)
    return int(row["last"]) if row and row["last"] is not None else 0


async def create_candidates(
    tx: Tx, scope: Scope, job_id: str, project_id: str, found: Sequence[tuple[int, str, str]]
) -> None:
    """Each with its position, the event it was found in, and what it is."""
    rows = [(job_id, position, scope, project_id, event_id, content) for position, event_id, content in found]
    if rows:
        await tx.insert_new(_FOUND, rows)


async def list_to_embed(tx: Tx, scope: Scope, job_id: str, *, after: int, take: int) -> list[Row]:
    return await tx.many(_TO_EMBED, scope=scope, of_job=job_id, after=after, take=take)


async def set_vector(tx: Tx, scope: Scope, job_id: str, position: int, vector: bytes) -> None:
    await tx.run(_SET_VECTOR, scope=scope, of_job=job_id, at_position=position, new_vector=vector)


async def list_open(tx: Tx, scope: Scope, job_id: str, take: int) -> list[Row]:
    """What has not become anything yet, in order."""
    return await tx.many(_OPEN, scope=scope, of_job=job_id, take=take)


async def list_settled(tx: Tx, scope: Scope, job_id: str, take: int) -> list[Row]:
    """What has become something, in order."""
    return await tx.many(_SETTLED, scope=scope, of_job=job_id, take=take)


async def forget_settled(tx: Tx, scope: Scope, job_id: str, up_to: int) -> None:
    """Those up to this position have been looked at for the last time."""
    await tx.run(_FORGET, scope=scope, of_job=job_id, up_to=up_to)


async def settle(tx: Tx, scope: Scope, job_id: str, position: int, outcome: str, item_id: str | None = None) -> None:
    await tx.run(_SETTLE, scope=scope, of_job=job_id, at_position=position, new_outcome=outcome, new_item_id=item_id)


async def adopt_candidates(tx: Tx, scope: Scope, from_job: str, to_job: str) -> None:
    """What a failed job has found already belongs to the one that goes on in its place."""
    await tx.sweep(_ADOPT, scope=scope, from_job=from_job, to_job=to_job)


async def count_extracted(tx: Tx, scope: Scope, session_id: str, more: int, model: str) -> None:
    await tx.run(_ENDED, scope=scope, session_id=session_id, more=more, new_model=model)
