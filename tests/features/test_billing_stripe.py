"""Billing with Stripe: the real SDK against a fake server, and webhooks in any order."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import stripe as sdk
from sqlalchemy import select

from loremark.base.caller import Scope
from loremark.features.billing import store
from loremark.storage.tables import payment_events
from tests.contract.contract import load
from tests.features.steps import emails_to, raw_database, status_and_body
from tests.servers.stripe import KEY, SECRET, FakeStripe
from tests.support.people import Person
from tests.support.service import BASE_URL, Service, run_service, settings_for

pytestmark = pytest.mark.anyio

CREDITS = "/api/billing/credits"
PURCHASE = "/api/billing/credits/purchase"
RECHARGE = "/api/billing/credits/auto-recharge"
HOOK = "/api/billing/webhook/stripe"
INVALID = (400, {"error": "Webhook signature is invalid"})
UNAVAILABLE = (503, {"error": "Service temporarily unavailable"})


@pytest.fixture
def fake() -> Iterator[FakeStripe]:
    with FakeStripe() as running:
        yield running


@pytest.fixture
async def stripe_service(database_url: str, tmp_path: Path, fake: FakeStripe) -> AsyncIterator[Service]:
    async with run_service(settings_for(tmp_path, database_url, **fake.settings())) as running:
        yield running


async def send_webhook(service: Service, payload: str, at_s: int | None = None) -> httpx.Response:
    """A webhook as Stripe sends it."""
    header = sdk.WebhookSignature.generate_signature_header(payload, SECRET, at_s)
    return await service.http.post(HOOK, content=payload.encode(), headers={"Stripe-Signature": header})


async def check_out(service: Service, fake: FakeStripe, owner: Person, plan: str = "business", seats: int = 3) -> Any:
    """A subscription paid for at Stripe, before any webhook."""
    body = {"planId": plan, "seats": seats, "successUrl": "https://example.com/ok?s={CHECKOUT_SESSION_ID}"}
    opened = await owner.post("/api/billing/checkout", body)
    assert opened.status_code == 200, opened.text
    session = opened.json()["url"].rpartition("/")[2]
    return fake.finish_checkout(session)


async def add_card(fake: FakeStripe, owner: Person) -> str:
    await owner.post("/api/billing/portal")
    customer = fake.of("cus")[-1]["id"]
    fake.add_card(customer)
    return str(customer)


async def billing_state(owner: Person) -> tuple[str, dict[str, Any]]:
    body = (await owner.get("/api/billing/usage")).json()
    return body["plan"], body["subscription"]


async def test_plan_starts_when_stripe_confirms_it(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    subscription = await check_out(stripe_service, fake, owner)
    checkout = fake.of("cs")[0]
    price = checkout["line_items"]["0"]["price_data"]
    assert (checkout["mode"], checkout["line_items"]["0"]["quantity"], price["unit_amount"]) == (
        "subscription",
        "3",
        "2900",
    )
    assert checkout["success_url"] == "https://example.com/ok?s={CHECKOUT_SESSION_ID}"
    assert checkout["cancel_url"] == f"{BASE_URL}/"
    assert checkout["metadata"] == {"loremark_team": owner.team_id, "loremark_plan": "business"}
    assert (await billing_state(owner))[0] == "team", "not until the payment is confirmed"
    assert status_and_body(await send_webhook(stripe_service, fake.event("checkout.session.completed", checkout))) == (
        200,
        {"received": True},
    )
    plan, shown = await billing_state(owner)
    assert (plan, shown["status"], shown["seats"]) == ("business", "active", 3)
    portal = (await owner.post("/api/billing/portal")).json()["url"]
    assert portal.startswith("https://billing.stripe.example/")
    assert len(fake.of("cus")) == 1, "one customer per team"

    cancelled = (await owner.post("/api/billing/cancel")).json()
    assert cancelled["status"] == "cancelling"
    assert fake.objects[subscription["id"]]["cancel_at_period_end"] is True
    assert (await billing_state(owner))[1]["cancelAt"] == cancelled["cancelAt"]
    fake.objects[subscription["id"]]["status"] = "canceled"
    await send_webhook(stripe_service, fake.event("customer.subscription.deleted", subscription))
    plan, shown = await billing_state(owner)
    assert (plan, shown["status"]) == ("team", "cancelled")


async def test_plan_stays_during_dunning(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    subscription = await check_out(stripe_service, fake, owner)
    await send_webhook(stripe_service, fake.event("customer.subscription.created", subscription))
    fake.objects[subscription["id"]]["status"] = "past_due"
    invoice = {"id": "in_1", "parent": {"subscription_details": {"subscription": subscription["id"]}}}
    await send_webhook(stripe_service, fake.event("invoice.payment_failed", invoice))
    assert [(await billing_state(owner))[0], (await billing_state(owner))[1]["status"]] == ["business", "past_due"]
    fake.objects[subscription["id"]]["status"] = "active"
    await send_webhook(stripe_service, fake.event("invoice.paid", invoice))
    assert (await billing_state(owner))[1]["status"] == "active"
    fake.objects[subscription["id"]]["status"] = "unpaid"
    await send_webhook(stripe_service, fake.event("customer.subscription.updated", subscription))
    assert [(await billing_state(owner))[0], (await billing_state(owner))[1]["status"]] == ["team", "cancelled"]


async def test_unsigned_webhooks_are_refused(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    subscription = await check_out(stripe_service, fake, owner)
    payload = fake.event("customer.subscription.created", subscription)
    now_s, old_s = int(time.time()), load().limit("time.stripe_webhook").value
    assert old_s is not None
    sign = sdk.WebhookSignature.generate_signature_header
    good = sign(payload, SECRET)
    for header in (
        "",
        "nonsense",
        "t=1,v1=00",
        sign(payload, "whsec_another"),
        sign(payload, SECRET, now_s - int(old_s) - 5),
        sign(payload + " ", SECRET),
        good.replace("v1=", "v0="),
        good[:-1] + ("0" if good[-1] != "0" else "1"),
    ):
        headers = {"Stripe-Signature": header} if header else {}
        assert (
            status_and_body(await stripe_service.http.post(HOOK, content=payload.encode(), headers=headers)) == INVALID
        )
    tampered = payload.replace("customer.subscription.created", "customer.subscription.updated")
    assert (
        status_and_body(
            await stripe_service.http.post(HOOK, content=tampered.encode(), headers={"Stripe-Signature": good})
        )
        == INVALID
    )
    for malformed in ("[]", "null", "{}", '{"id": "evt_1"}', "not json"):
        assert status_and_body(await send_webhook(stripe_service, malformed)) == INVALID
    assert (await stripe_service.http.post(HOOK, content=b"x" * 600_000)).status_code == 413
    assert (await billing_state(owner))[0] == "team"
    assert await _count_seen_events(stripe_service) == 0
    assert status_and_body(await send_webhook(stripe_service, payload, now_s - int(old_s) + 30)) == (
        200,
        {"received": True},
    )
    assert (await billing_state(owner))[0] == "business"


async def _count_seen_events(service: Service) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(payment_events)))


async def test_repeated_webhook_changes_nothing(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    customer = await add_card(fake, owner)
    assert customer
    bought = (await owner.post(PURCHASE, {"packId": "credits_1m"})).json()
    assert (bought["balance"], bought["purchased"]) == (1_000_000, 1_000_000)
    payment = fake.of("pi")[0]
    refund = fake.refund(payment["id"], 200)
    payloads = [fake.event("payment_intent.succeeded", payment), fake.event("charge.refunded", refund)]
    for payload in payloads * 3:
        assert (await send_webhook(stripe_service, payload)).status_code == 200
    concurrent = await asyncio.gather(*(send_webhook(stripe_service, payload) for payload in payloads * 4))
    assert {answer.status_code for answer in concurrent} == {200}
    with_new_ids = [fake.event("payment_intent.succeeded", payment), fake.event("charge.refunded", refund)]
    for payload in with_new_ids:
        assert (await send_webhook(stripe_service, payload)).status_code == 200
    shown = (await owner.get(CREDITS)).json()
    assert shown["balance"] == 600_000
    amounts = [(entry["type"], entry["amount"], entry["price"]) for entry in shown["transactions"]]
    assert amounts == [("purchase", -400_000, -200), ("purchase", 1_000_000, 500)]
    calls = len(fake.calls)
    await send_webhook(stripe_service, payloads[0])
    assert len(fake.calls) == calls, "a seen event is not fetched again"


@pytest.mark.parametrize("seed", range(4))
async def test_webhook_order_does_not_matter(stripe_service: Service, fake: FakeStripe, seed: int) -> None:
    """Also concurrently and twice each: only the current state at Stripe counts."""
    owner = await stripe_service.owner()
    await add_card(fake, owner)
    subscription = await check_out(stripe_service, fake, owner)
    fake.processing = True
    pending = (await owner.post(PURCHASE, {"packId": "credits_2_5m"})).json()
    assert (pending["balance"], pending["purchased"]) == (0, 0), "not until the payment is confirmed"
    payment = fake.of("pi")[0]
    payment["status"] = "succeeded"
    snapshot = json.loads(json.dumps(subscription))
    subscription |= {"cancel_at_period_end": True, "cancel_at": subscription["items"]["data"][0]["current_period_end"]}
    refund = fake.refund(payment["id"], 100)
    payloads = [
        fake.event("customer.subscription.created", snapshot),
        fake.event("checkout.session.completed", fake.of("cs")[0]),
        fake.event("customer.subscription.updated", subscription),
        fake.event("invoice.paid", {"id": "in_1", "subscription": subscription["id"]}),
        fake.event("payment_intent.succeeded", payment),
        fake.event("charge.refunded", refund),
        fake.event("product.created", {"id": "prod_1"}),
    ] * 2
    random.Random(seed).shuffle(payloads)
    answers = await asyncio.gather(*(send_webhook(stripe_service, payload) for payload in payloads))
    refused = [payload for payload, answer in zip(payloads, answers, strict=True) if answer.status_code == 503]
    for payload in refused:  # Stripe retries refused webhooks
        assert (await send_webhook(stripe_service, payload)).status_code == 200
    plan, shown = await billing_state(owner)
    assert (plan, shown["status"]) == ("business", "cancelling")
    credits = (await owner.get(CREDITS)).json()
    assert credits["balance"] == 2_250_000
    assert {entry["id"] for entry in credits["transactions"]} >= {pending["transactionId"]}
    assert len(credits["transactions"]) == 2
    assert await _count_seen_events(stripe_service) == 7


async def test_newer_subscription_replaces_the_older_one(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    first = await check_out(stripe_service, fake, owner, "team")
    second = await check_out(stripe_service, fake, owner, "business")
    first["created"] -= 60
    for one in (second, first, second):
        assert (await send_webhook(stripe_service, fake.event("customer.subscription.updated", one))).status_code == 200
    await stripe_service.wait_for_jobs()
    assert (await billing_state(owner))[0] == "business"
    assert fake.objects[first["id"]]["status"] == "canceled"
    await send_webhook(stripe_service, fake.event("customer.subscription.deleted", first))
    assert (await billing_state(owner))[0] == "business", "ending the replaced subscription does not end the plan"
    third = await check_out(stripe_service, fake, owner, "personal")
    third["created"] += 60
    await send_webhook(stripe_service, fake.event("customer.subscription.created", third))
    await stripe_service.wait_for_jobs()
    assert (await billing_state(owner))[0] == "personal"
    assert fake.objects[second["id"]]["status"] == "canceled"


async def test_concurrent_subscriptions_leave_one(stripe_service: Service, fake: FakeStripe) -> None:
    """Regardless of the order and number of webhooks."""
    owner = await stripe_service.owner()
    pair = [await check_out(stripe_service, fake, owner, plan) for plan in ("team", "business")]
    for one in pair:
        one["created"] = pair[0]["created"]
    for one in (*pair, *reversed(pair), *pair):
        assert (await send_webhook(stripe_service, fake.event("customer.subscription.updated", one))).status_code == 200
    await stripe_service.wait_for_jobs()
    assert [fake.objects[one["id"]]["status"] for one in pair] == ["canceled", "active"]
    assert (await billing_state(owner))[0] == "business"


async def test_stripe_subscription_cannot_be_cancelled_without_stripe(
    stripe_service: Service, fake: FakeStripe, tmp_path: Path
) -> None:
    """Stripe would keep charging for it."""
    owner = await stripe_service.owner()
    await send_webhook(
        stripe_service, fake.event("customer.subscription.created", await check_out(stripe_service, fake, owner))
    )
    settings = settings_for(tmp_path / "local", stripe_service.settings.database_url)
    settings.data_dir.mkdir()
    keys = tmp_path / "keys"
    (settings.data_dir / "keys").symlink_to(keys)
    async with run_service(settings) as local:
        local_owner = Person(local.http, key=owner.key)
        assert status_and_body(await local_owner.post("/api/billing/cancel")) == UNAVAILABLE
        assert (await billing_state(local_owner))[1]["status"] == "active"


async def test_foreign_stripe_objects_are_ignored(stripe_service: Service, fake: FakeStripe) -> None:
    """A Stripe account may serve other systems, and a team id in metadata proves nothing."""
    owner, other = await stripe_service.owner(), await stripe_service.owner()
    subscription = await check_out(stripe_service, fake, owner)
    await send_webhook(stripe_service, fake.event("customer.subscription.created", subscription))
    copied = {name: value for name, value in subscription.items() if name != "id"}

    def copy_subscription(**labels: str) -> dict[str, Any]:
        return fake.new("sub", **{**copied, "metadata": labels})

    forged = copy_subscription(loremark_team=other.team_id, loremark_plan="business")
    unknown_team = copy_subscription(loremark_team="team_x", loremark_plan="business")
    foreign = copy_subscription()
    for one in (forged, unknown_team, foreign):
        assert (await send_webhook(stripe_service, fake.event("customer.subscription.created", one))).status_code == 200
    foreign_payment = fake.new("pi", status="succeeded", amount=5, metadata={})
    assert (
        await send_webhook(stripe_service, fake.event("payment_intent.succeeded", foreign_payment))
    ).status_code == 200
    assert (await billing_state(other))[0] == "team"
    assert (await billing_state(owner))[0] == "business"


async def test_lost_response_is_retried_without_paying_twice(stripe_service: Service, fake: FakeStripe) -> None:
    """The SDK retries with the same idempotency key."""
    owner = await stripe_service.owner()
    await add_card(fake, owner)
    fake.faults.lose = 1
    bought = (await owner.post(PURCHASE, {"packId": "credits_1m"})).json()
    assert bought["balance"] == 1_000_000
    assert len(fake.of("pi")) == 1
    assert len([call for call in fake.calls if call[:2] == ("POST", "/v1/payment_intents")]) == 2


async def test_webhook_credits_a_payment_after_a_lost_response(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    await add_card(fake, owner)
    fake.faults.lose = 100
    headers = {"Idempotency-Key": "order 1"}
    assert status_and_body(await owner.post(PURCHASE, {"packId": "credits_1m"}, headers=headers)) == UNAVAILABLE
    assert (await owner.get(CREDITS)).json()["balance"] == 0
    fake.faults.lose = 0
    (payment,) = fake.of("pi")
    assert payment["status"] == "succeeded"
    await send_webhook(stripe_service, fake.event("payment_intent.succeeded", payment))
    again = (await owner.post(PURCHASE, {"packId": "credits_1m"}, headers=headers)).json()
    assert (again["balance"], again["purchased"]) == (1_000_000, 1_000_000)
    assert len(fake.of("pi")) == 1


async def test_stripe_outage_does_not_block_requests(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    subscription = await check_out(stripe_service, fake, owner)
    payload = fake.event("customer.subscription.created", subscription)
    fake.faults.down = True
    requests = [
        owner.post("/api/billing/checkout", {"planId": "team"}),
        owner.post("/api/billing/portal"),
        send_webhook(stripe_service, payload),
    ]
    tasks = [asyncio.create_task(_await_response(call)) for call in requests]
    assert (await owner.get(CREDITS)).status_code == 200
    for answer in await asyncio.gather(*tasks):
        assert status_and_body(answer) == UNAVAILABLE
        assert answer.headers["retry-after"].isdigit()
    fake.faults.down = False
    assert (await send_webhook(stripe_service, payload)).status_code == 200, "the event was not marked as seen"
    assert (await billing_state(owner))[0] == "business"


async def _await_response(call: Any) -> httpx.Response:
    answer: httpx.Response = await call
    return answer


async def test_recharge_is_paid_once_and_paused_when_declined(
    stripe_service: Service, fake: FakeStripe, tmp_path: Path
) -> None:
    owner = await stripe_service.owner()
    await add_card(fake, owner)
    recharge_settings = {"enabled": True, "threshold": 1000, "packId": "credits_1m", "spendingLimit": 5000}
    fake.faults.lose = 1
    assert (await owner.call("PUT", RECHARGE, recharge_settings)).status_code == 200
    await stripe_service.wait_for_jobs()
    assert (await owner.get(CREDITS)).json()["balance"] == 1_000_000
    assert len(fake.of("pi")) == 1
    fake.decline = "insufficient_funds"
    assert (await owner.call("PUT", RECHARGE, {**recharge_settings, "threshold": 2_000_000})).status_code == 200
    await stripe_service.wait_for_jobs()
    ((subject, _),) = await emails_to(tmp_path, owner.email)
    assert subject == "Auto-recharge is paused"
    assert (await owner.get(CREDITS)).json()["autoRecharge"] == {**recharge_settings, "threshold": 2_000_000} | {
        "paused": True
    }
    attempts = len(fake.of("pi"))
    async with stripe_service.runtime.database.read() as tx:
        account = await store.find_account(tx, Scope(owner.team_id))
        assert account is not None
        assert account["recharge_paused"]
        assert account["pending_recharge_id"] is None
        assert account["recharge_spent_cents"] == 500, "a declined payment does not count as spent"
        assert await store.list_low_balances(tx, "", 10) == []
    fake.decline = ""
    assert len(fake.of("pi")) == attempts
    assert (await owner.call("PUT", RECHARGE, {**recharge_settings, "threshold": 2_000_000})).status_code == 200
    await stripe_service.wait_for_jobs()
    credits = (await owner.get(CREDITS)).json()
    assert (credits["balance"], credits["autoRecharge"]["paused"]) == (2_000_000, False)


async def test_stripe_secrets_are_never_returned_or_stored(stripe_service: Service, fake: FakeStripe) -> None:
    owner = await stripe_service.owner()
    await add_card(fake, owner)
    await owner.post(PURCHASE, {"packId": "credits_1m"})
    contents = await raw_database(stripe_service)
    for secret in (KEY, SECRET):
        assert secret.encode() not in contents
        assert secret not in repr(stripe_service.runtime.payment_providers)


async def test_builtin_pages_are_disabled_with_stripe(stripe_service: Service) -> None:
    owner = await stripe_service.owner()
    response = await owner.get("/billing/portal")
    assert (response.status_code, response.headers["location"]) == (303, "/sign-in?next=%2Fbilling%2Fportal"), (
        "a key is not a login"
    )
    registered = await stripe_service.http.post(
        "/api/auth/register", json={"email": "x@example.com", "password": "correct horse battery", "name": "X"}
    )
    if registered.status_code == 201:
        cookies = {"loremark_login": registered.cookies["loremark_login"]}
        for path in ("/billing/portal", "/billing/checkout?session=x"):
            assert (await stripe_service.browser_call("GET", path, cookies)).status_code == 404


def test_event_subjects() -> None:
    from loremark.ports.payments.stripe import StripeEvents

    reader = StripeEvents(SECRET)
    counter = itertools.count(1)

    def subject_of(type: str, data_object: dict[str, Any]) -> tuple[str, str]:
        event = {
            "id": f"evt_{next(counter)}",
            "object": "event",
            "type": type,
            "created": 5,
            "data": {"object": data_object},
        }
        payload = json.dumps(event)
        read = reader.read_event(payload.encode(), sdk.WebhookSignature.generate_signature_header(payload, SECRET))
        assert read.occurred_at_ms == 5000
        return read.about, read.object_id

    assert subject_of("customer.subscription.updated", {"id": "sub_1"}) == ("subscription", "sub_1")
    assert subject_of("checkout.session.completed", {"id": "cs_1", "subscription": {"id": "sub_1"}}) == (
        "subscription",
        "sub_1",
    )
    assert subject_of("checkout.session.completed", {"id": "cs_1", "subscription": None}) == ("nothing", "")
    assert subject_of("invoice.paid", {"id": "in_1", "parent": None}) == ("nothing", "")
    assert subject_of("refund.created", {"id": "re_1", "payment_intent": "pi_1"}) == ("payment", "pi_1")
    assert subject_of("charge.refunded", {"id": "ch_1", "payment_intent": None}) == ("nothing", "")
    assert subject_of("customer.updated", {"id": "cus_1"}) == ("nothing", "")
