"""/api/billing."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.caller import MANAGERS, OWNER
from loremark.base.plans import Plans
from loremark.features.billing import payment_webhooks, service
from loremark.features.billing.subscriptions import Payments
from loremark.web.authentication import ANYONE, KEY, LOGIN, Origins, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.billing import (
    AutoRecharge,
    AutoRechargeUpdate,
    Catalog,
    Credits,
    NewCheckout,
    NewPurchase,
    PurchaseResult,
    RedirectUrl,
    SubscriptionCancelled,
    Usage,
    WebhookReceived,
)

routes = Routes("billing")

_OWNER = needs(KEY | LOGIN, "admin", roles=frozenset((OWNER,)))
_READERS = needs(KEY | LOGIN, "admin", roles=MANAGERS)
_EVENT_BYTES = 512 * 1024


@routes.add(
    "POST", "/api/billing/checkout", _OWNER, name="checkout", tx=TxMode.NONE, errors=(errors.NO_PAYMENT_METHOD,)
)
async def checkout(call: Call, body: NewCheckout) -> RedirectUrl:
    """Start a checkout. Returns the URL of the checkout page."""
    return RedirectUrl(url=await service.open_checkout(call.use(Payments), call.caller, body))


@routes.add("POST", "/api/billing/portal", _OWNER, name="portal", tx=TxMode.NONE)
async def portal(call: Call) -> RedirectUrl:
    """Open the billing portal. Returns its URL."""
    return RedirectUrl(url=await service.open_portal(call.use(Payments), call.caller))


@routes.add("POST", "/api/billing/cancel", _OWNER, name="cancel", tx=TxMode.NONE, errors=(errors.NO_SUBSCRIPTION,))
async def cancel(call: Call) -> SubscriptionCancelled:
    """Cancel the plan at the end of the billing period."""
    return await service.cancel(call.use(Payments), call.caller)


@routes.add("GET", "/api/billing/usage", _READERS, name="usage")
async def usage(call: Call) -> Usage:
    """Get the plan, this month's usage, and the subscription."""
    return await service.get_usage(call.tx, call.caller.scope, call.use(Plans))


@routes.add("GET", "/api/billing/catalog", _READERS, name="catalog", tx=TxMode.NONE)
async def catalog(call: Call) -> Catalog:
    """List the plans and credit packs for sale."""
    payments = call.use(Payments)
    return service.get_catalog(payments.plans, charges_money=payments.provider is not payments.local)


@routes.add("GET", "/api/billing/credits", _READERS, name="credits")
async def credits(call: Call) -> Credits:
    """Get the credit balance, auto-recharge settings, and the newest 1,000 transactions."""
    return await service.get_credits(call.tx, call.caller.scope)


@routes.add(
    "POST",
    "/api/billing/credits/purchase",
    _OWNER,
    name="purchase",
    tx=TxMode.NONE,
    errors=(errors.NO_PAYMENT_METHOD, errors.PAYMENT_FAILED),
)
async def purchase(call: Call, body: NewPurchase) -> PurchaseResult:
    """Buy a credit pack. Send an ``Idempotency-Key`` header to retry safely."""
    key = call.request.header(b"idempotency-key")
    return await service.purchase(call.use(Payments), call.caller, body, key)


@routes.add("PUT", "/api/billing/credits/auto-recharge", _OWNER, name="auto_recharge")
async def auto_recharge(call: Call, body: AutoRechargeUpdate) -> AutoRecharge:
    """Set auto-recharge: the balance threshold, the pack to buy, and the spending limit."""
    return await service.set_auto_recharge(call.tx, call.caller, call.use(Plans), body)


@routes.add(
    "POST",
    "/api/billing/webhook/stripe",
    ANYONE,
    name="stripe_webhook",
    tx=TxMode.NONE,
    errors=(errors.BAD_WEBHOOK_SIGNATURE, errors.CROSS_SITE, errors.NOT_FOUND),
)
async def stripe_webhook(call: Call) -> WebhookReceived:
    """Receive Stripe webhooks. The signature is verified."""
    call.use(Origins).refuse_cross_site(call.request)
    payments = call.use(Payments)
    if payments.events is None:
        raise errors.NOT_FOUND()
    body = await call.request.read_body(_EVENT_BYTES)
    await payment_webhooks.receive(payments, payments.events, body, call.request.header(b"stripe-signature"))
    return WebhookReceived()
