"""What an owner can do about plans and credits, and what is shown of them."""

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
from loremark.features.billing.subscriptions import Cashier
from loremark.features.metering import service as metering
from loremark.jobs.notices import tell_changed
from loremark.ports.payments.provider import Buyer, NoPaymentMethod, Order, Page, PaymentFailed, PaymentsUnavailable
from loremark.storage.database import Row, Tx
from loremark.wire.billing import (
    AutoRecharge,
    Cancelled,
    Counter,
    Counters,
    Credits,
    NewAutoRecharge,
    NewCheckout,
    NewPurchase,
    Offers,
    Period,
    Purchased,
    SoldPack,
    SoldPlan,
    Transaction,
    Usage,
)

_RETRY = {"Retry-After": "30"}
_KEY_CHARS = 255


def get_sold_plan(plans: Plans, plan_id: str) -> Plan:
    plan = plans.sold.get(plan_id)
    if plan is None:
        raise errors.invalid(f"planId must be one of {', '.join(plans.sold)}")
    return plan


def get_pack(plans: Plans, pack_id: str) -> Pack:
    pack = plans.packs.get(pack_id)
    if pack is None:
        raise errors.invalid(f"packId must be one of {', '.join(plans.packs)}")
    return pack


def check_page_url(name: str, url: str | None) -> None:
    """Only a page on the web, and no name or password in its address."""
    try:
        parts = urlsplit(url or "https://localhost")
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        fits = False
    if not fits:
        raise errors.invalid(f"{name} must be an http or https address")


async def open_checkout(cashier: Cashier, caller: Caller, wanted: NewCheckout) -> str:
    """The address of a page on which the owner confirms the plan."""
    plan = get_sold_plan(cashier.plans, wanted.plan_id)
    check_page_url("successUrl", wanted.success_url)
    check_page_url("cancelUrl", wanted.cancel_url)
    async with cashier.database.read() as tx:
        buyer = await recharge.get_buyer(tx, caller.scope)
        seats = int(wanted.seats or await store.count_members(tx, caller.scope)) if plan.per_seat else 1
    order = Order(buyer, plan, seats, wanted.success_url, wanted.cancel_url)
    try:
        page = await cashier.provider.open_checkout(order)
    except (PaymentsUnavailable, PaymentFailed) as error:
        raise errors.UNAVAILABLE(_RETRY) from error
    return await _opened(cashier, caller.scope, buyer, page)


async def open_portal(cashier: Cashier, caller: Caller) -> str:
    """The address of a page on which the owner sees and changes what is paid."""
    async with cashier.database.read() as tx:
        buyer = await recharge.get_buyer(tx, caller.scope)
    try:
        page = await cashier.provider.open_portal(buyer)
    except (PaymentsUnavailable, PaymentFailed) as error:
        raise errors.UNAVAILABLE(_RETRY) from error
    return await _opened(cashier, caller.scope, buyer, page)


async def _opened(cashier: Cashier, scope: Scope, buyer: Buyer, page: Page) -> str:
    if page.customer is not None and buyer.customer is None:
        async with cashier.database.write() as tx:
            await store.hold_account(tx, scope, cashier.provider.name)
            await store.keep_customer(tx, scope, page.customer)
    return page.url


async def cancel(cashier: Cashier, caller: Caller) -> Cancelled:
    """Let the plan end with the period that is paid; asked again it says the same."""
    async with cashier.database.read() as tx:
        account = await store.find_account(tx, caller.scope)
    if account is None or not subscriptions.is_live(account):
        raise errors.NO_SUBSCRIPTION()
    provider = cashier.provider_of(account["provider"])
    if provider is None:
        raise errors.UNAVAILABLE(_RETRY)
    told = subscriptions.subscription_in(account)
    if told.cancel_at_ms is None:
        try:
            told = await provider.cancel(told)
        except (PaymentsUnavailable, PaymentFailed) as error:
            raise errors.UNAVAILABLE(_RETRY) from error
        async with cashier.database.write() as tx:
            if await subscriptions.apply(tx, caller, cashier.plans, provider.name, told):
                await audit.record(tx, caller, "billing.cancelled", told.id, plan=told.plan_id)
    ends_at_ms = told.cancel_at_ms or told.period_end_ms
    return Cancelled(status=subscriptions.status_of(told.state, ends_at_ms), cancel_at=clock.iso(ends_at_ms))


async def show_usage(tx: Tx, scope: Scope, plans: Plans) -> Usage:
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
        subscription=subscriptions.state_of(await store.find_account(tx, scope), buyer["seats"]),
    )


