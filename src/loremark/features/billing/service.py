"""Checkout, cancellation, usage, credits and auto-recharge settings."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec import UNSET

from loremark.base import clock, errors, ids, limits
from loremark.base.caller import Caller, Scope
from loremark.base.plans import Pack, Plan, Plans
from loremark.base.signing import sha256_hex
from loremark.features.audit import store as audit
from loremark.features.billing import ledger, recharge, store, subscriptions
from loremark.features.billing.periods import month_of
from loremark.features.billing.subscriptions import Payments
from loremark.features.metering import service as metering
from loremark.jobs.notices import notify_changed
from loremark.ports.payments.provider import Buyer, NoPaymentMethod, Order, Page, PaymentFailed, PaymentsUnavailable
from loremark.storage.database import Row, Tx
from loremark.wire.billing import (
    AutoRecharge,
    AutoRechargeUpdate,
    Catalog,
    CatalogPack,
    CatalogPlan,
    Counter,
    Counters,
    Credits,
    NewCheckout,
    NewPurchase,
    Period,
    PurchaseResult,
    SubscriptionCancelled,
    Transaction,
    Usage,
)

_RETRY = {"Retry-After": "30"}
_KEY_CHARS = 255


def get_sold_plan(plans: Plans, plan_id: str) -> Plan:
    plan = plans.purchasable.get(plan_id)
    if plan is None:
        raise errors.invalid(f"planId must be one of {', '.join(plans.purchasable)}")
    return plan


def get_pack(plans: Plans, pack_id: str) -> Pack:
    pack = plans.packs.get(pack_id)
    if pack is None:
        raise errors.invalid(f"packId must be one of {', '.join(plans.packs)}")
    return pack


def check_page_url(name: str, url: str | None) -> None:
    """Require an HTTP(S) URL without credentials."""
    try:
        parts = urlsplit(url or "https://localhost")
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        fits = False
    if not fits:
        raise errors.invalid(f"{name} must be an http or https URL")


async def open_checkout(payments: Payments, caller: Caller, wanted: NewCheckout) -> str:
    """The URL of the checkout page."""
    plan = get_sold_plan(payments.plans, wanted.plan_id)
    check_page_url("successUrl", wanted.success_url)
    check_page_url("cancelUrl", wanted.cancel_url)
    async with payments.database.read() as tx:
        buyer = await recharge.get_buyer(tx, caller.scope)
        seats = int(wanted.seats or await store.count_members(tx, caller.scope)) if plan.per_seat else 1
    order = Order(buyer, plan, seats, wanted.success_url, wanted.cancel_url)
    try:
        page = await payments.provider.open_checkout(order)
    except NoPaymentMethod as error:
        raise errors.NO_PAYMENT_METHOD() from error
    except (PaymentsUnavailable, PaymentFailed) as error:
        raise errors.UNAVAILABLE(_RETRY) from error
    return await _save_customer(payments, caller.scope, buyer, page)


async def open_portal(payments: Payments, caller: Caller) -> str:
    """The URL of the billing portal."""
    async with payments.database.read() as tx:
        buyer = await recharge.get_buyer(tx, caller.scope)
    try:
        page = await payments.provider.open_portal(buyer)
    except (PaymentsUnavailable, PaymentFailed) as error:
        raise errors.UNAVAILABLE(_RETRY) from error
    return await _save_customer(payments, caller.scope, buyer, page)


async def _save_customer(payments: Payments, scope: Scope, buyer: Buyer, page: Page) -> str:
    if page.customer is not None and buyer.customer is None:
        async with payments.database.write() as tx:
            await store.lock_account(tx, scope, payments.provider.name)
            await store.set_customer(tx, scope, page.customer)
    return page.url


async def cancel(payments: Payments, caller: Caller) -> SubscriptionCancelled:
    """Cancel the plan at the end of the billing period. Idempotent."""
    async with payments.database.read() as tx:
        account = await store.find_account(tx, caller.scope)
    if account is None or not subscriptions.is_live(account):
        raise errors.NO_SUBSCRIPTION()
    provider = payments.provider_of(account["provider"])
    if provider is None:
        raise errors.UNAVAILABLE(_RETRY)
    subscription = subscriptions.subscription_of(account)
    if subscription.cancel_at_ms is None:
        try:
            subscription = await provider.cancel(subscription)
        except (PaymentsUnavailable, PaymentFailed) as error:
            raise errors.UNAVAILABLE(_RETRY) from error
        async with payments.database.write() as tx:
            if await subscriptions.apply(tx, caller, payments.plans, provider.name, subscription):
                await audit.record(tx, caller, "billing.cancelled", subscription.id, plan=subscription.plan_id)
    ends_at_ms = subscription.cancel_at_ms or subscription.period_end_ms
    return SubscriptionCancelled(
        status=subscriptions.status_of(subscription.state, ends_at_ms), cancel_at=clock.iso(ends_at_ms)
    )


async def get_usage(tx: Tx, scope: Scope, plans: Plans) -> Usage:
    buyer = await store.find_buyer(tx, scope)
    assert buyer is not None
    plan = plans.get(buyer["plan"])
    start_ms, end_ms = month_of(clock.now_ms())
    counted = {
        name: Counter(used=used, limit=limit)
        for name, (used, limit) in (await metering.counters(tx, scope, plan)).items()
    }
    return Usage(
        plan=plan.id,
        period=Period(start=clock.iso(start_ms), end=clock.iso(end_ms)),
        usage=Counters(**counted),
        subscription=subscriptions.subscription_info(await store.find_account(tx, scope), buyer["seats"]),
    )


def get_catalog(plans: Plans, *, charges_money: bool) -> Catalog:
    """Plans and packs, cheapest first."""
    return Catalog(
        plans=[
            CatalogPlan(
                id=plan.id,
                price=plan.price_cents,
                per_seat=plan.per_seat,
                ai_tokens=plan.ai_tokens,
                projects=plan.projects,
                sessions=plan.sessions,
                events=plan.events,
                enrichments=plan.enrichments,
                storage=plan.storage_bytes,
            )
            for plan in sorted(plans.purchasable.values(), key=lambda plan: (plan.price_cents, plan.id))
        ],
        packs=[
            CatalogPack(id=pack.id, tokens=pack.tokens, price=pack.price_cents)
            for pack in sorted(plans.packs.values(), key=lambda pack: (pack.price_cents, pack.id))
        ],
        charges_money=charges_money,
    )


async def get_credits(tx: Tx, scope: Scope) -> Credits:
    account = await store.find_account(tx, scope)
    return Credits(
        balance=await ledger.balance(tx, scope),
        auto_recharge=_auto_recharge(account),
        transactions=[_transaction(row) for row in await store.list_transactions(tx, scope, limits.LIST_ENTRIES)],
    )


def _auto_recharge(account: Row | None) -> AutoRecharge:
    if account is None:
        default = limits.SPENDING_CENTS_DEFAULT
        return AutoRecharge(enabled=False, paused=False, threshold=None, pack_id=None, spending_limit=default)
    return AutoRecharge(
        enabled=bool(account["recharge_enabled"]),
        paused=bool(account["recharge_paused"]),
        threshold=account["recharge_threshold"],
        pack_id=account["recharge_pack_id"],
        spending_limit=account["spending_limit_cents"],
    )


def _transaction(row: Row) -> Transaction:
    return Transaction(
        id=row["id"],
        type=row["type"],
        amount=row["amount"],
        price=UNSET if row["price_cents"] is None else row["price_cents"],
        # Purchases have a price instead; whether one was automatic is in the audit log.
        description=UNSET if row["type"] == "purchase" else row["description"] or UNSET,
        created_at=clock.iso(row["created_at_ms"]),
    )


async def purchase(payments: Payments, caller: Caller, wanted: NewPurchase, key: str | None) -> PurchaseResult:
    """Buy a pack. With an ``Idempotency-Key``, repeating the request does not buy it twice.

    The payment happens outside of a transaction. If the process dies before the credits are recorded, the provider's
    webhook records them under the same transaction id.
    """
    pack = get_pack(payments.plans, wanted.pack_id)
    transaction_id = _transaction_id(caller.scope, key)
    async with payments.database.read() as tx:
        buyer = await recharge.get_buyer(tx, caller.scope)
        known = await store.find_transaction(tx, caller.scope, ledger.reference_of(transaction_id))
        balance = await ledger.balance(tx, caller.scope)
    if known is not None:
        return PurchaseResult(transaction_id=known["id"], balance=balance, purchased=known["amount"])
    try:
        payment = await payments.provider.pay(buyer, pack, transaction_id)
    except NoPaymentMethod as error:
        raise errors.NO_PAYMENT_METHOD() from error
    except PaymentFailed as error:
        raise errors.PAYMENT_FAILED() from error
    except PaymentsUnavailable as error:
        raise errors.UNAVAILABLE(_RETRY) from error
    if not payment.paid:
        return PurchaseResult(transaction_id=transaction_id, balance=balance, purchased=0)
    async with payments.database.write() as tx:
        credited = await ledger.credit_purchase(tx, caller.scope, pack, transaction_id)
        if credited.created:
            await audit.record(
                tx, caller, "billing.credits_purchased", transaction_id, pack=pack.id, payment=payment.id
            )
        await recharge.recharge_if_low(tx, caller.scope, payments.plans)
        return PurchaseResult(transaction_id=transaction_id, balance=credited.balance, purchased=credited.purchased)


def _transaction_id(scope: Scope, key: str | None) -> str:
    if key is None:
        return ids.new("ctx")
    if not 0 < len(key) <= _KEY_CHARS:
        raise errors.invalid(f"Idempotency-Key must be 1 to {_KEY_CHARS} characters long")
    return f"ctx_{sha256_hex(f'{scope}/{key}')[:26]}"


async def set_auto_recharge(tx: Tx, caller: Caller, plans: Plans, wanted: AutoRechargeUpdate) -> AutoRecharge:
    """Replace the auto-recharge settings. Resumes auto-recharge if it was paused after a failed payment."""
    if wanted.pack_id is not None:
        get_pack(plans, wanted.pack_id)
    if wanted.enabled:
        for name, value in (("packId", wanted.pack_id), ("threshold", wanted.threshold)):
            if value is None:
                raise errors.invalid(f"{name} is required when auto-recharge is enabled")
    await store.lock_account(tx, caller.scope)
    changes = {
        "recharge_enabled": wanted.enabled,
        "recharge_threshold": None if wanted.threshold is None else int(wanted.threshold),
        "recharge_pack_id": wanted.pack_id,
        "spending_limit_cents": int(wanted.spending_limit),
        "recharge_paused": False,
    }
    await store.update_account(tx, caller.scope, changes)
    await audit.record(tx, caller, "billing.auto_recharge_updated", caller.team_id, enabled=wanted.enabled)
    notify_changed(tx, caller.scope, "billing")
    await recharge.recharge_if_low(tx, caller.scope, plans)
    return _auto_recharge(await store.find_account(tx, caller.scope))
