"""Queries for readings and the items that came from them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import and_, bindparam, delete, func, insert, select, update

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.history.store import encode
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, Sql
from loremark.storage.tables import items, reading_items, readings, revisions

_INSERT = Sql(insert(readings))
_OWN = and_(readings.c.team_id == bindparam("scope"), readings.c.id == bindparam("reading_id"))
_FIND = Sql(select(readings).where(_OWN))
_LOCK = Sql(select(readings).where(_OWN).with_for_update())
_OF_SESSION = and_(readings.c.team_id == bindparam("scope"), readings.c.session_id == bindparam("of_session"))
_LATEST = Sql(select(readings).where(_OF_SESSION).order_by(readings.c.id.desc()).limit(1))
_LIST = Sql(select(readings).where(_OF_SESSION).order_by(readings.c.id.desc()).limit(bindparam("take")))
_UPDATE = Sql(
    update(readings)
    .where(_OWN)
    .values(
        status=bindparam("new_status"),
        model=bindparam("new_model"),
        answers=bindparam("new_answers"),
        prompt_tokens=bindparam("new_prompt_tokens"),
        completion_tokens=bindparam("new_completion_tokens"),
        error=bindparam("new_error"),
        updated_at_ms=bindparam("now_ms"),
    )
)
_SET_STATUS = Sql(
    update(readings)
    .where(_OWN)
    .values(status=bindparam("new_status"), error=bindparam("new_error"), updated_at_ms=bindparam("now_ms"))
)
_USED = Sql(
    select(
        func.count().label("calls"),
        func.coalesce(func.sum(readings.c.prompt_tokens + readings.c.completion_tokens), 0).label("tokens"),
    ).where(
        readings.c.team_id == bindparam("scope"),
        readings.c.user_id == bindparam("of_user"),
        readings.c.created_at_ms >= bindparam("since_ms"),
    )
)
_ITEMS = Bulk(
    reading_items,
    ("project_id", "item_id", "team_id", "session_id", "model", "prompt_version"),
    ("project_id", "item_id"),
)
_reviewed = select(revisions.c.record_id).where(
    revisions.c.record_id == reading_items.c.item_id,
    revisions.c.project_id == bindparam("of_project"),
    revisions.c.actor_id.is_not(None),
)
_KEPT = Sql(
    select(items.c.status, func.count().label("found"))
    .join(reading_items, reading_items.c.item_id == items.c.id)
    .where(
        reading_items.c.team_id == bindparam("scope"),
        reading_items.c.project_id == bindparam("of_project"),
        reading_items.c.model == bindparam("of_model"),
        reading_items.c.prompt_version == bindparam("of_version"),
        _reviewed.exists(),
    )
    .group_by(items.c.status)
)
_IS_FROM = Sql(
    select(reading_items.c.item_id).where(
        reading_items.c.team_id == bindparam("scope"),
        reading_items.c.project_id == bindparam("of_project"),
        reading_items.c.item_id == bindparam("of_item"),
    )
)
_RULE_DRAFTS = Sql(
    select(items.c.id)
    .where(
        items.c.team_id == bindparam("scope"),
        items.c.project_id == bindparam("of_project"),
        items.c.session_id == bindparam("of_session"),
        items.c.status == "draft",
        ~select(reading_items.c.item_id)
        .where(reading_items.c.project_id == items.c.project_id, reading_items.c.item_id == items.c.id)
        .exists(),
        ~select(revisions.c.record_id)
        .where(revisions.c.record_id == items.c.id, revisions.c.actor_id.is_not(None))
        .exists(),
    )
    .order_by(items.c.id)
)
_DELETE_READINGS = Sql(delete(readings).where(_OF_SESSION))
_DELETE_ITEMS = Sql(
    delete(reading_items).where(
        reading_items.c.team_id == bindparam("scope"), reading_items.c.session_id == bindparam("of_session")
    )
)


async def create_reading(
    tx: Tx,
    scope: Scope,
    project_id: str,
    session_id: str,
    *,
    user_id: str | None,
    agent: str,
    prompt_version: str,
    from_event: str,
    up_to_event: str,
    known: Sequence[str],
    parts: int,
) -> str:
    """Create an open reading and return its id."""
    reading_id, now_ms = ids.new("rdg"), clock.now_ms()
    await tx.run(
        _INSERT,
        id=reading_id,
        team_id=scope,
        project_id=project_id,
        session_id=session_id,
        user_id=user_id,
        agent=agent,
        model="",
        prompt_version=prompt_version,
        status="open",
        from_event=from_event,
        up_to_event=up_to_event,
        known=encode(list(known)),
        answers="[]",
        parts=parts,
        prompt_tokens=0,
        completion_tokens=0,
        error="",
        created_at_ms=now_ms,
        updated_at_ms=now_ms,
    )
    return reading_id


async def find_reading(tx: Tx, scope: Scope, reading_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, reading_id=reading_id)


async def lock_reading(tx: Tx, scope: Scope, reading_id: str) -> Row | None:
    return await tx.one(_LOCK, scope=scope, reading_id=reading_id)


async def find_latest(tx: Tx, scope: Scope, session_id: str) -> Row | None:
    """Return the session's last reading, whatever came of it."""
    return await tx.one(_LATEST, scope=scope, of_session=session_id)


