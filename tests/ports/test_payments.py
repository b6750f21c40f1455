"""The payment providers: sealed local checkouts, and Stripe's SDK with a fake Stripe server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import settings
from loremark.base.crypto import Sealer
from loremark.base.plans import PACKS, PLANS
from loremark.base.settings import SettingsError
from loremark.ports.payments.local import LocalPayments
from loremark.ports.payments.payments import open_payments
from loremark.ports.payments.provider import Buyer, NoPaymentMethod, Order, PaymentFailed, PaymentsUnavailable
from loremark.ports.payments.stripe import StripePayments
from tests.servers.stripe import KEY, SECRET, FakeStripe

pytestmark = pytest.mark.anyio

BASE = "http://127.0.0.1:8000"
PACK = PACKS["credits_1m"]


@pytest.fixture
def fake() -> Iterator[FakeStripe]:
    with FakeStripe() as running:
        yield running


@pytest.fixture
def payments(fake: FakeStripe) -> Iterator[StripePayments]:
    opened = StripePayments(KEY, BASE, server=fake.url)
    yield opened
    opened.close()


def _buyer(fake: FakeStripe, *, card: bool = True) -> Buyer:
    customer = fake.new("cus", object="customer", invoice_settings={})["id"]
    if card:
        fake.add_card(customer)
    return Buyer("team_1", "Stones", "o@example.com", customer)


def test_only_our_own_urls_are_ours() -> None:
    local = LocalPayments(Sealer(b"k" * 32), BASE)
    assert all(local.is_ours(url) for url in (BASE, f"{BASE}/", f"{BASE}/a?b#c", f"{BASE}?x"))
    others = (f"{BASE}1/", f"{BASE}.evil.example", f"{BASE}@evil.example/", "http://127.0.0.1/", "//127.0.0.1:8000/")
    assert not any(local.is_ours(url) for url in others)


async def test_transaction_is_paid_once(fake: FakeStripe, payments: StripePayments) -> None:
    buyer = _buyer(fake)
    paid = await asyncio.gather(*(payments.pay(buyer, PACK, "ctx_1") for _ in range(10)))
    assert {payment.id for payment in paid} == {fake.of("pi")[0]["id"]}
    assert all(payment.paid for payment in paid)
    assert len(fake.of("pi")) == 1
    intent = fake.of("pi")[0]
    assert (intent["amount"], intent["currency"], intent["off_session"], intent["confirm"]) == (
        500,
        "eur",
        "true",
        "true",
    )


async def test_no_payment_is_attempted_without_a_payment_method(fake: FakeStripe, payments: StripePayments) -> None:
    for buyer in (Buyer("team_1", "Stones", "o@example.com"), _buyer(fake, card=False)):
        with pytest.raises(NoPaymentMethod):
            await payments.pay(buyer, PACK, "ctx_1")
    assert fake.of("pi") == []


async def test_card_that_is_not_the_default_is_used(fake: FakeStripe, payments: StripePayments) -> None:
    buyer = _buyer(fake, card=False)
    assert buyer.customer is not None
    card = fake.new("pm", object="payment_method", customer=buyer.customer)["id"]
    assert (await payments.pay(buyer, PACK, "ctx_1")).paid
    assert fake.of("pi")[0]["payment_method"] == card


async def test_declined_card_is_distinguished_from_an_outage(fake: FakeStripe, payments: StripePayments) -> None:
    buyer = _buyer(fake)
    fake.decline = "card_declined"
    with pytest.raises(PaymentFailed):
        await payments.pay(buyer, PACK, "ctx_1")
    fake.faults.down = True
    with pytest.raises(PaymentsUnavailable):
        await payments.pay(buyer, PACK, "ctx_2")
    fake.faults.down = False
    bad = StripePayments("sk_wrong", BASE, server=fake.url)
    with pytest.raises(PaymentsUnavailable):
        await bad.get_subscription("sub_1")
    bad.close()
    with pytest.raises(PaymentsUnavailable):
        await payments.get_subscription("sub_nowhere")


async def test_slow_calls_do_not_block_the_event_loop(fake: FakeStripe, payments: StripePayments) -> None:
    fake.faults.delay_s = 0.5
    call_task = asyncio.create_task(payments.open_portal(_buyer(fake)))
    longest, before = 0.0, time.monotonic()
    while not call_task.done():
        await asyncio.sleep(0.005)
        longest, before = max(longest, time.monotonic() - before), time.monotonic()
    assert (await call_task).url.startswith("https://billing.stripe.example/")
    assert longest < 0.4


async def test_customer_is_created_once(fake: FakeStripe, payments: StripePayments) -> None:
    order = Order(Buyer("team_1", "Stones", "o@example.com"), PLANS["team"], 2)
    pages = [await payments.open_checkout(order) for _ in range(3)]
    assert {page.customer for page in pages} == {fake.of("cus")[0]["id"]}
    assert len(fake.of("cus")) == 1
    assert len({page.url for page in pages}) == 3


async def test_ended_subscription_is_not_ended_again(fake: FakeStripe, payments: StripePayments) -> None:
    page = await payments.open_checkout(Order(Buyer("team_1", "Stones", "o@example.com"), PLANS["team"], 2))
    subscription = fake.finish_checkout(page.url.rpartition("/")[2])
    for _ in range(2):
        await payments.end_subscription(subscription["id"])
    assert [call for call in fake.calls if call[0] == "DELETE"] == [
        ("DELETE", f"/v1/subscriptions/{subscription['id']}", {"prorate": "true", "invoice_now": "true"})
    ]
    ended = await payments.get_subscription(subscription["id"])
    assert ended is not None
    assert (ended.state, ended.plan_id, ended.seats) == ("cancelled", "team", 2)


def test_settings_choose_the_payment_provider(tmp_path: Path) -> None:
    def load_settings(**given: str) -> settings.Settings:
        return settings.load({"LOREMARK_DATA_DIR": str(tmp_path), **given})

    sealer = Sealer(b"k" * 32)
    default = open_payments(load_settings(), sealer)
    assert default.provider is default.local
    assert (default.stripe, default.events) == (None, None)
    secrets = {"LOREMARK_STRIPE_API_KEY": KEY, "LOREMARK_STRIPE_WEBHOOK_SECRET": SECRET}
    with_stripe = open_payments(load_settings(LOREMARK_PAYMENTS="stripe", **secrets), sealer)
    assert with_stripe.provider is with_stripe.stripe
    with_only_the_keys = open_payments(load_settings(**secrets), sealer)
    assert with_only_the_keys.provider is with_only_the_keys.local
    assert with_only_the_keys.stripe is not None
    for name in secrets:
        rest = {other: value for other, value in secrets.items() if other != name}
        with pytest.raises(SettingsError, match="needs LOREMARK_STRIPE_API_KEY and LOREMARK_STRIPE_WEBHOOK_SECRET"):
            load_settings(LOREMARK_PAYMENTS="stripe", **rest)
