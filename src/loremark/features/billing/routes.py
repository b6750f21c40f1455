"""/api/billing."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.caller import MANAGERS, OWNER
from loremark.base.plans import Plans
from loremark.features.billing import events, service
from loremark.features.billing.subscriptions import Cashier
from loremark.web.call import Call
from loremark.web.needs import ANYONE, KEY, LOGIN, Origins, needs
from loremark.web.routes import Routes, TxMode
from loremark.wire.billing import (
    AutoRecharge,
    Cancelled,
    Credits,
    NewAutoRecharge,
    NewCheckout,
    NewPurchase,
    Offers,
    PageOpened,
    Purchased,
    Received,
    Usage,
)

routes = Routes("billing")

_OWNER = needs(KEY | LOGIN, frozenset((OWNER,)))
_READERS = needs(KEY | LOGIN, MANAGERS)
_EVENT_BYTES = 512 * 1024


@routes.add("POST", "/api/billing/checkout", _OWNER, name="checkout", tx=TxMode.NONE)
async def checkout(call: Call, body: NewCheckout) -> PageOpened:
    """Where the owner confirms a plan."""
    return PageOpened(url=await service.open_checkout(call.use(Cashier), call.caller, body))


@routes.add("POST", "/api/billing/portal", _OWNER, name="portal", tx=TxMode.NONE)
async def portal(call: Call) -> PageOpened:
    """Where the owner sees and changes what is paid."""
    return PageOpened(url=await service.open_portal(call.use(Cashier), call.caller))


@routes.add("POST", "/api/billing/cancel", _OWNER, name="cancel", tx=TxMode.NONE, errors=(errors.NO_SUBSCRIPTION,))
async def cancel(call: Call) -> Cancelled:
    """Let the plan end with the period that is paid."""
    return await service.cancel(call.use(Cashier), call.caller)


@routes.add("GET", "/api/billing/usage", _READERS, name="usage")
async def usage(call: Call) -> Usage:
    """The plan, what of it is used this month, and what is paid for."""
    return await service.show_usage(call.tx, call.caller.scope, call.use(Plans))


@routes.add("GET", "/api/billing/offers", _READERS, name="offers", tx=TxMode.NONE)
async def offers(call: Call) -> Offers:
    """The plans and packs of credits that can be bought here."""
    return service.show_offers(call.use(Plans))


@routes.add("GET", "/api/billing/credits", _READERS, name="credits")
async def credits(call: Call) -> Credits:
    """The credits, and the newest thousand transactions."""
    return await service.show_credits(call.tx, call.caller.scope)


@routes.add(
    "POST",
    "/api/billing/credits/purchase",
    _OWNER,
    name="purchase",
    tx=TxMode.NONE,
    errors=(errors.NO_PAYMENT_METHOD, errors.PAYMENT_FAILED),
)
async def purchase(call: Call, body: NewPurchase) -> Purchased:
    """Buy a pack of credits; with an Idempotency-Key, once however often it is sent."""
    key = call.request.header(b"idempotency-key")
    return await service.purchase(call.use(Cashier), call.caller, body, key)


@routes.add("PUT", "/api/billing/credits/auto-recharge", _OWNER, name="auto_recharge")
async def auto_recharge(call: Call, body: NewAutoRecharge) -> AutoRecharge:
    """When credits are bought by themselves, which, and for how much at most."""
    return await service.set_auto_recharge(call.tx, call.caller, call.use(Plans), body)


@routes.add(
    "POST",
    "/api/billing/webhook/stripe",
    ANYONE,
    name="stripe_webhook",
    tx=TxMode.NONE,
    errors=(errors.BAD_WEBHOOK_SIGNATURE, errors.CROSS_SITE, errors.NOT_FOUND),
)
async def stripe_webhook(call: Call) -> Received:
    """What Stripe tells us; only what it has signed is read."""
    call.use(Origins).refuse_cross_site(call.request)
    cashier = call.use(Cashier)
    if cashier.events is None:
        raise errors.NOT_FOUND()
    body = await call.request.read_body(_EVENT_BYTES)
    await events.receive(cashier, cashier.events, body, call.request.header(b"stripe-signature"))
    return Received()
