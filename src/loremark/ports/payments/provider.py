"""What the house needs of a payment provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from loremark.base.plans import Pack, Plan

State = Literal["active", "past_due", "cancelled", "incomplete"]


class PaymentFailed(Exception):
    """The payment was refused; nothing was taken. The text is for logs."""


class NoPaymentMethod(PaymentFailed):
    """The buyer has left nothing to pay with."""


class PaymentsUnavailable(Exception):
    """The provider cannot be reached, or did not understand us; what came of the call is not known."""


@dataclass(frozen=True)
class Buyer:
    """A team that pays; ``customer`` is its name at the provider, once it has one."""

    team_id: str
    team_name: str
    email: str
    customer: str | None = None


@dataclass(frozen=True)
class Order:
    """A plan somebody wants to have."""

    buyer: Buyer
    plan: Plan
    seats: int
    success_url: str | None = None
    cancel_url: str | None = None


@dataclass(frozen=True)
class Page:
    """A page of the provider's for the buyer's browser."""

    url: str
    customer: str | None = None


@dataclass(frozen=True, kw_only=True)
class Subscription:
    """A plan that is paid month by month, as the provider knows it."""

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
    """A payment under way (``paid`` false: the provider tells us later what became of it)."""

    id: str
    paid: bool


class Provider(Protocol):
    """Every call may raise ``PaymentFailed`` or ``PaymentsUnavailable``."""

    name: str

    async def open_checkout(self, order: Order) -> Page: ...

    async def open_portal(self, buyer: Buyer) -> Page: ...

    async def cancel(self, subscription: Subscription) -> Subscription:
        """Let it end with the period that is paid."""

    async def pay(self, buyer: Buyer, pack: Pack, transaction_id: str) -> Payment:
        """Take the price of a pack. The same transaction is paid once, however often this is called."""


class BadSignature(Exception):
    """A webhook that the provider did not send, or sent long ago."""


@dataclass(frozen=True)
class Event:
    """A word of the provider's. It may come twice, late, and out of order: it only says where to look."""

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
    """A payment for credits as the provider knows it now."""

    id: str
    team_id: str
    transaction_id: str
    pack: Pack
    outcome: Literal["paid", "failed", "open"]
    refunds: tuple[Refund, ...] = ()


class RemoteProvider(Provider, Protocol):
    """One that tells us by webhooks, and can be asked how things stand."""

    async def get_subscription(self, subscription_id: str) -> Subscription | None:
        """None when it is none of ours."""

    async def get_charge(self, payment_id: str) -> Charge | None:
        """None when it is no payment for credits of ours."""

    async def end_subscription(self, subscription_id: str) -> None:
        """Now, and what was paid for the rest of the period is credited. One that has ended stays so."""


class EventReader(Protocol):
    """Whoever can tell the provider's own webhooks from others."""

    def read_event(self, body: bytes, signature: str | None) -> Event:
        """Raises ``BadSignature``."""
