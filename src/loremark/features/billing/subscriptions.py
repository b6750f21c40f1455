"""Plans that are paid for: how one begins, changes, and ends."""

from __future__ import annotations

from dataclasses import dataclass

from loremark.base import clock, ids, log
from loremark.base.caller import OWNER, Caller, Scope, Via
from loremark.base.plans import Plans
from loremark.features.audit import store as audit
from loremark.features.billing import store
from loremark.features.billing.periods import period_around
from loremark.jobs import queue
from loremark.jobs.notices import tell_changed
from loremark.ports.payments.local import LocalPayments
from loremark.ports.payments.provider import EventReader, Provider, RemoteProvider, Subscription
from loremark.storage.database import Database, Row, Tx
from loremark.wire.billing import SubscriptionState, SubscriptionStatus

END = "billing.end_subscription"
_LIVE = ("active", "past_due")

_log = log.logger("billing")


@dataclass(frozen=True)
class Cashier:
    """Who takes the money now, who did before, and what there is to be sold."""

    database: Database
    plans: Plans
    provider: Provider
    local: LocalPayments
    stripe: RemoteProvider | None = None
    events: EventReader | None = None

    def provider_of(self, name: str) -> Provider | None:
        """The provider that holds a subscription: it may have begun under another one than today's.

        None where that one is not set up any longer.
        """
        return self.stripe if name == "stripe" else self.local


def machine(scope: Scope, name: str) -> Caller:
    """Who is named in the log where no person acts."""
    return Caller(user_id="", team_id=scope, role=OWNER, via=Via.OPERATOR, credential_id="", name=name)


def is_live(account: Row | None) -> bool:
    return account is not None and account["status"] in _LIVE


def subscription_in(account: Row) -> Subscription:
    """The subscription of an account that has a live one."""
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


def state_of(account: Row | None, seats: int) -> SubscriptionState:
    if account is None or account["status"] == "none":
        return SubscriptionState(status="none", seats=seats, period_end=None, cancel_at=None)
    return SubscriptionState(
        status=status_of(account["status"], account["cancel_at_ms"]),
        seats=account["seats"],
        period_end=clock.iso_or_none(account["period_end_ms"]),
        cancel_at=clock.iso_or_none(account["cancel_at_ms"]),
    )


def status_of(status: str, cancel_at_ms: int | None) -> SubscriptionStatus:
    if status in _LIVE:
        return "cancelling" if cancel_at_ms is not None else "past_due" if status == "past_due" else "active"
    return "cancelled" if status == "cancelled" else "none"


async def begin_local(tx: Tx, caller: Caller, plans: Plans, plan_id: str, seats: int) -> None:
    """Confirmed on our own page: the plan holds from now on, month by month."""
    now_ms = clock.now_ms()
    start_ms, end_ms = period_around(now_ms, now_ms)
    begun = Subscription(
        id=ids.new("sub"),
        team_id=caller.team_id,
        plan_id=plan_id,
        seats=seats,
        state="active",
        created_at_ms=now_ms,
        period_start_ms=start_ms,
        period_end_ms=end_ms,
    )
    await apply(tx, caller, plans, "local", begun)


async def apply(tx: Tx, caller: Caller, plans: Plans, provider: str, told: Subscription) -> bool:
    """Let the account say what the provider says; whether the subscription is the account's.

    A team has one subscription. Of two that are paid the younger one counts, and the other is ended.
    """
    scope = caller.scope
    account = await store.hold_account(tx, scope, provider)
    known, live = account["provider_subscription"], told.state in _LIVE
    if is_live(account) and known != told.id:
        if not live:
            return False
        younger = (account["subscribed_at_ms"] or 0, known)
        older = account["provider"] == provider and (told.created_at_ms, told.id) < younger
        await _promise_end(tx, scope, provider if older else account["provider"], told.id if older else known)
        if older:
            return False
    elif not live and known != told.id:
        return False
    if live:
        await _keep(tx, scope, provider, account, told)
        plan_id, seats = plans.get(told.plan_id).id, told.seats
    elif is_live(account):
        await _end(tx, scope)
        plan_id, seats = plans.default, 1
    else:
        return True
    await _change_plan(tx, caller, plan_id, seats)
    tell_changed(tx, scope, "billing")
    return True


async def _keep(tx: Tx, scope: Scope, provider: str, account: Row, told: Subscription) -> None:
    await store.update_account(
        tx,
        scope,
        {
            "provider": provider,
            "provider_subscription": told.id,
            "provider_customer": told.customer or account["provider_customer"],
            "plan_id": told.plan_id,
            "seats": told.seats,
            "status": told.state,
            "subscribed_at_ms": told.created_at_ms,
            "period_start_ms": told.period_start_ms,
            "period_end_ms": told.period_end_ms,
            "cancel_at_ms": told.cancel_at_ms,
        },
    )


async def _end(tx: Tx, scope: Scope) -> None:
    """It stays known by its id, so that a late word about it is understood."""
    none = {"plan_id": None, "period_start_ms": None, "period_end_ms": None, "cancel_at_ms": None}
    await store.update_account(tx, scope, {"status": "cancelled", "seats": 0, **none})


async def _change_plan(tx: Tx, caller: Caller, plan_id: str, seats: int) -> None:
    """Nothing is deleted where the new plan is smaller: what is beyond it can be read, and writing stops."""
    buyer = await store.find_buyer(tx, caller.scope)
    if buyer is not None and (buyer["plan"], buyer["seats"]) != (plan_id, seats):
        await store.update_plan(tx, caller.scope, plan_id, seats)
        await audit.record(
            tx, caller, "billing.plan_changed", caller.team_id, before=buyer["plan"], plan=plan_id, seats=seats
        )
        tell_changed(tx, caller.team_id, "team")


async def _promise_end(tx: Tx, scope: Scope, provider: str, subscription_id: str) -> None:
    """A subscription that another one has replaced must not be paid any longer."""
    if provider == "stripe":
        await queue.enqueue(tx, END, {"subscriptionId": subscription_id}, team_id=scope, max_attempts=100)
        _log.info("a replaced subscription is ended", team_id=scope, subscription=subscription_id)


async def end_periods(database: Database, plans: Plans, at_once: int) -> None:
    """Where no provider tells us that a paid period is over: the next one begins, or the plan ends."""
    while True:
        async with database.write() as tx:
            ended = await store.list_ended(tx, at_once)
            for scope in ended:
                account = await store.hold_account(tx, scope)
                if is_live(account) and account["period_end_ms"] <= clock.now_ms():
                    await _next_period(tx, scope, plans, account)
        if len(ended) < at_once:
            return


async def _next_period(tx: Tx, scope: Scope, plans: Plans, account: Row) -> None:
    tell_changed(tx, scope, "billing")
    if account["cancel_at_ms"] is not None:
        await _end(tx, scope)
        await _change_plan(tx, machine(scope, "Billing"), plans.default, 1)
        return
    start_ms, end_ms = period_around(account["subscribed_at_ms"], clock.now_ms())
    await store.update_account(tx, scope, {"period_start_ms": start_ms, "period_end_ms": end_ms})
