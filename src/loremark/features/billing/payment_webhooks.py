"""Webhooks from the payment provider.

An event only says which object changed; the current state is fetched from the provider. So events may arrive late,
twice and in any order. An event is marked as seen in the transaction that applies it, and the fetch is repeated if the
account changed in between.
"""

from __future__ import annotations

from loremark.base import clock, errors, log
from loremark.base.caller import Scope, system_caller
from loremark.features.audit import store as audit
from loremark.features.billing import ledger, recharge, store, subscriptions
from loremark.features.billing.subscriptions import Payments
from loremark.jobs.run import RetryLater, Run
from loremark.ports.payments.provider import (
    BadSignature,
    Charge,
    Event,
    EventReader,
    PaymentFailed,
    PaymentsUnavailable,
    RemoteProvider,
    Subscription,
)
from loremark.storage.database import Tx

_ATTEMPTS = 5
_RETRY = {"Retry-After": "30"}
_ACTOR = "Stripe"

_log = log.logger("billing")


async def receive(payments: Payments, reader: EventReader, body: bytes, signature: str | None) -> None:
    """Process a webhook. If that fails for now, it is refused and the provider sends it again."""
    try:
        event = reader.read_event(body, signature)
    except BadSignature as error:
        raise errors.BAD_WEBHOOK_SIGNATURE() from error
    async with payments.database.read() as tx:
        if await store.is_event_seen(tx, event.id):
            return
    if event.about == "nothing" or payments.stripe is None:
        async with payments.database.write() as tx:
            await _mark_seen(tx, event)
        return
    try:
        await _process(payments, payments.stripe, event)
    except (PaymentsUnavailable, PaymentFailed) as error:
        raise errors.UNAVAILABLE(_RETRY) from error


async def _mark_seen(tx: Tx, event: Event) -> bool:
    return await store.mark_event_seen(tx, event.id, event.type, event.occurred_at_ms)


async def _process(payments: Payments, stripe: RemoteProvider, event: Event) -> None:
    if event.about == "payment":
        charge = await stripe.get_charge(event.object_id)
        async with payments.database.write() as tx:
            if await _mark_seen(tx, event) and charge is not None:
                await _apply_charge(tx, payments, charge)
        return
    for _ in range(_ATTEMPTS):
        subscription, revision = await _fetch_subscription(payments, stripe, event.object_id)
        async with payments.database.write() as tx:
            if subscription is None or not await _belongs_to_team(tx, subscription):
                await _mark_seen(tx, event)
                return
            scope = Scope(subscription.team_id)
            account = await store.lock_account(tx, scope, stripe.name)
            if account["revision"] == revision:
                if await _mark_seen(tx, event):
                    await subscriptions.apply(
                        tx, system_caller(scope, _ACTOR), payments.plans, stripe.name, subscription
                    )
                return
    raise errors.UNAVAILABLE(_RETRY)


async def _fetch_subscription(
    payments: Payments, stripe: RemoteProvider, subscription_id: str
) -> tuple[Subscription | None, int]:
    """The current subscription, and the account's revision before it was fetched."""
    first = await stripe.get_subscription(subscription_id)
    if first is None:
        return None, 0
    async with payments.database.read() as tx:
        account = await store.find_account(tx, Scope(first.team_id))
    return await stripe.get_subscription(subscription_id), account["revision"] if account else 0


async def _belongs_to_team(tx: Tx, subscription: Subscription) -> bool:
    """Whether the team exists and the customer is this team's. A Stripe account may serve other systems too."""
    if await store.find_buyer(tx, Scope(subscription.team_id)) is None:
        return False
    holder = await store.find_team_by_customer(tx, subscription.customer or "")
    return holder in (None, subscription.team_id)


async def _apply_charge(tx: Tx, payments: Payments, charge: Charge) -> None:
    scope = Scope(charge.team_id)
    buyer = await store.find_buyer(tx, scope)
    if buyer is None:
        return
    if charge.outcome != "paid":
        if charge.outcome == "failed":
            price_cents = charge.pack.price_cents
            await recharge.settle(tx, scope, charge.transaction_id, failed=True, price_cents=price_cents)
        return
    actor = system_caller(scope, _ACTOR)
    purchase = await ledger.credit_purchase(tx, scope, charge.pack, charge.transaction_id)
    await recharge.settle(tx, scope, charge.transaction_id)
    if purchase.created:
        await audit.record(tx, actor, "billing.credits_purchased", charge.transaction_id, payment=charge.id)
    for refund in charge.refunds:
        tokens = charge.pack.tokens * refund.price_cents // max(1, charge.pack.price_cents)
        refunded = await ledger.refund(
            tx,
            scope,
            payments.plans,
            buyer["plan"],
            purchase=charge.transaction_id,
            refund_id=refund.id,
            tokens=tokens,
            price_cents=refund.price_cents,
        )
        if refunded is not None:
            await audit.record(
                tx, actor, "billing.credits_refunded", charge.transaction_id, refund=refund.id, tokens=refunded
            )


class EndSubscription:
    """Ends a replaced subscription at the provider."""

    def __init__(self, payments: Payments) -> None:
        self._payments = payments

    async def __call__(self, run: Run) -> None:
        if self._payments.stripe is None:
            _log.error(
                "cannot end a subscription: Stripe is not configured", subscription=run.payload["subscriptionId"]
            )
            return
        try:
            await self._payments.stripe.end_subscription(run.payload["subscriptionId"])
        except (PaymentsUnavailable, PaymentFailed) as error:
            raise RetryLater(str(error), clock.MINUTE_MS) from error
