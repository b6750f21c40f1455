"""The interface of payment providers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from loremark.base.plans import Pack, Plan

State = Literal["active", "past_due", "cancelled", "incomplete"]


class PaymentFailed(Exception):
    """The payment was declined and nothing was charged. The message is for logs."""


class NoPaymentMethod(PaymentFailed):
    """The customer has no payment method."""


class PaymentsUnavailable(Exception):
    """The provider is unreachable or returned an error; the outcome of the call is unknown."""


@dataclass(frozen=True)
class Buyer:
    """A paying team; ``customer`` is its id at the provider, if it has one."""

    team_id: str
    team_name: str
    email: str
    customer: str | None = None


@dataclass(frozen=True)
class Order:
    """An order for a plan."""

    buyer: Buyer
    plan: Plan
    seats: int
    success_url: str | None = None
    cancel_url: str | None = None


@dataclass(frozen=True)
class Page:
    """A provider page for the buyer's browser."""

    url: str
    customer: str | None = None


@dataclass(frozen=True, kw_only=True)
class Subscription:
    """A monthly subscription, as reported by the provider."""

    id: str
    team_id: str
    plan_id: str
    seats: int
    state: State
    created_at_ms: int
    period_start_ms: int
    period_end_ms: int
    cancel_at_ms: int | None = None
    customer: str | None = None


@dataclass(frozen=True)
class Payment:
    """A payment. If ``paid`` is false, the provider reports the outcome later."""

    id: str
    paid: bool


class Provider(Protocol):
    """Every call may raise ``PaymentFailed`` or ``PaymentsUnavailable``."""

    name: str

    async def open_checkout(self, order: Order) -> Page: ...

    async def open_portal(self, buyer: Buyer) -> Page: ...

    async def cancel(self, subscription: Subscription) -> Subscription:
        """Cancel at the end of the paid period."""

    async def pay(self, buyer: Buyer, pack: Pack, transaction_id: str) -> Payment:
        """Charge for a pack. Idempotent per transaction."""


class BadSignature(Exception):
    """A webhook with an invalid or expired signature."""


@dataclass(frozen=True)
class Event:
    """A provider's event. It may arrive twice, late or out of order, so it only tells what to look up."""

    id: str
    type: str
    occurred_at_ms: int
    about: Literal["subscription", "payment", "nothing"]
    object_id: str


@dataclass(frozen=True)
class Refund:
    id: str
    price_cents: int


@dataclass(frozen=True)
class Charge:
    """A payment for credits, as reported by the provider."""

    id: str
    team_id: str
    transaction_id: str
    pack: Pack
    outcome: Literal["paid", "failed", "open"]
    refunds: tuple[Refund, ...] = ()


class RemoteProvider(Provider, Protocol):
    """A provider that sends webhooks and can be queried."""

    async def get_subscription(self, subscription_id: str) -> Subscription | None:
        """Return None if it is not ours."""

    async def get_charge(self, payment_id: str) -> Charge | None:
        """Return None if it is not one of our credit payments."""

    async def end_subscription(self, subscription_id: str) -> None:
        """End it now and credit the unused part of the period. Idempotent."""


class EventReader(Protocol):
    """Verifies and parses webhooks."""

    def read_event(self, body: bytes, signature: str | None) -> Event:
        """Raises ``BadSignature``."""
