"""Webhooks, deliveries and the outbox."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update

from loremark.base import clock, ids
from loremark.base.caller import Caller, Scope
from loremark.features.projects.access import visible_to
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import outbox, projects, webhook_deliveries, webhooks

_INSERT = Sql(insert(webhooks))
_webhook = select(webhooks).where(webhooks.c.team_id == bindparam("scope"), webhooks.c.id == bindparam("webhook_id"))
_FIND = Sql(_webhook)
_LOCK = Sql(_webhook.with_for_update(key_share=True))
_COUNT = Sql(
    select(func.count().label("found"))
    .select_from(webhooks)
    .where(webhooks.c.team_id == bindparam("scope"), webhooks.c.project_id == bindparam("of_project"))
)
_DELETE = Sql(
    delete(webhooks).where(webhooks.c.team_id == bindparam("scope"), webhooks.c.id == bindparam("webhook_id"))
)
_some_of_webhook = (
    select(webhook_deliveries.c.id)
    .where(
        webhook_deliveries.c.team_id == bindparam("scope"), webhook_deliveries.c.webhook_id == bindparam("of_webhook")
    )
    .limit(bindparam("take"))
)
_DELETE_SOME = Sql(delete(webhook_deliveries).where(webhook_deliveries.c.id.in_(_some_of_webhook)))
_OLDEST = Sql(
    select(webhook_deliveries.c.id, webhook_deliveries.c.status, webhook_deliveries.c.created_at_ms)
    .where(webhook_deliveries.c.id > bindparam("after"))
    .order_by(webhook_deliveries.c.id)
    .limit(bindparam("take"))
)
_DELETE_ENDED = Sql(
    delete(webhook_deliveries).where(
        InList(webhook_deliveries.c.id, "delivery_ids"), webhook_deliveries.c.status != "pending"
    )
)
_SUBSCRIBED = Sql(
    select(webhooks.c.id, webhooks.c.project_id, webhooks.c.events)
    .where(InList(webhooks.c.project_id, "of_projects"), webhooks.c.status == "active")
    .order_by(webhooks.c.id)
    .with_for_update(read=True, key_share=True)
)
_OUTBOX_EVENTS = Sql(select(outbox).order_by(outbox.c.id).limit(bindparam("take")).with_for_update(skip_locked=True))
_DELETE_OUTBOX_EVENTS = Sql(delete(outbox).where(InList(outbox.c.id, "event_ids")))
_INSERT_DELIVERY = Sql(insert(webhook_deliveries))
_DELIVERIES = Sql(
    select(webhook_deliveries)
    .where(
        webhook_deliveries.c.team_id == bindparam("scope"),
        webhook_deliveries.c.webhook_id == bindparam("of_webhook"),
        webhook_deliveries.c.id < bindparam("before"),
    )
    .order_by(webhook_deliveries.c.id.desc())
    .limit(bindparam("take"))
)
_FIND_DELIVERY = Sql(
    select(webhook_deliveries).where(
        webhook_deliveries.c.team_id == bindparam("scope"), webhook_deliveries.c.id == bindparam("delivery_id")
    )
)
_SET_DELIVERY = Sql(
    update(webhook_deliveries)
    .where(webhook_deliveries.c.team_id == bindparam("scope"), webhook_deliveries.c.id == bindparam("delivery_id"))
    .values(
        status=bindparam("new_status"),
        attempts=bindparam("new_attempts"),
        response_status=bindparam("new_response_status"),
        error=bindparam("new_error"),
        next_attempt_ms=bindparam("new_next_ms"),
        delivered_at_ms=bindparam("new_delivered_ms"),
    )
)
_SET_FAILURES = Sql(
    update(webhooks)
    .where(webhooks.c.team_id == bindparam("scope"), webhooks.c.id == bindparam("webhook_id"))
    .values(consecutive_failures=bindparam("failures"), status=bindparam("new_status"))
)
_AFTER_ALL_IDS = "\uffff"
_ERROR_CHARS = 200


async def create_webhook(
    tx: Tx, caller: Caller, webhook_id: str, *, project_id: str, url: str, events: str, secret_sealed: str | None
) -> None:
    now_ms = clock.now_ms()
    await tx.run(
        _INSERT,
        id=webhook_id,
        team_id=caller.team_id,
        project_id=project_id,
        url=url,
        events=events,
        secret_sealed=secret_sealed,
        status="active",
        consecutive_failures=0,
        created_at_ms=now_ms,
        updated_at_ms=now_ms,
    )


async def count_webhooks(tx: Tx, scope: Scope, project_id: str) -> int:
    """Count a project's webhooks, locking out concurrent additions."""
    await tx.lock(f"webhooks of {project_id}")
    row = await tx.one(_COUNT, scope=scope, of_project=project_id)
    assert row is not None
    return int(row["found"])


async def find_webhook(tx: Tx, scope: Scope, webhook_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, webhook_id=webhook_id)