async def list_of_session(tx: Tx, scope: Scope, session_id: str, take: int) -> list[Row]:
    """List a session's readings, newest first."""
    return await tx.many(_LIST, scope=scope, of_session=session_id, take=take)


async def update_reading(
    tx: Tx,
    scope: Scope,
    row: Row,
    *,
    status: str,
    model: str,
    answers: Sequence[str],
    prompt_tokens: int,
    completion_tokens: int,
    error: str = "",
) -> None:
    """Store what has been answered so far. The caller has locked ``row``."""
    await tx.run(
        _UPDATE,
        scope=scope,
        reading_id=row["id"],
        new_status=status,
        new_model=model,
        new_answers=encode(list(answers)),
        new_prompt_tokens=prompt_tokens,
        new_completion_tokens=completion_tokens,
        new_error=error,
        now_ms=clock.now_ms(),
    )


async def set_status(tx: Tx, scope: Scope, reading_id: str, status: str, error: str = "") -> None:
    await tx.run(
        _SET_STATUS, scope=scope, reading_id=reading_id, new_status=status, new_error=error, now_ms=clock.now_ms()
    )


async def used_since(tx: Tx, scope: Scope, user_id: str, since_ms: int) -> tuple[int, int]:
    """Return how many sessions a person's agents have read since then, and the tokens of it."""
    row = await tx.one(_USED, scope=scope, of_user=user_id, since_ms=since_ms)
    assert row is not None
    return int(row["calls"]), int(row["tokens"])


async def add_items(
    tx: Tx, scope: Scope, project_id: str, session_id: str, item_ids: Sequence[str], model: str, prompt_version: str
) -> None:
    """Record which items came from a reading."""
    if item_ids:
        rows = [(project_id, item_id, scope, session_id, model, prompt_version) for item_id in item_ids]
        await tx.insert_new(_ITEMS, rows)


async def count_reviewed(tx: Tx, scope: Scope, project_id: str, model: str, prompt_version: str) -> tuple[int, int]:
    """Return how many items of this model and prompt people approved, and how many they rejected."""
    rows = await tx.many(_KEPT, scope=scope, of_project=project_id, of_model=model, of_version=prompt_version)
    found = {row["status"]: int(row["found"]) for row in rows}
    return found.get("approved", 0), found.get("deprecated", 0)


async def is_from_reading(tx: Tx, scope: Scope, project_id: str, item_id: str) -> bool:
    return await tx.one(_IS_FROM, scope=scope, of_project=project_id, of_item=item_id) is not None


async def list_rule_drafts(tx: Tx, scope: Scope, project_id: str, session_id: str) -> list[str]:
    """List the drafts of a session that no model wrote and nobody has edited or reviewed."""
    rows = await tx.many(_RULE_DRAFTS, scope=scope, of_project=project_id, of_session=session_id)
    return [row["id"] for row in rows]


async def delete_of_session(tx: Tx, scope: Scope, session_id: str) -> None:
    """Delete a session's readings with what the model said."""
    await tx.run(_DELETE_READINGS, scope=scope, of_session=session_id)
    await tx.run(_DELETE_ITEMS, scope=scope, of_session=session_id)


def answers_of(row: Row) -> list[str]:
    return msgspec.json.decode(row["answers"], type=list[str])


def known_of(row: Row) -> list[str]:
    return msgspec.json.decode(row["known"], type=list[str])
