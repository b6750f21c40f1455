"""Stripe through its SDK, whose blocking calls run in threads with timeouts and retries.

Prices are sent with each order, so only the webhook has to be configured at Stripe. Every creating call has an
idempotency key, so retries create nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import stripe

from loremark.base import ids, log
from loremark.base.plans import Pack
from loremark.ports.payments.provider import (
    BadSignature,
    Buyer,
    Charge,
    Event,
    NoPaymentMethod,
    Order,
    Page,
    Payment,
    PaymentFailed,
    PaymentsUnavailable,
    Refund,
    State,
    Subscription,
)

_CONNECT_S, _ANSWER_S = 5.0, 20.0
_RETRIES = 2
_CALLS_AT_ONCE = 8
_TOLERANCE_S = 300
_CURRENCY = "eur"
_REFUNDS = 100
_STATES: dict[str, State] = {
    "active": "active",
    "trialing": "active",
    "past_due": "past_due",
    "incomplete": "incomplete",
}
"""Any other status (canceled, unpaid, paused, incomplete_expired) counts as cancelled."""

_log = log.logger("payments")


class StripeEvents:
    """Verifies and parses webhooks."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def read_event(self, body: bytes, signature: str | None) -> Event:
        try:
            raw = stripe.Webhook.construct_event(body, signature, self._secret, _TOLERANCE_S).to_dict()
            about, object_id = _subject(str(raw["type"]), raw["data"]["object"])
            return Event(str(raw["id"]), str(raw["type"]), int(raw["created"]) * 1000, about, object_id)
        except (stripe.SignatureVerificationError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadSignature(type(error).__name__) from error


def _subject(type: str, raw: dict[str, Any]) -> tuple[Any, str]:
    """Return the kind and id of the object an event is about."""
    if type.startswith("customer.subscription."):
        return "subscription", str(raw["id"])
    if type == "checkout.session.completed" and raw.get("subscription"):
        return "subscription", _id(raw["subscription"])
    if type.startswith("invoice."):
        parent = raw.get("parent") or {}
        found = raw.get("subscription") or (parent.get("subscription_details") or {}).get("subscription")
        return ("subscription", _id(found)) if found else ("nothing", "")
    if type.startswith("payment_intent."):
        return "payment", str(raw["id"])
    if type.startswith(("charge.", "refund.")) and raw.get("payment_intent"):
        return "payment", _id(raw["payment_intent"])
    return "nothing", ""


def _id(found: Any) -> str:
    """Return the id of an expanded or unexpanded object."""
    return str(found["id"] if isinstance(found, dict) else found)


class StripePayments:
    """Payments through Stripe."""

    name = "stripe"

    def __init__(self, api_key: str, base_url: str, *, server: str = "") -> None:
        self._base_url = base_url
        self._client = stripe.StripeClient(
            api_key,
            base_addresses={"api": server} if server else {},
            max_network_retries=_RETRIES,
            http_client=stripe.RequestsClient(timeout=(_CONNECT_S, _ANSWER_S)),
        )
        self._threads = ThreadPoolExecutor(_CALLS_AT_ONCE, thread_name_prefix="stripe")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, call: Callable[[], Any]) -> dict[str, Any]:
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except stripe.CardError as error:
            raise PaymentFailed(f"{error.code}") from error
        except stripe.StripeError as error:
            _log.warning("stripe request failed", kind=type(error).__name__, status=error.http_status, code=error.code)
            raise PaymentsUnavailable(type(error).__name__) from error
        answer: dict[str, Any] = found.to_dict()
        return answer

    async def open_checkout(self, order: Order) -> Page:
        customer = await self._customer(order.buyer)
        named = {"loremark_team": order.buyer.team_id, "loremark_plan": order.plan.id}
        price: Any = {
            "currency": _CURRENCY,
            "unit_amount": order.plan.price_cents,
            "recurring": {"interval": "month"},
            "product_data": {"name": f"Loremark {order.plan.id}"},
        }
        params: Any = {
            "mode": "subscription",
            "customer": customer,
            "client_reference_id": order.buyer.team_id,
            "line_items": [{"price_data": price, "quantity": order.seats}],
            "metadata": named,
            "subscription_data": {"metadata": named},
            "success_url": order.success_url or f"{self._base_url}/",
            "cancel_url": order.cancel_url or f"{self._base_url}/",
        }
        made = await self._ask(
            lambda: self._client.v1.checkout.sessions.create(params, {"idempotency_key": ids.new("chk")})
        )
        return Page(str(made["url"]), customer)

    async def open_portal(self, buyer: Buyer) -> Page:
        customer = await self._customer(buyer)
        params: Any = {"customer": customer, "return_url": f"{self._base_url}/"}
        made = await self._ask(lambda: self._client.v1.billing_portal.sessions.create(params))
        return Page(str(made["url"]), customer)

    async def _customer(self, buyer: Buyer) -> str:
        if buyer.customer is not None:
            return buyer.customer
        params: Any = {"email": buyer.email, "name": buyer.team_name, "metadata": {"loremark_team": buyer.team_id}}
        key: Any = {"idempotency_key": f"customer-{buyer.team_id}"}
        return str((await self._ask(lambda: self._client.v1.customers.create(params, key)))["id"])

    async def cancel(self, subscription: Subscription) -> Subscription:
        params: Any = {"cancel_at_period_end": True}
        raw = await self._ask(lambda: self._client.v1.subscriptions.update(subscription.id, params))
        return _subscription(raw) or subscription

    async def end_subscription(self, subscription_id: str) -> None:
        raw = await self._ask(lambda: self._client.v1.subscriptions.retrieve(subscription_id))
        if raw["status"] not in ("canceled", "incomplete_expired"):
            params: Any = {"prorate": True, "invoice_now": True}
            await self._ask(lambda: self._client.v1.subscriptions.cancel(subscription_id, params))

    async def get_subscription(self, subscription_id: str) -> Subscription | None:
        return _subscription(await self._ask(lambda: self._client.v1.subscriptions.retrieve(subscription_id)))

    async def pay(self, buyer: Buyer, pack: Pack, transaction_id: str) -> Payment:
        """Charge the customer's saved payment method off-session."""
        if buyer.customer is None:
            raise NoPaymentMethod("no customer yet")
        params: Any = {
            "amount": pack.price_cents,
            "currency": _CURRENCY,
            "customer": buyer.customer,
            "payment_method": await self._payment_method(buyer.customer),
            "confirm": True,
            "off_session": True,
            "description": f"Loremark {pack.id}",
            "metadata": {
                "loremark_team": buyer.team_id,
                "loremark_transaction": transaction_id,
                "loremark_pack": pack.id,
                "loremark_tokens": str(pack.tokens),
            },
        }
        key: Any = {"idempotency_key": transaction_id}
        made = await self._ask(lambda: self._client.v1.payment_intents.create(params, key))
        outcome = _outcome(made)
        if outcome == "failed":
            raise PaymentFailed(str(made["status"]))
        return Payment(str(made["id"]), outcome == "paid")

    async def _payment_method(self, customer: str) -> str:
        raw = await self._ask(lambda: self._client.v1.customers.retrieve(customer))
        chosen = (raw.get("invoice_settings") or {}).get("default_payment_method")
        if chosen:
            return _id(chosen)
        params: Any = {"limit": 1}
        found = await self._ask(lambda: self._client.v1.customers.payment_methods.list(customer, params))
        if not found["data"]:
            raise NoPaymentMethod("the customer has no payment method")
        return str(found["data"][0]["id"])

    async def get_charge(self, payment_id: str) -> Charge | None:
        raw = await self._ask(lambda: self._client.v1.payment_intents.retrieve(payment_id))
        named = raw.get("metadata") or {}
        if "loremark_transaction" not in named:
            return None
        pack = Pack(id=named["loremark_pack"], tokens=int(named["loremark_tokens"]), price_cents=int(raw["amount"]))
        refunds: tuple[Refund, ...] = ()
        if _outcome(raw) == "paid":
            params: Any = {"payment_intent": payment_id, "limit": _REFUNDS}
            listed = (await self._ask(lambda: self._client.v1.refunds.list(params)))["data"]
            kept = [each for each in listed if each.get("status") not in ("failed", "canceled")]
            refunds = tuple(Refund(str(each["id"]), int(each["amount"])) for each in kept)
        return Charge(payment_id, named["loremark_team"], named["loremark_transaction"], pack, _outcome(raw), refunds)


def _outcome(raw: dict[str, Any]) -> Any:
    return {"succeeded": "paid", "processing": "open", "requires_capture": "open"}.get(raw["status"], "failed")


def _subscription(raw: dict[str, Any]) -> Subscription | None:
    named = raw.get("metadata") or {}
    if "loremark_team" not in named or "loremark_plan" not in named:
        return None
    item = raw["items"]["data"][0]
    start = raw.get("current_period_start") or item["current_period_start"]
    end = raw.get("current_period_end") or item["current_period_end"]
    cancel_at = raw.get("cancel_at") or (end if raw.get("cancel_at_period_end") else None)
    return Subscription(
        id=str(raw["id"]),
        team_id=str(named["loremark_team"]),
        plan_id=str(named["loremark_plan"]),
        seats=int(item.get("quantity") or 1),
        state=_STATES.get(raw["status"], "cancelled"),
        created_at_ms=int(raw["created"]) * 1000,
        period_start_ms=int(start) * 1000,
        period_end_ms=int(end) * 1000,
        cancel_at_ms=None if cancel_at is None else int(cancel_at) * 1000,
        customer=_id(raw["customer"]),
    )
