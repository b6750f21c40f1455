"""What may be done with a webhook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors, ids, limits
from loremark.base.caller import Caller
from loremark.base.crypto import Sealer
from loremark.features.audit import store as audit
from loremark.features.projects.access import Right, get_project
from loremark.features.webhooks import store
from loremark.jobs import queue
from loremark.jobs.notices import tell_changed
from loremark.ports.outbound.guard import Guard, OutboundRefused, Unresolved
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.webhooks import Delivery, DeliveryBody, NewWebhook, Webhook, WebhookChange, WebhookCreated

DELIVER = "webhooks.deliver"
PURGE = "webhooks.purge"
TEST_TYPE = "webhook.test"
# Tries are counted by the delivery itself, which knows the schedule; the job only must not give up before it.
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
    """Refuse an address we would not call. One that does not resolve may come up later."""
    try:
        await guard.resolve(url)
    except OutboundRefused as refused:
        raise errors.invalid(str(refused)) from refused
    except Unresolved:
        return


def _each_once(events: Iterable[WebhookEvent]) -> list[str]:
    """In the order they were given."""
    return list(dict.fromkeys(event.value for event in events))


async def create_webhook(tx: Tx, caller: Caller, sealer: Sealer, wanted: NewWebhook) -> WebhookCreated:
    await get_project(tx, caller, wanted.project_id, Right.MANAGE)
    if await store.count_webhooks(tx, caller.scope, wanted.project_id) >= limits.WEBHOOKS_PER_PROJECT:
        raise errors.WEBHOOK_LIMIT()
    webhook_id = ids.new("whk")
    events = _each_once(wanted.events)
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
        tx, caller, "webhook.created", webhook_id, project_id=wanted.project_id, url=_shown(wanted.url), events=events
    )
    tell_changed(tx, caller.scope, "webhooks", wanted.project_id)
    made = shape(await get_webhook(tx, caller, webhook_id))
    return WebhookCreated(id=made.id, url=made.url, events=made.events, status=made.status, created_at=made.created_at)


async def get_webhook(tx: Tx, caller: Caller, webhook_id: str, *, archived_too: bool = False) -> Row:
    """The webhook, for those who manage its project."""
    return await _for_managers(tx, caller, await store.find_webhook(tx, caller.scope, webhook_id), archived_too)


async def hold_webhook(tx: Tx, caller: Caller, webhook_id: str, *, archived_too: bool = False) -> Row:
    """The same before a change: nobody else changes it until the transaction ends."""
    return await _for_managers(tx, caller, await store.hold_webhook(tx, caller.scope, webhook_id), archived_too)


async def _for_managers(tx: Tx, caller: Caller, webhook: Row | None, archived_too: bool) -> Row:
    if webhook is None:
        raise errors.WEBHOOK_NOT_FOUND()
    try:
        await get_project(tx, caller, webhook["project_id"], Right.MANAGE, archived_too=archived_too)
    except errors.Refusal as refusal:
        raise errors.WEBHOOK_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    return webhook


async def update_webhook(tx: Tx, caller: Caller, sealer: Sealer, webhook_id: str, change: WebhookChange) -> Webhook:
    webhook = await hold_webhook(tx, caller, webhook_id)
    changes: dict[str, Any] = {}
    if isinstance(change.url, str):
        changes["url"] = change.url
    if isinstance(change.events, list):
        changes["events"] = msgspec.json.encode(_each_once(change.events)).decode()
    if isinstance(change.status, str):
        changes |= {"status": change.status, "failures_in_a_row": 0}
    if change.secret is None:
        changes["secret_sealed"] = None
    elif change.secret is not UNSET:
        changes["secret_sealed"] = sealer.seal(change.secret, secret_context(webhook_id))
    if changes:
        await store.update_webhook(tx, caller.scope, webhook_id, changes)
        fields = sorted(name.removesuffix("_sealed") for name in changes if name != "failures_in_a_row")
        await audit.record(tx, caller, "webhook.updated", webhook_id, project_id=webhook["project_id"], fields=fields)
        tell_changed(tx, caller.scope, "webhooks", webhook["project_id"])
    return shape(await get_webhook(tx, caller, webhook_id))


async def delete_webhook(tx: Tx, caller: Caller, webhook_id: str) -> None:
    """Gone at once, and with it the way to its deliveries, which a job removes."""
    webhook = await hold_webhook(tx, caller, webhook_id, archived_too=True)
    await store.delete_webhook(tx, caller.scope, webhook_id)
    await queue.enqueue(tx, PURGE, {"webhookId": webhook_id}, team_id=caller.team_id, project_id=webhook["project_id"])
    await audit.record(
        tx, caller, "webhook.deleted", webhook_id, project_id=webhook["project_id"], url=_shown(webhook["url"])
    )
    tell_changed(tx, caller.scope, "webhooks", webhook["project_id"])


async def create_test_delivery(tx: Tx, caller: Caller, webhook_id: str) -> tuple[Row, str]:
    """A delivery that only says hello."""
    webhook = await hold_webhook(tx, caller, webhook_id)
    event_id = ids.new("evt")
    body = DeliveryBody(
        id=event_id,
        type=TEST_TYPE,
        project_id=webhook["project_id"],
        timestamp=clock.iso(clock.now_ms()),
        data={"webhookId": webhook_id, "message": "It works."},
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
    # Until the answer is there it counts as not delivered: nobody comes back to a test that was cut off.
    await store.update_delivery(tx, caller.scope, delivery_id, status="failed", attempts=0, error="not finished")
    tell_changed(tx, caller.scope, "webhooks", webhook["project_id"])
    return webhook, delivery_id


async def redeliver(tx: Tx, caller: Caller, webhook_id: str, delivery_id: str) -> Delivery:
    """Tell the same event once more, with the same id and body."""
    await hold_webhook(tx, caller, webhook_id)
    delivery = await store.find_delivery(tx, caller.scope, delivery_id)
    if delivery is None or delivery["webhook_id"] != webhook_id:
        raise errors.DELIVERY_NOT_FOUND()
    if delivery["status"] != "pending":
        await store.update_delivery(
            tx, caller.scope, delivery_id, status="pending", attempts=0, next_attempt_ms=clock.now_ms()
        )
        await promise_delivery(tx, caller.team_id, delivery["project_id"], delivery_id)
    again = await store.find_delivery(tx, caller.scope, delivery_id)
    assert again is not None
    return delivery_shape(again)


async def promise_delivery(tx: Tx, team_id: str, project_id: str, delivery_id: str) -> None:
    await queue.enqueue(
        tx,
        DELIVER,
        {"deliveryId": delivery_id},
        team_id=team_id,
        project_id=project_id,
        max_attempts=_JOB_ATTEMPTS,
    )
    tell_changed(tx, team_id, "webhooks", project_id)


def _shown(url: str) -> str:
    """The address without what may be secret in it."""
    return url.partition("?")[0]
