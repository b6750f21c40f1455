"""Webhook deliveries: creating them from the outbox, sending, retrying and pruning them."""

from __future__ import annotations

import msgspec

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.base.crypto import Sealer, SealError
from loremark.base.webhook_signing import delivery_headers
from loremark.features.webhooks import store
from loremark.features.webhooks.service import enqueue_delivery, secret_context
from loremark.jobs import queue
from loremark.jobs.notices import notify_changed
from loremark.jobs.run import RetryLater, Run
from loremark.ports.outbound.sender import Answer, Sender
from loremark.storage.database import Database, Row, Tx
from loremark.wire.webhooks import DeliveryBody

DISABLED_EMAIL = "webhooks.disabled_email"
_FAILURES_UNTIL_DISABLED = 10
_MAX_DELIVERIES = 500
_RETENTION_MS = 30 * clock.DAY_MS
_BATCH_ROWS = 1_000


async def fan_out(tx: Tx, take: int) -> int:
    """Create deliveries for outbox events, in one transaction of bounded size, and return the number of events.

    Returns ``take`` if some events were left for the next transaction, so that it follows immediately.
    """
    events = await store.list_outbox_events(tx, take)
    if not events:
        return 0
    subscribed: dict[str, list[tuple[str, set[str]]]] = {}
    for row in await store.list_subscribed(
        tx, sorted({event["project_id"] for event in events if event["project_id"]})
    ):
        wanted = set(msgspec.json.decode(row["events"]))
        subscribed.setdefault(row["project_id"], []).append((row["id"], wanted))
    handled: list[str] = []
    created = 0
    for event in events:
        receivers = [found for found, wanted in subscribed.get(event["project_id"], ()) if event["type"] in wanted]
        if handled and created + len(receivers) > _MAX_DELIVERIES:
            break
        for webhook_id in receivers:
            await _create_delivery(tx, webhook_id, event)
        handled.append(event["id"])
        created += len(receivers)
    await store.delete_outbox_events(tx, handled)
    return len(events) if len(handled) == len(events) else take


async def _create_delivery(tx: Tx, webhook_id: str, event: Row) -> None:
    body = DeliveryBody(
        id=event["id"],
        type=event["type"],
        project_id=event["project_id"],
        timestamp=clock.iso(event["created_at_ms"]),
        data=msgspec.json.decode(event["data"]),
    )
    delivery_id = await store.create_delivery(
        tx,
        Scope(event["team_id"]),
        webhook_id=webhook_id,
        project_id=event["project_id"],
        event_id=event["id"],
        type=event["type"],
        body=msgspec.json.encode(body).decode(),
    )
    await enqueue_delivery(tx, event["team_id"], event["project_id"], delivery_id)


class Deliverer:
    """Sends deliveries and records the result."""

    def __init__(self, sealer: Sealer, sender: Sender, retry_delays_s: tuple[int, ...]) -> None:
        self._sealer = sealer
        self._sender = sender
        self._retry_delays_s = retry_delays_s

    async def send(self, webhook: Row, delivery: Row) -> Answer:
        """Make one attempt, outside of a transaction."""
        body = delivery["body"].encode()
        sealed = webhook["secret_sealed"]
        try:
            secret = self._sealer.open(sealed, secret_context(webhook["id"])) if sealed else None
        except SealError as error:
            return Answer(None, str(error))
        return await self._sender.post(webhook["url"], body, delivery_headers(delivery["event_id"], body, secret))

    async def __call__(self, run: Run) -> None:
        """Deliver, or retry later, or give up."""
        scope = Scope(run.job.team_id or "")
        async with run.database.read() as tx:
            delivery = await store.find_delivery(tx, scope, run.payload["deliveryId"])
            webhook = await store.find_webhook(tx, scope, delivery["webhook_id"]) if delivery else None
        if delivery is None or webhook is None or delivery["status"] != "pending":
            return
        early_ms = (delivery["next_attempt_ms"] or 0) - clock.now_ms()
        if early_ms > 0:  # the last attempt was recorded, but the job did not finish
            raise RetryLater("not due yet", early_ms)
        if webhook["status"] != "active":
            async with run.finish("disabled") as tx:
                await store.update_delivery(
                    tx,
                    scope,
                    delivery["id"],
                    status="failed",
                    attempts=delivery["attempts"],
                    error="webhook is disabled",
                )
                notify_changed(tx, scope, "webhooks", webhook["project_id"])
            return
        answer = await self.send(webhook, delivery)
        async with run.finish(f"attempt {delivery['attempts'] + 1}") as tx:
            retry_in_ms = await self.record_attempt(tx, scope, delivery, answer)
        if retry_in_ms is not None:
            raise RetryLater(answer.error or "not delivered", retry_in_ms)

    async def record_attempt(self, tx: Tx, scope: Scope, delivery: Row, answer: Answer) -> int | None:
        """Record an attempt. Returns the delay until the next one in milliseconds, or None if there is none."""
        webhook = await store.lock_webhook(
            tx, scope, delivery["webhook_id"]
        )  # it may have been disabled in the meantime
        if webhook is None:
            return None
        attempts = delivery["attempts"] + 1
        delay_ms: int | None = None
        if not answer.succeeded and webhook["status"] == "active" and attempts <= len(self._retry_delays_s):
            delay_ms = self._retry_delays_s[attempts - 1] * clock.SECOND_MS
        await store.update_delivery(
            tx,
            scope,
            delivery["id"],
            status="delivered" if answer.succeeded else "failed" if delay_ms is None else "pending",
            attempts=attempts,
            response_status=answer.status,
            error=answer.error,
            next_attempt_ms=None if delay_ms is None else clock.now_ms() + delay_ms,
        )
        notify_changed(tx, scope, "webhooks", webhook["project_id"])
        if answer.succeeded:
            await store.update_failures(tx, scope, webhook["id"], failures=0, status=webhook["status"])
        elif delay_ms is None and webhook["status"] == "active":
            await _count_failure(tx, scope, webhook)
        return delay_ms


async def _count_failure(tx: Tx, scope: Scope, webhook: Row) -> None:
    """Count a failed delivery. Ten in a row disable the webhook."""
    failures = webhook["consecutive_failures"] + 1
    disabled = failures >= _FAILURES_UNTIL_DISABLED
    status = "disabled" if disabled else "active"
    await store.update_failures(tx, scope, webhook["id"], failures=failures, status=status)
    if disabled:
        await queue.enqueue(tx, DISABLED_EMAIL, {"webhookId": webhook["id"]}, team_id=scope)


async def purge(run: Run) -> None:
    """Delete a deleted webhook's deliveries, in bounded batches."""
    scope, webhook_id = Scope(run.job.team_id or ""), str(run.payload["webhookId"])
    deleted = _BATCH_ROWS
    while deleted == _BATCH_ROWS:
        async with run.database.write() as tx:
            deleted = await store.delete_deliveries(tx, scope, webhook_id, _BATCH_ROWS)


async def prune(database: Database) -> None:
    """Delete deliveries that finished more than 30 days ago."""
    after, before_ms = "", clock.now_ms() - _RETENTION_MS
    while True:
        async with database.read() as tx:
            oldest = await store.list_oldest(tx, after=after, take=_BATCH_ROWS)
        old = [row for row in oldest if row["created_at_ms"] < before_ms]
        ended = [row["id"] for row in old if row["status"] != "pending"]
        if ended:
            async with database.write() as tx:
                await store.delete_ended(tx, ended)
        if len(old) < _BATCH_ROWS:
            return
        after = old[-1]["id"]