def show_offers(plans: Plans) -> Offers:
    """Cheapest first."""
    return Offers(
        plans=[
            SoldPlan(
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
            for plan in sorted(plans.sold.values(), key=lambda plan: (plan.price_cents, plan.id))
        ],
        packs=[
            SoldPack(id=pack.id, tokens=pack.tokens, price=pack.price_cents)
            for pack in sorted(plans.packs.values(), key=lambda pack: (pack.price_cents, pack.id))
        ],
    )


async def show_credits(tx: Tx, scope: Scope) -> Credits:
    account = await store.find_account(tx, scope)
    return Credits(
        balance=await ledger.balance(tx, scope),
        auto_recharge=_auto_recharge(account),
        transactions=[_transaction(row) for row in await store.list_transactions(tx, scope, limits.LIST_ENTRIES)],
    )


def _auto_recharge(account: Row | None) -> AutoRecharge:
    if account is None:
        default = limits.SPENDING_CENTS_DEFAULT
        return AutoRecharge(enabled=False, threshold=None, pack_id=None, spending_limit=default)
    return AutoRecharge(
        enabled=bool(account["recharge_enabled"]),
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
        # Of a purchase the price tells enough; that it was automatic stands in the log.
        description=UNSET if row["type"] == "purchase" else row["description"] or UNSET,
        created_at=clock.iso(row["created_at_ms"]),
    )


async def purchase(cashier: Cashier, caller: Caller, wanted: NewPurchase, key: str | None) -> Purchased:
    """Buy a pack. With an ``Idempotency-Key`` the same purchase can be sent again and is made once.

    The price is taken with no transaction open. What is lost between the payment and the ledger is written down by the
    provider's own word of it, under the same transaction id.
    """
    pack = get_pack(cashier.plans, wanted.pack_id)
    transaction_id = _transaction_id(caller.scope, key)
    async with cashier.database.read() as tx:
        buyer = await recharge.get_buyer(tx, caller.scope)
        known = await store.find_transaction(tx, caller.scope, ledger.reference_of(transaction_id))
        balance = await ledger.balance(tx, caller.scope)
    if known is not None:
        return Purchased(transaction_id=known["id"], balance=balance, purchased=known["amount"])
    try:
        payment = await cashier.provider.pay(buyer, pack, transaction_id)
    except NoPaymentMethod as error:
        raise errors.NO_PAYMENT_METHOD() from error
    except PaymentFailed as error:
        raise errors.PAYMENT_FAILED() from error
    except PaymentsUnavailable as error:
        raise errors.UNAVAILABLE(_RETRY) from error
    if not payment.paid:
        return Purchased(transaction_id=transaction_id, balance=balance, purchased=0)
    async with cashier.database.write() as tx:
        bought = await ledger.buy(tx, caller.scope, pack, transaction_id)
        if bought.fresh:
            await audit.record(tx, caller, "billing.credits_bought", transaction_id, pack=pack.id, payment=payment.id)
        await recharge.look_at(tx, caller.scope, cashier.plans)
        return Purchased(transaction_id=transaction_id, balance=bought.balance, purchased=bought.purchased)


def _transaction_id(scope: Scope, key: str | None) -> str:
    if key is None:
        return ids.new("ctx")
    if not 0 < len(key) <= _KEY_CHARS:
        raise errors.invalid(f"Idempotency-Key must have 1 to {_KEY_CHARS} characters")
    return f"ctx_{sha256_hex(f'{scope}/{key}')[:26]}"


async def set_auto_recharge(tx: Tx, caller: Caller, plans: Plans, wanted: NewAutoRecharge) -> AutoRecharge:
    """All of it anew. A recharge that was paused, because a payment failed, goes on."""
    if wanted.pack_id is not None:
        get_pack(plans, wanted.pack_id)
    if wanted.enabled:
        for name, value in (("packId", wanted.pack_id), ("threshold", wanted.threshold)):
            if value is None:
                raise errors.invalid(f"{name} is required where auto-recharge is enabled")
    await store.hold_account(tx, caller.scope)
    changes = {
        "recharge_enabled": wanted.enabled,
        "recharge_threshold": None if wanted.threshold is None else int(wanted.threshold),
        "recharge_pack_id": wanted.pack_id,
        "spending_limit_cents": int(wanted.spending_limit),
        "recharge_paused": False,
    }
    await store.update_account(tx, caller.scope, changes)
    await audit.record(tx, caller, "billing.auto_recharge_set", caller.team_id, enabled=wanted.enabled)
    tell_changed(tx, caller.scope, "billing")
    await recharge.look_at(tx, caller.scope, plans)
    return _auto_recharge(await store.find_account(tx, caller.scope))
