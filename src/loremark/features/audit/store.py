"""Audit entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import insert, select

from loremark.base import clock, ids
from loremark.base.caller import Caller, Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import audit_entries

_INSERT = Sql(insert(audit_entries))


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
