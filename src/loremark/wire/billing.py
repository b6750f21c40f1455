"""Plans, use and credits."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.shapes import AnyId, Shape

SubscriptionStatus = Literal["none", "active", "past_due", "cancelling", "cancelled"]
TransactionType = Literal["purchase", "usage"]

# Whole numbers, also where they are written as 5.0: in JSON that is the same number.
Seats = Annotated[float, Meta(ge=1, le=limits.SEATS, multiple_of=1)]
PageUrl = Annotated[str, Meta(min_length=1, max_length=limits.PAGE_URL_CHARS, pattern=r"^[^\x00-\x20\x7f]+$(?!\n)")]
Threshold = Annotated[float, Meta(ge=0, le=limits.CREDITS, multiple_of=1)]
Cents = Annotated[float, Meta(ge=0, le=limits.SPENDING_CENTS, multiple_of=1)]


class NewCheckout(Shape):
    plan_id: AnyId
    seats: Seats | None = None
    success_url: PageUrl | None = None
    cancel_url: PageUrl | None = None


class PageOpened(Shape):
    """Where the owner's browser goes next."""

    url: str


class Cancelled(Shape):
    """A subscription that ends with its paid period."""

    status: SubscriptionStatus
    cancel_at: str


class Period(Shape):
    start: str
    end: str


class Counter(Shape):
    used: int
    limit: int


class Counters(Shape):
    sessions: Counter
    events: Counter
    enrichments: Counter
    storage: Counter


class SubscriptionState(Shape):
    """What is paid for, and until when."""

    status: SubscriptionStatus
    seats: int
    period_end: str | None
    cancel_at: str | None


class Usage(Shape):
    plan: str
    period: Period
    usage: Counters
    subscription: SubscriptionState


class SoldPlan(Shape):
    """A plan that can be bought, and what it holds in a month."""

    id: str
    price: int
    per_seat: bool
    ai_tokens: int
    projects: int
    sessions: int
    events: int
    enrichments: int
    storage: int


class SoldPack(Shape):
    """Credits that can be bought together."""

    id: str
    tokens: int
    price: int


class Offers(Shape):
    """What is sold here. Prices are in cents."""

    plans: list[SoldPlan]
    packs: list[SoldPack]


class AutoRecharge(Shape):
    enabled: bool
    threshold: int | None
    pack_id: str | None
    spending_limit: int


class NewAutoRecharge(Shape):
    enabled: bool
    threshold: Threshold | None = None
    pack_id: AnyId | None = None
    spending_limit: Cents = limits.SPENDING_CENTS_DEFAULT


class Transaction(Shape):
    id: str
    type: TransactionType
    amount: int
    created_at: str
    price: int | UnsetType = UNSET
    description: str | UnsetType = UNSET


class Credits(Shape):
    balance: int
    auto_recharge: AutoRecharge
    transactions: list[Transaction]


class NewPurchase(Shape):
    pack_id: AnyId


class Purchased(Shape):
    """``purchased`` is 0 while the payment is not confirmed yet; the credits come with its confirmation."""

    transaction_id: str
    balance: int
    purchased: int


class Received(Shape):
    received: bool = True
