"""Creating, updating, testing and deleting webhooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors, ids, limits
from loremark.base.caller import Caller
from loremark.base.crypto import Sealer
from loremark.features.audit import store as audit
from loremark.features.projects.access import Access, get_project
from loremark.features.team.departures import Departure
from loremark.features.webhooks import store
from loremark.jobs import queue
from loremark.jobs.notices import notify_changed
from loremark.ports.outbound.guard import Guard, OutboundRefused, Unresolved
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.webhooks import Delivery, DeliveryBody, NewWebhook, Webhook, WebhookCreated, WebhookUpdate

DELIVER = "webhooks.deliver"
PURGE = "webhooks.purge"
TEST_TYPE = "webhook.test"
# The delivery counts its own attempts; the job must not give up first.
_JOB_ATTEMPTS = 1_000


def secret_context(webhook_id: str) -> str:
    return f"webhook:{webhook_id}"


def shape(row: Row) -> Webhook:
    return Webhook(
        id=row["id"],
        project_id=row["project_id"],
        url=row["url"],
        events=msgspec.json.decode(row["events"]),
        status=row["status"],
        has_secret=row["secret_sealed"] is not None,
        created_at=clock.iso(row["created_at_ms"]),
    )


def delivery_shape(row: Row) -> Delivery:
    return Delivery(
        id=row["id"],
        event_id=row["event_id"],
        type=row["type"],
        status=row["status"],
        attempts=row["attempts"],
        response_status=row["response_status"],
        error=row["error"],
        next_attempt_at=clock.iso_or_none(row["next_attempt_ms"]),
        created_at=clock.iso(row["created_at_ms"]),
        delivered_at=clock.iso_or_none(row["delivered_at_ms"]),
    )


async def check_url(guard: Guard, url: str) -> None:
    """Reject a URL we may not call. A host that does not resolve yet is accepted."""
    try:
        await guard.resolve(url)
    except OutboundRefused as refused:
        raise errors.invalid(str(refused)) from refused
    except Unresolved:
        return


def _unique(events: Iterable[WebhookEvent]) -> list[str]:
    """Event names without duplicates, in the given order."""
    return list(dict.fromkeys(event.value for event in events))


async def create_webhook(tx: Tx, caller: Caller, sealer: Sealer, wanted: NewWebhook) -> WebhookCreated:
    await get_project(tx, caller, wanted.project_id, Access.MANAGE)
    if await store.count_webhooks(tx, caller.scope, wanted.project_id) >= limits.WEBHOOKS_PER_PROJECT:
        raise errors.WEBHOOK_LIMIT()
    webhook_id = ids.new("whk")
    events = _unique(wanted.events)
    await store.create_webhook(
        tx,
        caller,
        webhook_id,
        project_id=wanted.project_id,
        url=wanted.url,
        events=msgspec.json.encode(events).decode(),
        secret_sealed=sealer.seal(wanted.secret, secret_context(webhook_id)) if wanted.secret else None,
    )
    await audit.record(
        tx,
        caller,
        "webhook.created",
        webhook_id,
        project_id=wanted.project_id,
        url=_without_query(wanted.url),
        events=events,
    )
    notify_changed(tx, caller.scope, "webhooks", wanted.project_id)
    created = shape(await get_webhook(tx, caller, webhook_id))
    return WebhookCreated(
        id=created.id, url=created.url, events=created.events, status=created.status, created_at=created.created_at
    )


async def get_webhook(tx: Tx, caller: Caller, webhook_id: str, *, allow_archived: bool = False) -> Row:
    """Get a webhook. The caller must manage its project."""
    return await _check_managed(tx, caller, await store.find_webhook(tx, caller.scope, webhook_id), allow_archived)


async def lock_webhook(tx: Tx, caller: Caller, webhook_id: str, *, allow_archived: bool = False) -> Row:
    """Like ``get_webhook``, and lock the row."""
    return await _check_managed(tx, caller, await store.lock_webhook(tx, caller.scope, webhook_id), allow_archived)


async def _check_managed(tx: Tx, caller: Caller, webhook: Row | None, allow_archived: bool) -> Row:
    if webhook is None:
        raise errors.WEBHOOK_NOT_FOUND()
    try:
        await get_project(tx, caller, webhook["project_id"], Access.MANAGE, allow_archived=allow_archived)
    except errors.Refusal as refusal:
        raise errors.WEBHOOK_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    return webhook


async def update_webhook(tx: Tx, caller: Caller, sealer: Sealer, webhook_id: str, change: WebhookUpdate) -> Webhook:
    webhook = await lock_webhook(tx, caller, webhook_id)
    changes: dict[str, Any] = {}
    if isinstance(change.url, str):
        changes["url"] = change.url
    if isinstance(change.events, list):
        changes["events"] = msgspec.json.encode(_unique(change.events)).decode()
    if isinstance(change.status, str):
        changes |= {"status": change.status, "consecutive_failures": 0}
    if change.secret is None:
        changes["secret_sealed"] = None
    elif change.secret is not UNSET:
        changes["secret_sealed"] = sealer.seal(change.secret, secret_context(webhook_id))
    if changes:
        await store.update_webhook(tx, caller.scope, webhook_id, changes)
        fields = sorted(name.removesuffix("_sealed") for name in changes if name != "consecutive_failures")
        await audit.record(tx, caller, "webhook.updated", webhook_id, project_id=webhook["project_id"], fields=fields)
        notify_changed(tx, caller.scope, "webhooks", webhook["project_id"])
    return shape(await get_webhook(tx, caller, webhook_id))


async def disable_of_departed(tx: Tx, caller: Caller, departure: Departure) -> list[str]:
    """Disable the webhooks that a removed person created or changed: they may lead to a server of theirs."""
    touched = await audit.list_targets(
        tx, caller.scope, actor_id=departure.user_id, actions=("webhook.created", "webhook.updated")
    )
    lines = []
    for webhook_id in sorted(touched):
        webhook = await store.lock_webhook(tx, caller.scope, webhook_id)
        if webhook is None or webhook["status"] != "active" or webhook["project_id"] not in departure.project_ids:
            continue
        await store.update_webhook(tx, caller.scope, webhook_id, {"status": "disabled"})
        await audit.record(
            tx, caller, "webhook.updated", webhook_id, project_id=webhook["project_id"], fields=["status"]
        )
        notify_changed(tx, caller.scope, "webhooks", webhook["project_id"])
        lines.append(f"disabled the webhook {_without_query(webhook['url'])}")
    return lines


async def delete_webhook(tx: Tx, caller: Caller, webhook_id: str) -> None:
    """Delete a webhook. A job removes its deliveries, which are no longer reachable."""
    webhook = await lock_webhook(tx, caller, webhook_id, allow_archived=True)
    await store.delete_webhook(tx, caller.scope, webhook_id)
    await queue.enqueue(tx, PURGE, {"webhookId": webhook_id}, team_id=caller.team_id, project_id=webhook["project_id"])
    await audit.record(
        tx, caller, "webhook.deleted", webhook_id, project_id=webhook["project_id"], url=_without_query(webhook["url"])
    )
    notify_changed(tx, caller.scope, "webhooks", webhook["project_id"])


async def create_test_delivery(tx: Tx, caller: Caller, webhook_id: str) -> tuple[Row, str]:
    """Create a test delivery."""
    webhook = await lock_webhook(tx, caller, webhook_id)
    event_id = ids.new("evt")
    body = DeliveryBody(
        id=event_id,
        type=TEST_TYPE,
        project_id=webhook["project_id"],
        timestamp=clock.iso(clock.now_ms()),
        data={"webhookId": webhook_id, "message": "Test delivery"},
    )
    delivery_id = await store.create_delivery(
        tx,
        caller.scope,
        webhook_id=webhook_id,
        project_id=webhook["project_id"],
        event_id=event_id,
        type=TEST_TYPE,
        body=msgspec.json.encode(body).decode(),
    )
    # Failed until the result is recorded, because an interrupted test is never resumed.
    await store.update_delivery(tx, caller.scope, delivery_id, status="failed", attempts=0, error="not finished")
    notify_changed(tx, caller.scope, "webhooks", webhook["project_id"])
    return webhook, delivery_id


async def redeliver(tx: Tx, caller: Caller, webhook_id: str, delivery_id: str) -> Delivery:
    """Send the same event again, with the same id and body."""
    await lock_webhook(tx, caller, webhook_id)
    delivery = await store.find_delivery(tx, caller.scope, delivery_id)
    if delivery is None or delivery["webhook_id"] != webhook_id:
        raise errors.DELIVERY_NOT_FOUND()
    if delivery["status"] != "pending":
        await store.update_delivery(
            tx, caller.scope, delivery_id, status="pending", attempts=0, next_attempt_ms=clock.now_ms()
        )
        await enqueue_delivery(tx, caller.team_id, delivery["project_id"], delivery_id)
    again = await store.find_delivery(tx, caller.scope, delivery_id)
    assert again is not None
    return delivery_shape(again)


async def enqueue_delivery(tx: Tx, team_id: str, project_id: str, delivery_id: str) -> None:
    await queue.enqueue(
        tx,
        DELIVER,
        {"deliveryId": delivery_id},
        team_id=team_id,
        project_id=project_id,
        max_attempts=_JOB_ATTEMPTS,
    )
    notify_changed(tx, team_id, "webhooks", project_id)


def _without_query(url: str) -> str:
    """The URL without its query, which may contain secrets."""
    return url.partition("?")[0]
