"""Valid billing requests, each for the caller's team."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import stripe

from loremark.base import clock, ids
from loremark.base.caller import Scope, system_caller
from loremark.base.plans import PLANS, Plans, load_plans
from loremark.features.billing import ledger, store, subscriptions
from loremark.features.metering import store as meter
from loremark.ports.payments.local import LocalPayments
from loremark.ports.payments.provider import Buyer, Order
from tests.contract.cast import STRIPE_SECRET, TEAM, Actor, Ask, Cast, Example

BILLING: dict[str, Example] = {}
PAID_PLAN = "enterprise"
"""The plan of the actors; confirming it on a page keeps them unlimited."""


def plans() -> Plans:
    return load_plans(PAID_PLAN)


def _team(cast: Cast, actor: Actor) -> Scope:
    return Scope(cast["stranger"].person.team_id if actor.name == "stranger" else cast.owner.team_id)


async def subscribe(cast: Cast, actor: Actor) -> None:
    """Give the actor's team a paid subscription."""
    scope = _team(cast, actor)
    async with cast.service.runtime.database.write() as tx:
        caller = system_caller(scope, "Test")
        await subscriptions.start_local(tx, caller, plans(), PAID_PLAN, 1)


def signed(payload: str, secret: str = STRIPE_SECRET, at_s: int | None = None) -> dict[str, str]:
    """The headers Stripe sends with a webhook."""
    header = stripe.WebhookSignature.generate_signature_header(payload, secret, at_s)
    return {"Stripe-Signature": header, "Content-Type": "application/json"}


def _plain(body: Any = None) -> Example:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        return Ask(json=dict(body) if body else None)

    return ask


async def _credits(cast: Cast, actor: Actor) -> Ask:
    """With a purchase and usage."""
    scope = _team(cast, actor)
    async with cast.service.runtime.database.write() as tx:
        await ledger.credit_purchase(tx, scope, plans().packs["credits_1m"], ids.new("ctx"))
        await meter.spend_credits(
            tx, scope, 5, reference=ids.new("res"), description="AI tokens beyond the plan allowance"
        )
    return Ask()


async def _cancel(cast: Cast, actor: Actor) -> Ask:
    await subscribe(cast, actor)
    return Ask()


async def _usage(cast: Cast, actor: Actor) -> Ask:
    async with cast.service.runtime.database.read() as tx:
        assert await store.find_buyer(tx, _team(cast, actor)) is not None
    return Ask()


async def _stripe_webhook(cast: Cast, actor: Actor) -> Ask:
    event = {
        "id": f"evt_{ids.new('evt')}",
        "object": "event",
        "type": "product.updated",
        "created": clock.now_ms() // 1000,
        "data": {"object": {"id": "prod_1", "object": "product"}},
    }
    payload = json.dumps(event)
    return Ask(raw=payload.encode(), headers=signed(payload))


def form(**fields: str) -> Ask:
    """A form submission from one of our pages."""
    return Ask(raw=urlencode(fields).encode(), headers={"Content-Type": "application/x-www-form-urlencoded"})


async def session_of(cast: Cast, actor: Actor, **fields: Any) -> str:
    """A checkout session of the actor's team."""
    runtime = cast.service.runtime
    payments = LocalPayments(runtime.sealer, runtime.settings.base_url)
    team = _team(cast, actor) if actor.name in (*TEAM, "stranger") else Scope(cast.owner.team_id)
    page = await payments.open_checkout(Order(Buyer(team, "Stones", "o@example.com"), PLANS[PAID_PLAN], 1, **fields))
    return parse_qs(urlsplit(page.url).query)["session"][0]


async def _show_checkout(cast: Cast, actor: Actor) -> Ask:
    return Ask(query=f"?session={await session_of(cast, actor)}")


async def _confirm(cast: Cast, actor: Actor) -> Ask:
    return form(session=await session_of(cast, actor))


async def _choose(cast: Cast, actor: Actor) -> Ask:
    return form(planId="business", seats="4")


BILLING |= {
    "billing.checkout": _plain({"planId": "team", "seats": 3, "successUrl": "https://example.com/done"}),
    "billing.portal": _plain(),
    "billing.cancel": _cancel,
    "billing.usage": _usage,
    "billing.catalog": _plain(),
    "billing.credits": _credits,
    "billing.purchase": _plain({"packId": "credits_1m"}),
    "billing.auto_recharge": _plain({"enabled": False, "threshold": 1000, "packId": "credits_1m", "spendingLimit": 9}),
    "billing.stripe_webhook": _stripe_webhook,
    "billing_pages.checkout": _show_checkout,
    "billing_pages.confirm": _confirm,
    "billing_pages.portal": _plain(),
    "billing_pages.choose": _choose,
    "billing_pages.cancel": _cancel,
}
