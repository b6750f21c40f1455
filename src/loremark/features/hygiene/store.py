"""Queries for plans, the items to analyze and the history to redact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, insert, select, update

from loremark.base import clock, ids, limits
from loremark.base.caller import Scope
from loremark.features.hygiene import records
from loremark.features.hygiene.records import PlannedAction
from loremark.features.items.store import ITEM_SELECT
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import hygiene_plans, item_vectors, items, revisions, vector_cache

ACTIVE_STATUSES = ("approved", "draft")

_newest = (
    select(items.c.id, func.length(items.c.content).label("size"))
    .where(
        items.c.team_id == bindparam("scope"),
        items.c.project_id == bindparam("of_project"),
        InList(items.c.status, "statuses"),
    )
    .order_by(items.c.id.desc())
    .limit(bindparam("take"))
    .subquery()
)
# Sum the sizes first, so texts beyond the character limit of one analysis are not read.
_sizes = select(_newest, func.sum(_newest.c.size).over(order_by=_newest.c.id.desc()).label("up_to")).subquery()
_NEWEST = Sql(
    ITEM_SELECT.join(_sizes, _sizes.c.id == items.c.id)
    .where(items.c.team_id == bindparam("scope"), _sizes.c.up_to - _sizes.c.size <= limits.TEXTS_PAGE_CHARS)
    .order_by(items.c.id.desc())
)
_INSERT = Sql(insert(hygiene_plans))
_ONE = and_(
    hygiene_plans.c.team_id == bindparam("scope"),
    hygiene_plans.c.project_id == bindparam("of_project"),
    hygiene_plans.c.id == bindparam("plan_id"),
    hygiene_plans.c.expires_at_ms > bindparam("now_ms"),
)
_LOCK = Sql(select(hygiene_plans).where(_ONE).with_for_update())
_NEWEST_PLANS = Sql(
    select(hygiene_plans)
    .where(
        hygiene_plans.c.team_id == bindparam("scope"),
        hygiene_plans.c.project_id == bindparam("of_project"),
        hygiene_plans.c.expires_at_ms > bindparam("now_ms"),
    )
    .order_by(hygiene_plans.c.id.desc())
    .limit(bindparam("take"))
)
_UPDATE = Sql(
    update(hygiene_plans)
    .where(hygiene_plans.c.team_id == bindparam("scope"), hygiene_plans.c.id == bindparam("plan_id"))
    .values(actions=bindparam("new_actions"), versions=bindparam("new_versions"))
)
_expired = (
    select(hygiene_plans.c.id).where(hygiene_plans.c.expires_at_ms <= bindparam("now_ms")).limit(bindparam("take"))
)
_PRUNE = Sql(delete(hygiene_plans).where(hygiene_plans.c.id.in_(_expired.scalar_subquery())))

_OF_ITEM = and_(
    revisions.c.team_id == bindparam("scope"),
    revisions.c.record_kind == "item",
    revisions.c.record_id == bindparam("of_item"),
)
_SNAPSHOTS = Sql(
    select(revisions.c.version, revisions.c.snapshot)
    .where(_OF_ITEM, revisions.c.version > bindparam("after"))
    .order_by(revisions.c.version)
    .limit(bindparam("take"))
)
_REWRITE = Sql(
    update(revisions).where(_OF_ITEM, revisions.c.version == bindparam("at_version")).values(snapshot=bindparam("new"))
)
_of_vectors = and_(
    item_vectors.c.team_id == bindparam("scope"),
    item_vectors.c.project_id == bindparam("of_project"),
    item_vectors.c.item_id == bindparam("of_item"),
)
_DELETE_VECTORS = Sql(delete(item_vectors).where(_of_vectors))
_DELETE_CACHED = Sql(
    delete(vector_cache).where(
        vector_cache.c.team_id == bindparam("scope"),
        vector_cache.c.project_id == bindparam("of_project"),
        InList(vector_cache.c.text_hash, "hashes"),
    )
)


async def list_newest(tx: Tx, scope: Scope, project_id: str, take: int) -> list[Row]:
    """List the newest active items. Stops early on very long texts."""
    return await tx.many(_NEWEST, scope=scope, of_project=project_id, statuses=list(ACTIVE_STATUSES), take=take)


async def create_plan(
    tx: Tx,
    scope: Scope,
    project_id: str,
    *,
    mode: str,
    actions: Sequence[PlannedAction],
    versions: Mapping[str, int],
    items_analyzed: int,
) -> Mapping[str, Any]:
    """Store a plan and return its row."""
    now_ms = clock.now_ms()
    row: dict[str, Any] = {
        "id": ids.new("hyg"),
        "team_id": scope,
        "project_id": project_id,
        "mode": mode,
        "actions": records.encode(list(actions)),
        "versions": records.encode(dict(versions)),
        "items_analyzed": items_analyzed,
        "created_at_ms": now_ms,
        "expires_at_ms": now_ms + limits.HYGIENE_PLAN_VALID_MS,
    }
    await tx.run(_INSERT, **row)
    return row


async def list_plans(tx: Tx, scope: Scope, project_id: str, take: int) -> list[Row]:
    """List plans that have not expired, newest first."""
    return await tx.many(_NEWEST_PLANS, scope=scope, of_project=project_id, now_ms=clock.now_ms(), take=take)


async def lock_plan(tx: Tx, scope: Scope, project_id: str, plan_id: str) -> Row | None:
    """Return the plan, locked until the transaction ends, or None if it does not exist or has expired."""
    return await tx.one(_LOCK, scope=scope, of_project=project_id, plan_id=plan_id, now_ms=clock.now_ms())


async def update_plan(
    tx: Tx, scope: Scope, plan_id: str, actions: Sequence[PlannedAction], versions: Mapping[str, int]
) -> None:
    await tx.run(
        _UPDATE,
        scope=scope,
        plan_id=plan_id,
        new_actions=records.encode(list(actions)),
        new_versions=records.encode(dict(versions)),
    )


async def prune_plans(tx: Tx, take: int) -> int:
    """Delete expired plans and return the number deleted. Unscoped: maintenance across teams."""
    return await tx.sweep(_PRUNE, now_ms=clock.now_ms(), take=take)


async def list_snapshots(tx: Tx, scope: Scope, item_id: str, *, after: int, take: int) -> list[Row]:
    """List an item's snapshots, oldest first."""
    return await tx.many(_SNAPSHOTS, scope=scope, of_item=item_id, after=after, take=take)


async def rewrite_snapshot(tx: Tx, scope: Scope, item_id: str, version: int, snapshot: str) -> None:
    """Replace a snapshot. Only redaction may change history."""
    await tx.run(_REWRITE, scope=scope, of_item=item_id, at_version=version, new=snapshot)


async def delete_vectors(tx: Tx, scope: Scope, project_id: str, item_id: str, text_hashes: Sequence[str]) -> None:
    """Delete the item's vectors and those cached for its earlier texts, which contained the redacted text."""
    await tx.run(_DELETE_VECTORS, scope=scope, of_project=project_id, of_item=item_id)
    if text_hashes:
        await tx.run(_DELETE_CACHED, scope=scope, of_project=project_id, hashes=list(text_hashes))
