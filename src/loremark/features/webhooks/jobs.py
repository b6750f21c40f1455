"""Telling webhooks: from the outbox to deliveries, each delivery until it is taken or given up, and its end."""

from __future__ import annotations

import msgspec

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.base.crypto import Sealer, SealError
from loremark.base.webhook_signing import delivery_headers
from loremark.features.webhooks import store
from loremark.features.webhooks.service import promise_delivery, secret_context
from loremark.jobs import queue
from loremark.jobs.notices import tell_changed
from loremark.jobs.run import RetryLater, Run
from loremark.ports.outbound.sender import Answer, Sender
from loremark.storage.database import Database, Row, Tx
from loremark.wire.webhooks import DeliveryBody

DISABLED_MAIL = "webhooks.disabled_mail"
_FAILURES_UNTIL_DISABLED = 10
_DELIVERIES_AT_ONCE = 500
_KEPT_MS = 30 * clock.DAY_MS
_ROWS_AT_ONCE = 1_000


async def fan_out(tx: Tx, take: int) -> int:
    """Turn waiting events into deliveries, in one transaction of bounded size; how many events there were.

    That is ``take`` also when some had to be left for the next transaction, so that it follows at once.
    """
    events = await store.list_waiting_events(tx, take)
    if not events:
        return 0
    listening: dict[str, list[tuple[str, set[str]]]] = {}
    for row in await store.list_listening(tx, sorted({event["project_id"] for event in events if event["project_id"]})):
        wanted = set(msgspec.json.decode(row["events"]))
        listening.setdefault(row["project_id"], []).append((row["id"], wanted))
    told: list[str] = []
    promised = 0
    for event in events:
        hearing = [found for found, wanted in listening.get(event["project_id"], ()) if event["type"] in wanted]
        if told and promised + len(hearing) > _DELIVERIES_AT_ONCE:
            break
        for webhook_id in hearing:
            await _promise(tx, webhook_id, event)
        told.append(event["id"])
        promised += len(hearing)
    await store.empty_outbox(tx, told)
    return len(events) if len(told) == len(events) else take


async def _promise(tx: Tx, webhook_id: str, event: Row) -> None:
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
    await promise_delivery(tx, event["team_id"], event["project_id"], delivery_id)


class Deliverer:
    """Sends one delivery, and says what became of it."""

    def __init__(self, sealer: Sealer, sender: Sender, retry_delays_s: tuple[int, ...]) -> None:
        self._sealer = sealer
        self._sender = sender
        self._retry_delays_s = retry_delays_s

    async def send(self, webhook: Row, delivery: Row) -> Answer:
        """One attempt, with no transaction open."""
        body = delivery["body"].encode()
        sealed = webhook["secret_sealed"]
        try:
            secret = self._sealer.open(sealed, secret_context(webhook["id"])) if sealed else None
        except SealError as error:
            return Answer(None, str(error))
        return await self._sender.post(webhook["url"], body, delivery_headers(delivery["event_id"], body, secret))

    async def __call__(self, run: Run) -> None:
        """Deliver, or come back later by the schedule, or give up."""
        scope = Scope(run.job.team_id or "")
        async with run.database.read() as tx:
            delivery = await store.find_delivery(tx, scope, run.payload["deliveryId"])
            webhook = await store.find_webhook(tx, scope, delivery["webhook_id"]) if delivery else None
        if delivery is None or webhook is None or delivery["status"] != "pending":
            return
        early_ms = (delivery["next_attempt_ms"] or 0) - clock.now_ms()
        if early_ms > 0:  # an attempt was written down, but not the job's own end
            raise RetryLater("not due yet", early_ms)
        if webhook["status"] != "active":
            async with run.finish("disabled") as tx:
                await store.update_delivery(
                    tx,
                    scope,
                    delivery["id"],
                    status="failed",
                    attempts=delivery["attempts"],
                    error="the webhook is disabled",
                )
                tell_changed(tx, scope, "webhooks", webhook["project_id"])
            return
        answer = await self.send(webhook, delivery)
        async with run.finish(f"attempt {delivery['attempts'] + 1}") as tx:
            again_in_ms = await self.settle(tx, scope, delivery, answer)
        if again_in_ms is not None:
            raise RetryLater(answer.error or "not delivered", again_in_ms)

    async def settle(self, tx: Tx, scope: Scope, delivery: Row, answer: Answer) -> int | None:
        """Write an attempt down; in how many milliseconds to try again, or None when it is over."""
        webhook = await store.hold_webhook(tx, scope, delivery["webhook_id"])  # it may have been switched meanwhile
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
        tell_changed(tx, scope, "webhooks", webhook["project_id"])
        if answer.succeeded:
            await store.update_failures(tx, scope, webhook["id"], failures=0, status=webhook["status"])
        elif delay_ms is None and webhook["status"] == "active":
            await _count_failure(tx, scope, webhook)
        return delay_ms


async def _count_failure(tx: Tx, scope: Scope, webhook: Row) -> None:
    """One more that failed for good; the tenth in a row switches the webhook off."""
    failures = webhook["failures_in_a_row"] + 1
    disabled = failures >= _FAILURES_UNTIL_DISABLED
    status = "disabled" if disabled else "active"
    await store.update_failures(tx, scope, webhook["id"], failures=failures, status=status)
    if disabled:
        await queue.enqueue(tx, DISABLED_MAIL, {"webhookId": webhook["id"]}, team_id=scope)


async def purge(run: Run) -> None:
    """Delete the deliveries of a webhook that is gone, a bounded piece at a time. After a crash it begins again."""
    scope, webhook_id = Scope(run.job.team_id or ""), str(run.payload["webhookId"])
    deleted = _ROWS_AT_ONCE
    while deleted == _ROWS_AT_ONCE:
        async with run.database.write() as tx:
            deleted = await store.delete_deliveries(tx, scope, webhook_id, _ROWS_AT_ONCE)


async def prune(database: Database) -> None:
    """Forget deliveries that ended a month ago: looked for from the oldest on, and not by the writer."""
    after, before_ms = "", clock.now_ms() - _KEPT_MS
    while True:
        async with database.read() as tx:
            oldest = await store.list_oldest(tx, after=after, take=_ROWS_AT_ONCE)
        old = [row for row in oldest if row["created_at_ms"] < before_ms]
        ended = [row["id"] for row in old if row["status"] != "pending"]
        if ended:
            async with database.write() as tx:
                await store.delete_ended(tx, ended)
        if len(old) < _ROWS_AT_ONCE:
            return
        after = old[-1]["id"]
