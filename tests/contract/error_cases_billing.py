"""Error cases of billing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from loremark.base import clock
from loremark.web.routes import Route
from tests.contract.cast import Cast, register
from tests.contract.error_cases import ErrorCase, ErrorCases, valid
from tests.contract.examples_billing import signed
from tests.servers.stripe import FakeStripe

BILLING = ErrorCases()


@BILLING.of(400, "No active subscription")
async def _nothing_to_cancel(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    guest = await register(cast.service, "guest")
    for route in routes:
        yield ErrorCase(route, await cast.send(guest, route))


@BILLING.of(400, "unknown planId or packId")
async def _unknown(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Also plans that are not for sale: free ones and those with custom contracts."""
    for route in routes:
        ask = await valid(cast, route)
        name = "planId" if "planId" in ask.json else "packId"
        wrong = ("gold", "free", "enterprise") if name == "planId" else ("gold", "credits_1M", "team")
        for value in wrong:
            yield ErrorCase(
                route, await cast.send(cast["owner"], route, replace(ask, json={**ask.json, name: value})), name
            )


@BILLING.of(402, "Payment method required")
async def _nothing_to_pay_with(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    with FakeStripe() as stripe:
        async with cast.elsewhere(**stripe.settings()) as service:
            owner = await service.owner()
            for route in (each for each in routes if each.name == "billing.purchase"):
                yield ErrorCase(route, await owner.call(route.method, route.path, {"packId": "credits_1m"}))
                await owner.post("/api/billing/portal")
                yield ErrorCase(route, await owner.call(route.method, route.path, {"packId": "credits_1m"}))

    async with cast.elsewhere(LOREMARK_BASE_URL="https://memory.example.com") as service:
        owner = await service.owner()
        for route in routes:
            body = {"packId": "credits_1m", "planId": "business"}
            yield ErrorCase(route, await owner.call(route.method, route.path, body))


@BILLING.of(402, "Payment failed")
async def _declined(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    with FakeStripe() as stripe:
        async with cast.elsewhere(**stripe.settings()) as service:
            owner = await service.owner()
            await owner.post("/api/billing/portal")
            stripe.add_card(stripe.of("cus")[0]["id"])
            stripe.decline = "card_declined"
            for route in routes:
                yield ErrorCase(route, await owner.call(route.method, route.path, {"packId": "credits_1m"}))


@BILLING.of(400, "Webhook signature is invalid")
async def _not_stripe(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        assert ask.raw is not None
        payload = ask.raw.decode()
        now_s = clock.now_ms() // 1000
        altered = replace(ask, raw=ask.raw.replace(b"product.updated", b"product.deleted"))
        others = (
            replace(ask, headers={}),
            replace(ask, headers={"Stripe-Signature": "t=,v1="}),
            replace(ask, headers={"Stripe-Signature": "nonsense"}),
            replace(ask, headers=signed(payload, "whsec_another")),
            replace(ask, headers=signed(payload, at_s=now_s - 301)),
            replace(ask, raw=b"[]", headers=signed("[]")),
            replace(ask, raw=b"\xff", headers=signed("x")),
            altered,
        )
        for other in others:
            yield ErrorCase(route, await cast.send(cast["anonymous"], route, other))
