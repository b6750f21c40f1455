"""Audit entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, delete, exists, insert, or_, select

from loremark.base import clock, ids
from loremark.base.caller import Caller, Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import audit_entries, team_members, webhooks

_INSERT = Sql(insert(audit_entries))
# When somebody is removed, these say what else must end: webhooks they changed, and whether they were ever an admin.
_STILL_NEEDED = or_(
    and_(
        or_(audit_entries.c.action == "webhook.created", audit_entries.c.action == "webhook.updated"),
        exists().where(webhooks.c.id == audit_entries.c.target),
    ),
    and_(
        audit_entries.c.action == "team.role_changed",
        exists().where(team_members.c.id == audit_entries.c.target),
    ),
)
_DELETE_OLD = Sql(
    delete(audit_entries).where(
        audit_entries.c.id.in_(
            select(audit_entries.c.id)
            .where(audit_entries.c.id < bindparam("before"), ~_STILL_NEEDED)
            .order_by(audit_entries.c.id)
            .limit(bindparam("take"))
        )
    )
)


async def record(
    tx: Tx,
    caller: Caller,
    action: str,
    target: str,
    *,
    project_id: str | None = None,
    **details: Any,
) -> None:
    """Record an action of the caller. ``details`` must not contain secrets."""
    await tx.run(
        _INSERT,
        id=ids.new("aud"),
        team_id=caller.team_id,
        project_id=project_id,
        actor_id=caller.user_id,
        actor_name=caller.name,
        auth_method=caller.auth_method.value,
        action=action,
        target=target,
        details=msgspec.json.encode(details).decode(),
        ip_address=caller.address,
        request_id=caller.request_id,
        created_at_ms=clock.now_ms(),
    )


async def list_entries(
    tx: Tx, scope: Scope, *, action: str | None, project_id: str | None, before: str | None, take: int
) -> list[Row]:
    """List entries, newest first."""
    entries = audit_entries
    statement = select(entries).where(entries.c.team_id == scope)
    if action is not None:
        statement = statement.where(entries.c.action == action)
    if project_id is not None:
        statement = statement.where(entries.c.project_id == project_id)
    if before is not None:
        statement = statement.where(entries.c.id < before)
    return await tx.many(statement.order_by(entries.c.id.desc()).limit(take))


async def list_for_export(
    tx: Tx, scope: Scope, *, action: str | None, project_id: str | None, after: str, take: int
) -> list[Row]:
    """List entries, oldest first."""
    entries = audit_entries
    statement = select(entries).where(entries.c.team_id == scope, entries.c.id > after)
    if action is not None:
        statement = statement.where(entries.c.action == action)
    if project_id is not None:
        statement = statement.where(entries.c.project_id == project_id)
    return await tx.many(statement.order_by(entries.c.id).limit(take))


async def list_targets(tx: Tx, scope: Scope, *, actor_id: str, actions: Sequence[str]) -> set[str]:
    """Return what a person has done one of these actions to."""
    entries = audit_entries
    statement = select(entries.c.target).where(
        entries.c.team_id == scope, entries.c.actor_id == actor_id, entries.c.action.in_(actions)
    )
    return {row["target"] for row in await tx.many(statement)}


async def has_entry(tx: Tx, scope: Scope, *, action: str, target: str) -> bool:
    """Return whether this was ever done to the target."""
    entries = audit_entries
    statement = select(entries.c.id).where(
        entries.c.team_id == scope, entries.c.action == action, entries.c.target == target
    )
    return await tx.one(statement.limit(1)) is not None


async def delete_old(tx: Tx, *, before_ms: int, take: int) -> int:
    """Delete the oldest entries from before then, and return how many. Unscoped: maintenance across teams."""
    return await tx.sweep(_DELETE_OLD, before=ids.first_at("aud", before_ms), take=take)
