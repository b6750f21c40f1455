"""Queries for briefings: what they are made of beside search, and what was served."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import and_, bindparam, insert, or_, select

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.items.store import ITEM_SELECT
from loremark.memory.briefing.entries import Document
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, Sql
from loremark.storage.tables import briefing_entries, briefings, items, turns

_encode = msgspec.json.Encoder().encode
_OF_PROJECT = and_(items.c.team_id == bindparam("scope"), items.c.project_id == bindparam("of_project"))
_ON_BRANCH = or_(items.c.branch.is_(None), items.c.branch == bindparam("on_branch"))
_RULES = Sql(
    ITEM_SELECT.where(
        _OF_PROJECT,
        items.c.status == "approved",
        items.c.superseded_by.is_(None),
        or_(items.c.type == "convention", items.c.type == "decision"),
        _ON_BRANCH,
    )
    .order_by(items.c.tier, items.c.confidence.desc(), items.c.id.desc())
    .limit(bindparam("take"))
)
_OPEN_WORK = Sql(
    ITEM_SELECT.where(
        _OF_PROJECT,
        items.c.status == "approved",
        items.c.superseded_by.is_(None),
        items.c.type == "todo",
        _ON_BRANCH,
    )
    .order_by(items.c.id.desc())
    .limit(bindparam("take"))
)
_LAST_ON_BRANCH = Sql(
    select(turns.c.session_id)
    .where(
        turns.c.team_id == bindparam("scope"),
        turns.c.project_id == bindparam("of_project"),
        turns.c.branch == bindparam("on_branch"),
        turns.c.kind == "session",
        turns.c.said_at_ms >= bindparam("since_ms"),
    )
    .order_by(turns.c.id.desc())
    .limit(1)
)
_INSERT = Sql(insert(briefings))
_ENTRIES = Bulk(
    briefing_entries,
    ("entry_id", "project_id", "briefing_id", "team_id", "kind", "reviewed", "outcome", "created_at_ms", "turn_ids"),
    ("project_id", "briefing_id", "entry_id"),
)


async def list_rules(tx: Tx, scope: Scope, project_id: str, branch: str, take: int) -> list[Row]:
    """List approved conventions and decisions, the most certain first."""
    return await tx.many(_RULES, scope=scope, of_project=project_id, on_branch=branch, take=take)


async def list_open_work(tx: Tx, scope: Scope, project_id: str, branch: str, take: int) -> list[Row]:
    """List approved todos, newest first."""
    return await tx.many(_OPEN_WORK, scope=scope, of_project=project_id, on_branch=branch, take=take)


async def find_last_session(tx: Tx, scope: Scope, project_id: str, branch: str, since_ms: int) -> str | None:
    """Return the session that spoke last on a branch."""
    row = (await tx.many(_LAST_ON_BRANCH, scope=scope, of_project=project_id, on_branch=branch, since_ms=since_ms))[:1]
    return str(row[0]["session_id"]) if row else None


async def create_briefing(
    tx: Tx, scope: Scope, project_id: str, *, source: str, kind: str, document: Document, served: bool
) -> str:
    """Record what was served, or would have been, and return its id."""
    briefing_id, now_ms = ids.new("brf"), clock.now_ms()
    await tx.run(
        _INSERT,
        id=briefing_id,
        team_id=scope,
        project_id=project_id,
        source=source,
        kind=kind,
        tokens=document.tokens,
        created_at_ms=now_ms,
        looked_at_turn=None,
        served=served,
    )
    about = (project_id, briefing_id, scope)
    rows: Sequence[tuple[object, ...]] = [
        (entry.id, *about, entry.kind, entry.reviewed, "", now_ms, _encode(entry.turn_ids).decode())
        for entry in document.entries
    ]
    if rows:
        await tx.insert_new(_ENTRIES, rows)
    return briefing_id
