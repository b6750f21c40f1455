"""The provider's webhooks: each only says where to look, and what is there now is what counts.

So they may come late, twice and in any order. An event is marked as seen in the transaction that acts on it; what
changed between the look and that transaction is looked at again.
"""

from __future__ import annotations

from loremark.base import clock, errors, log
from loremark.base.caller import Scope
from loremark.features.audit import store as audit
from loremark.features.billing import ledger, recharge, store, subscriptions
from loremark.features.billing.subscriptions import Cashier, machine
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

_LOOKS = 5
_RETRY = {"Retry-After": "30"}
_ACTOR = "Stripe"

_log = log.logger("billing")


async def receive(cashier: Cashier, reader: EventReader, body: bytes, signature: str | None) -> None:
    """Take a webhook. What cannot be done now is refused, and the provider sends it again."""
    try:
        event = reader.read_event(body, signature)
    except BadSignature as error:
        raise errors.BAD_WEBHOOK_SIGNATURE() from error
    async with cashier.database.read() as tx:
        if await store.was_seen(tx, event.id):
            return
    if event.about == "nothing" or cashier.stripe is None:
        async with cashier.database.write() as tx:
            await _see(tx, event)
        return
    try:
        await _look(cashier, cashier.stripe, event)
    except (PaymentsUnavailable, PaymentFailed) as error:
        raise errors.UNAVAILABLE(_RETRY) from error


async def _see(tx: Tx, event: Event) -> bool:
    return await store.see_event(tx, event.id, event.type, event.occurred_at_ms)


async def _look(cashier: Cashier, stripe: RemoteProvider, event: Event) -> None:
    if event.about == "payment":
        charge = await stripe.get_charge(event.object_id)
        async with cashier.database.write() as tx:
            if await _see(tx, event) and charge is not None:
                await _take_charge(tx, cashier, charge)
        return
    for _ in range(_LOOKS):
        told, revision = await _subscription_now(cashier, stripe, event.object_id)
        async with cashier.database.write() as tx:
            if told is None or not await _is_known(tx, told):
                await _see(tx, event)
                return
            scope = Scope(told.team_id)
            account = await store.hold_account(tx, scope, stripe.name)
            if account["revision"] == revision:
                if await _see(tx, event):
                    await subscriptions.apply(tx, machine(scope, _ACTOR), cashier.plans, stripe.name, told)
                return
    raise errors.UNAVAILABLE(_RETRY)


async def _subscription_now(
    cashier: Cashier, stripe: RemoteProvider, subscription_id: str
) -> tuple[Subscription | None, int]:
    """How it stands, and the account's revision from before we asked."""
    first = await stripe.get_subscription(subscription_id)
    if first is None:
        return None, 0
    async with cashier.database.read() as tx:
        account = await store.find_account(tx, Scope(first.team_id))
    return await stripe.get_subscription(subscription_id), account["revision"] if account else 0


async def _is_known(tx: Tx, told: Subscription) -> bool:
    """Whether the team is one of ours, and the customer this team's: an account of Stripe's may serve others too."""
    if await store.find_buyer(tx, Scope(told.team_id)) is None:
        return False
    holder = await store.find_team_of(tx, told.customer or "")
    return holder in (None, told.team_id)


async def _take_charge(tx: Tx, cashier: Cashier, charge: Charge) -> None:
    scope = Scope(charge.team_id)
    buyer = await store.find_buyer(tx, scope)
    if buyer is None:
        return
    if charge.outcome != "paid":
        if charge.outcome == "failed":
            price_cents = charge.pack.price_cents
            await recharge.settle(tx, scope, charge.transaction_id, failed=True, price_cents=price_cents)
        return
    actor = machine(scope, _ACTOR)
    bought = await ledger.buy(tx, scope, charge.pack, charge.transaction_id)
    await recharge.settle(tx, scope, charge.transaction_id)
    if bought.fresh:
        await audit.record(tx, actor, "billing.credits_bought", charge.transaction_id, payment=charge.id)
    for refund in charge.refunds:
        tokens = charge.pack.tokens * refund.price_cents // max(1, charge.pack.price_cents)
        taken = await ledger.take_back(
            tx,
            scope,
            cashier.plans,
            buyer["plan"],
            purchase=charge.transaction_id,
            refund_id=refund.id,
            tokens=tokens,
            price_cents=refund.price_cents,
        )
        if taken is not None:
            await audit.record(
                tx, actor, "billing.credits_refunded", charge.transaction_id, refund=refund.id, tokens=taken
            )


class EndSubscription:
    """Ends at the provider what another subscription has replaced."""

    def __init__(self, cashier: Cashier) -> None:
        self._cashier = cashier

    async def __call__(self, run: Run) -> None:
        if self._cashier.stripe is None:
            _log.error(
                "a subscription cannot be ended: Stripe is not set up", subscription=run.payload["subscriptionId"]
            )
            return
        try:
            await self._cashier.stripe.end_subscription(run.payload["subscriptionId"])
        except (PaymentsUnavailable, PaymentFailed) as error:
            raise RetryLater(str(error), clock.MINUTE_MS) from error