async def lock_webhook(tx: Tx, scope: Scope, webhook_id: str) -> Row | None:
    """Find a webhook and lock it."""
    return await tx.one(_LOCK, scope=scope, webhook_id=webhook_id)


async def list_webhooks(tx: Tx, caller: Caller, *, project_id: str | None, before: str | None, take: int) -> list[Row]:
    """List webhooks of one project or of all visible ones, newest first."""
    statement = select(webhooks).where(webhooks.c.team_id == caller.scope)
    if project_id is not None:
        statement = statement.where(webhooks.c.project_id == project_id)
    else:
        statement = statement.where(webhooks.c.project_id.in_(select(projects.c.id).where(visible_to(caller))))
    if before is not None:
        statement = statement.where(webhooks.c.id < before)
    return await tx.many(statement.order_by(webhooks.c.id.desc()).limit(take))


async def update_webhook(tx: Tx, scope: Scope, webhook_id: str, changes: dict[str, Any]) -> None:
    await tx.run(
        update(webhooks)
        .where(webhooks.c.team_id == scope, webhooks.c.id == webhook_id)
        .values(updated_at_ms=clock.now_ms(), **changes)
    )


async def delete_webhook(tx: Tx, scope: Scope, webhook_id: str) -> None:
    """Delete the webhook row. Waits for a running fan-out, so that no delivery is created afterwards."""
    await tx.run(_DELETE, scope=scope, webhook_id=webhook_id)


async def delete_deliveries(tx: Tx, scope: Scope, webhook_id: str, take: int) -> int:
    """Delete up to ``take`` deliveries of a webhook and return how many."""
    return await tx.sweep(_DELETE_SOME, scope=scope, of_webhook=webhook_id, take=take)


async def list_outbox_events(tx: Tx, take: int) -> list[Row]:
    """Unscoped: the oldest outbox events of all teams, locked."""
    return await tx.many(_OUTBOX_EVENTS, take=take)


async def list_subscribed(tx: Tx, project_ids: list[str]) -> list[Row]:
    """Unscoped: the active webhooks of these projects, locked against deletion."""
    return await tx.many(_SUBSCRIBED, of_projects=project_ids)


async def delete_outbox_events(tx: Tx, event_ids: list[str]) -> None:
    """Unscoped: delete events whose deliveries were created."""
    await tx.sweep(_DELETE_OUTBOX_EVENTS, event_ids=event_ids)


async def create_delivery(
    tx: Tx, scope: Scope, *, webhook_id: str, project_id: str, event_id: str, type: str, body: str
) -> str:
    delivery_id = ids.new("dlv")
    now_ms = clock.now_ms()
    await tx.run(
        _INSERT_DELIVERY,
        id=delivery_id,
        team_id=scope,
        project_id=project_id,
        webhook_id=webhook_id,
        event_id=event_id,
        type=type,
        body=body,
        status="pending",
        attempts=0,
        response_status=None,
        error=None,
        next_attempt_ms=now_ms,
        created_at_ms=now_ms,
        delivered_at_ms=None,
    )
    return delivery_id


async def list_deliveries(tx: Tx, scope: Scope, webhook_id: str, *, before: str | None, take: int) -> list[Row]:
    """List a webhook's deliveries, newest first."""
    return await tx.many(_DELIVERIES, scope=scope, of_webhook=webhook_id, before=before or _AFTER_ALL_IDS, take=take)


async def find_delivery(tx: Tx, scope: Scope, delivery_id: str) -> Row | None:
    return await tx.one(_FIND_DELIVERY, scope=scope, delivery_id=delivery_id)


async def update_delivery(
    tx: Tx,
    scope: Scope,
    delivery_id: str,
    *,
    status: str,
    attempts: int,
    response_status: int | None = None,
    error: str | None = None,
    next_attempt_ms: int | None = None,
) -> None:
    await tx.run(
        _SET_DELIVERY,
        scope=scope,
        delivery_id=delivery_id,
        new_status=status,
        new_attempts=attempts,
        new_response_status=response_status,
        new_error=error[:_ERROR_CHARS] if error else None,
        new_next_ms=next_attempt_ms,
        new_delivered_ms=clock.now_ms() if status == "delivered" else None,
    )


async def update_failures(tx: Tx, scope: Scope, webhook_id: str, *, failures: int, status: str) -> None:
    await tx.run(_SET_FAILURES, scope=scope, webhook_id=webhook_id, failures=failures, new_status=status)


async def list_oldest(tx: Tx, *, after: str, take: int) -> list[Row]:
    """Unscoped: the oldest deliveries. Ids sort by time."""
    return await tx.many(_OLDEST, after=after, take=take)


async def delete_ended(tx: Tx, delivery_ids: list[str]) -> int:
    """Unscoped: delete those that are not pending and return how many."""
    return await tx.sweep(_DELETE_ENDED, delivery_ids=delivery_ids)
