"""Paid plans: starting, changing and ending subscriptions."""

from __future__ import annotations

from dataclasses import dataclass

from loremark.base import clock, ids, log
from loremark.base.caller import Caller, Scope, system_caller
from loremark.base.plans import Plans
from loremark.features.audit import store as audit
from loremark.features.billing import store
from loremark.features.billing.periods import period_around
from loremark.jobs import queue
from loremark.jobs.notices import notify_changed
from loremark.ports.payments.local import LocalPayments
from loremark.ports.payments.provider import EventReader, Provider, RemoteProvider, Subscription
from loremark.storage.database import Database, Row, Tx
from loremark.wire.billing import SubscriptionInfo, SubscriptionStatus

END = "billing.end_subscription"
_LIVE = ("active", "past_due")

_log = log.logger("billing")


@dataclass(frozen=True)
class Payments:
    """The payment providers: the active one, and those of existing subscriptions."""

    database: Database
    plans: Plans
    provider: Provider
    local: LocalPayments
    stripe: RemoteProvider | None = None
    events: EventReader | None = None

    def provider_of(self, name: str) -> Provider | None:
        """The provider of a subscription, which may differ from the active one. None if it is not configured."""
        return self.stripe if name == "stripe" else self.local


def is_live(account: Row | None) -> bool:
    return account is not None and account["status"] in _LIVE


def subscription_of(account: Row) -> Subscription:
    """The subscription of an account; it must have an active one."""
    return Subscription(
        id=account["provider_subscription"],
        team_id=account["team_id"],
        plan_id=account["plan_id"],
        seats=account["seats"],
        state=account["status"],
        created_at_ms=account["subscribed_at_ms"],
        period_start_ms=account["period_start_ms"],
        period_end_ms=account["period_end_ms"],
        cancel_at_ms=account["cancel_at_ms"],
        customer=account["provider_customer"],
    )


def subscription_info(account: Row | None, seats: int) -> SubscriptionInfo:
    if account is None or account["status"] == "none":
        return SubscriptionInfo(status="none", seats=seats, period_end=None, cancel_at=None)
    return SubscriptionInfo(
        status=status_of(account["status"], account["cancel_at_ms"]),
        seats=account["seats"],
        period_end=clock.iso_or_none(account["period_end_ms"]),
        cancel_at=clock.iso_or_none(account["cancel_at_ms"]),
    )


def status_of(status: str, cancel_at_ms: int | None) -> SubscriptionStatus:
    if status in _LIVE:
        return "cancelling" if cancel_at_ms is not None else "past_due" if status == "past_due" else "active"
    return "cancelled" if status == "cancelled" else "none"


async def start_local(tx: Tx, caller: Caller, plans: Plans, plan_id: str, seats: int) -> None:
    """Start a monthly plan that was confirmed on the built-in checkout page."""
    now_ms = clock.now_ms()
    start_ms, end_ms = period_around(now_ms, now_ms)
    subscription = Subscription(
        id=ids.new("sub"),
        team_id=caller.team_id,
        plan_id=plan_id,
        seats=seats,
        state="active",
        created_at_ms=now_ms,
        period_start_ms=start_ms,
        period_end_ms=end_ms,
    )
    await apply(tx, caller, plans, "local", subscription)


async def apply(tx: Tx, caller: Caller, plans: Plans, provider: str, subscription: Subscription) -> bool:
    """Update the account from the provider's subscription. Returns False if it is not the account's subscription.

    A team has one subscription. If two are active, the newer one counts and the other is ended.
    """
    scope = caller.scope
    account = await store.lock_account(tx, scope, provider)
    known, live = account["provider_subscription"], subscription.state in _LIVE
    if is_live(account) and known != subscription.id:
        if not live:
            return False
        current = (account["subscribed_at_ms"] or 0, known)
        is_older = account["provider"] == provider and (subscription.created_at_ms, subscription.id) < current
        await _enqueue_end(
            tx, scope, provider if is_older else account["provider"], subscription.id if is_older else known
        )
        if is_older:
            return False
    elif not live and known != subscription.id:
        return False
    if live:
        await _save(tx, scope, provider, account, subscription)
        plan_id, seats = plans.get(subscription.plan_id).id, subscription.seats
    elif is_live(account):
        await _end(tx, scope)
        plan_id, seats = plans.default, 1
    else:
        return True
    await _change_plan(tx, caller, plan_id, seats)
    notify_changed(tx, scope, "billing")
    return True


async def _save(tx: Tx, scope: Scope, provider: str, account: Row, subscription: Subscription) -> None:
    await store.update_account(
        tx,
        scope,
        {
            "provider": provider,
            "provider_subscription": subscription.id,
            "provider_customer": subscription.customer or account["provider_customer"],
            "plan_id": subscription.plan_id,
            "seats": subscription.seats,
            "status": subscription.state,
            "subscribed_at_ms": subscription.created_at_ms,
            "period_start_ms": subscription.period_start_ms,
            "period_end_ms": subscription.period_end_ms,
            "cancel_at_ms": subscription.cancel_at_ms,
        },
    )


async def _end(tx: Tx, scope: Scope) -> None:
    """Mark the subscription as cancelled. Its id is kept to recognize late events."""
    none = {"plan_id": None, "period_start_ms": None, "period_end_ms": None, "cancel_at_ms": None}
    await store.update_account(tx, scope, {"status": "cancelled", "seats": 0, **none})


async def _change_plan(tx: Tx, caller: Caller, plan_id: str, seats: int) -> None:
    """Change the plan. Nothing is deleted on a downgrade: data beyond the limits stays readable, writes stop."""
    buyer = await store.find_buyer(tx, caller.scope)
    if buyer is not None and (buyer["plan"], buyer["seats"]) != (plan_id, seats):
        await store.update_plan(tx, caller.scope, plan_id, seats)
        await audit.record(
            tx, caller, "billing.plan_changed", caller.team_id, before=buyer["plan"], plan=plan_id, seats=seats
        )
        notify_changed(tx, caller.team_id, "team")


async def _enqueue_end(tx: Tx, scope: Scope, provider: str, subscription_id: str) -> None:
    """End a replaced subscription at the provider, so that it is not charged again."""
    if provider == "stripe":
        await queue.enqueue(tx, END, {"subscriptionId": subscription_id}, team_id=scope, max_attempts=100)
        _log.info("ending a replaced subscription", team_id=scope, subscription=subscription_id)


async def roll_over_periods(database: Database, plans: Plans, batch_size: int) -> None:
    """For the built-in provider: start the next billing period of ended ones, or end the plan."""
    while True:
        async with database.write() as tx:
            ended = await store.list_ended_periods(tx, batch_size)
            for scope in ended:
                account = await store.lock_account(tx, scope)
                if is_live(account) and account["period_end_ms"] <= clock.now_ms():
                    await _next_period(tx, scope, plans, account)
        if len(ended) < batch_size:
            return


async def _next_period(tx: Tx, scope: Scope, plans: Plans, account: Row) -> None:
    notify_changed(tx, scope, "billing")
    if account["cancel_at_ms"] is not None:
        await _end(tx, scope)
        await _change_plan(tx, system_caller(scope, "Billing"), plans.default, 1)
        return
    start_ms, end_ms = period_around(account["subscribed_at_ms"], clock.now_ms())
    await store.update_account(tx, scope, {"period_start_ms": start_ms, "period_end_ms": end_ms})
