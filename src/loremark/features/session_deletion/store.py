"""Queries for deleting a session's data."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sqlalchemy import Table, bindparam, delete, or_, select

from loremark.base.caller import Scope
from loremark.features.metering.counter_slots import ENRICHMENTS, EVENTS
from loremark.features.metering.project_deletion import ENRICHMENT_JOBS, count_deleted, release_storage
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import (
    blobs,
    branch_commits,
    candidates,
    event_blobs,
    events,
    file_states,
    hygiene_plans,
    items,
    jobs,
    outbox,
    projects,
    sessions,
    turns,
    webhook_deliveries,
)

_PAGE = 2_000
_EVENT_ID = re.compile(r"evt_[0-9a-z]{26}")
_OF_SESSION = (events.c.team_id == bindparam("scope")) & (events.c.session_id == bindparam("of_session"))
_LOCK_PROJECT = Sql(
    select(projects.c.id)
    .where(projects.c.team_id == bindparam("scope"), projects.c.id == bindparam("project_id"))
    .with_for_update(key_share=True)
)
_DELETE_SESSION = Sql(
    delete(sessions).where(sessions.c.team_id == bindparam("scope"), sessions.c.id == bindparam("session_id"))
)
_JOBS = Sql(
    select(jobs.c.id, jobs.c.team_id, jobs.c.kind, jobs.c.created_at_ms).where(
        jobs.c.team_id == bindparam("scope"), jobs.c.session_id == bindparam("of_session")
    )
)
_DELETE_JOBS = Sql(delete(jobs).where(jobs.c.team_id == bindparam("scope"), InList(jobs.c.id, "job_ids")))
_DELETE_CANDIDATES = Sql(
    delete(candidates).where(candidates.c.team_id == bindparam("scope"), InList(candidates.c.job_id, "job_ids"))
)
_EVENT_IDS = Sql(select(events.c.id).where(_OF_SESSION))
# Turns also name the events whose retention period ended before that of the session.
_TURN_EVENT_IDS = Sql(
    select(turns.c.event_id)
    .distinct()
    .where(
        turns.c.team_id == bindparam("scope"),
        turns.c.project_id == bindparam("of_project"),
        turns.c.session_id == bindparam("of_session"),
    )
)
_EVENTS = Sql(
    select(events.c.id, events.c.team_id, events.c.size_bytes, events.c.created_at_ms)
    .where(_OF_SESSION)
    .order_by(events.c.id)
    .limit(bindparam("take"))
)
_DELETE_EVENTS = Sql(delete(events).where(events.c.team_id == bindparam("scope"), InList(events.c.id, "event_ids")))


def _delete_of_events(table: Table) -> Sql:
    return Sql(
        delete(table).where(
            table.c.team_id == bindparam("scope"),
            table.c.project_id == bindparam("of_project"),
            InList(table.c.event_id, "event_ids"),
        )
    )


_DELETE_PARTS = [_delete_of_events(table) for table in (candidates, event_blobs)]
_DELETE_REPOSITORY_STATE = [_delete_of_events(table) for table in (branch_commits, file_states)]
_BLOBS_OF_EVENTS = Sql(
    select(event_blobs.c.sha256)
    .distinct()
    .where(
        event_blobs.c.team_id == bindparam("scope"),
        event_blobs.c.project_id == bindparam("of_project"),
        InList(event_blobs.c.event_id, "event_ids"),
    )
)
_USED_BLOBS = Sql(
    select(event_blobs.c.sha256)
    .distinct()
    .where(
        event_blobs.c.team_id == bindparam("scope"),
        event_blobs.c.project_id == bindparam("of_project"),
        InList(event_blobs.c.sha256, "hashes"),
    )
)
_EVIDENCE = Sql(
    select(items.c.id, items.c.session_id, items.c.evidence)
    .where(
        items.c.team_id == bindparam("scope"),
        items.c.project_id == bindparam("of_project"),
        items.c.id > bindparam("after"),
    )
    .order_by(items.c.id)
    .limit(bindparam("take"))
)
_BLOB_ROWS = Sql(
    select(blobs.c.sha256, blobs.c.team_id, blobs.c.size_bytes)
    .where(
        blobs.c.team_id == bindparam("scope"),
        blobs.c.project_id == bindparam("of_project"),
        InList(blobs.c.sha256, "hashes"),
    )
    .with_for_update()
)
_DELETE_BLOBS = Sql(
    delete(blobs).where(
        blobs.c.team_id == bindparam("scope"),
        blobs.c.project_id == bindparam("of_project"),
        InList(blobs.c.sha256, "hashes"),
    )
)


async def lock_project(tx: Tx, scope: Scope, project_id: str) -> None:
    """Wait for events that are being stored, and let later ones wait until this transaction ends."""
    await tx.one(_LOCK_PROJECT, scope=scope, project_id=project_id)


async def delete_session(tx: Tx, scope: Scope, session_id: str) -> None:
    await tx.run(_DELETE_SESSION, scope=scope, session_id=session_id)


async def delete_jobs(tx: Tx, scope: Scope, session_id: str) -> None:
    """Delete a session's enrichment jobs with their candidates."""
    rows = await tx.many(_JOBS, scope=scope, of_session=session_id)
    job_ids = [row["id"] for row in rows]
    await tx.sweep(_DELETE_CANDIDATES, scope=scope, job_ids=job_ids)
    await tx.sweep(_DELETE_JOBS, scope=scope, job_ids=job_ids)
    await count_deleted(tx, ENRICHMENTS, [row for row in rows if row["kind"] == ENRICHMENT_JOBS])


async def list_event_ids(tx: Tx, scope: Scope, session_id: str) -> frozenset[str]:
    return frozenset(row["id"] for row in await tx.many(_EVENT_IDS, scope=scope, of_session=session_id))


async def list_expired_event_ids(tx: Tx, scope: Scope, project_id: str, session_id: str) -> frozenset[str]:
    """Return the events of a session whose retention period is over: their turns remain."""
    rows = await tx.many(_TURN_EVENT_IDS, scope=scope, of_project=project_id, of_session=session_id)
    return frozenset(row["event_id"] for row in rows) - await list_event_ids(tx, scope, session_id)


async def find_items(
    tx: Tx, scope: Scope, project_id: str, session_id: str, event_ids: Collection[str], *, after: str, take: int
) -> list[str]:
    """Return the ids of the next items that were created from a session or quote its events, oldest first."""
    found: list[str] = []
    while len(found) < take:
        page = await tx.many(_EVIDENCE, scope=scope, of_project=project_id, after=after, take=_PAGE)
        found += [
            row["id"]
            for row in page
            if row["session_id"] == session_id
            or any(event_id in event_ids for event_id in _EVENT_ID.findall(row["evidence"]))
        ]
        if len(page) < _PAGE:
            break
        after = page[-1]["id"]
    return found[:take]


async def list_events(tx: Tx, scope: Scope, session_id: str, take: int) -> list[Row]:
    """List the sizes and times of events, oldest first."""
    return await tx.many(_EVENTS, scope=scope, of_session=session_id, take=take)


async def delete_events(tx: Tx, scope: Scope, project_id: str, rows: Sequence[Row]) -> set[str]:
    """Delete events, count them as deleted, and return the hashes of the blobs they referred to.

    The caller has locked the project, so that no event is counted twice.
    """
    event_ids = [row["id"] for row in rows]
    hashes = await tx.many(_BLOBS_OF_EVENTS, scope=scope, of_project=project_id, event_ids=event_ids)
    for statement in (*_DELETE_PARTS, _DELETE_EVENTS):
        await tx.sweep(statement, scope=scope, of_project=project_id, event_ids=event_ids)
    await count_deleted(tx, EVENTS, rows)
    await release_storage(tx, rows)
    return {row["sha256"] for row in hashes}


async def delete_repository_state(tx: Tx, scope: Scope, project_id: str, event_ids: Collection[str]) -> None:
    """Delete what these events said about files and branches."""
    for statement in _DELETE_REPOSITORY_STATE:
        await tx.sweep(statement, scope=scope, of_project=project_id, event_ids=list(event_ids))


async def find_used_blobs(tx: Tx, scope: Scope, project_id: str, hashes: Sequence[str]) -> set[str]:
    """Return the blobs that an event of the project refers to."""
    rows = await tx.many(_USED_BLOBS, scope=scope, of_project=project_id, hashes=list(hashes))
    return {row["sha256"] for row in rows}


async def delete_blobs(tx: Tx, scope: Scope, project_id: str, hashes: Collection[str]) -> int:
    """Delete the rows of blobs, release their storage and return how many there were. Their files are deleted later."""
    rows = await tx.many(_BLOB_ROWS, scope=scope, of_project=project_id, hashes=list(hashes))
    await tx.sweep(_DELETE_BLOBS, scope=scope, of_project=project_id, hashes=list(hashes))
    await release_storage(tx, rows)
    return len(rows)


async def delete_mentions(tx: Tx, scope: Scope, project_id: str, record_ids: Sequence[str]) -> None:
    """Delete webhook events, deliveries and hygiene plans about these records."""
    for table, text in (
        (outbox, outbox.c.data),
        (webhook_deliveries, webhook_deliveries.c.body),
        (hygiene_plans, hygiene_plans.c.versions),
    ):
        mentions = or_(*(text.contains(record_id) for record_id in record_ids))
        await tx.sweep(delete(table).where(table.c.team_id == scope, table.c.project_id == project_id, mentions))
