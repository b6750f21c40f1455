"""Plans, usage and credits."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.shapes import AnyId, Shape

SubscriptionStatus = Literal["none", "active", "past_due", "cancelling", "cancelled"]
TransactionType = Literal["purchase", "usage"]

# Whole numbers. They are floats because JSON does not distinguish 5 from 5.0.
Seats = Annotated[float, Meta(ge=1, le=limits.SEATS, multiple_of=1)]
PageUrl = Annotated[str, Meta(min_length=1, max_length=limits.PAGE_URL_CHARS, pattern=r"^[^\x00-\x20\x7f]+$(?!\n)")]
Threshold = Annotated[float, Meta(ge=0, le=limits.CREDITS, multiple_of=1)]
Cents = Annotated[float, Meta(ge=0, le=limits.SPENDING_CENTS, multiple_of=1)]


class NewCheckout(Shape):
    plan_id: AnyId
    seats: Seats | None = None
    success_url: PageUrl | None = None
    cancel_url: PageUrl | None = None


class RedirectUrl(Shape):
    """The page to redirect the owner to."""

    url: str


class SubscriptionCancelled(Shape):
    """A subscription that will end with its current billing period."""

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


class SubscriptionInfo(Shape):
    """The team's subscription. Dates are null without a paid plan."""

    status: SubscriptionStatus
    seats: int
    period_end: str | None
    cancel_at: str | None


class Usage(Shape):
    plan: str
    period: Period
    usage: Counters
    subscription: SubscriptionInfo


class CatalogPlan(Shape):
    """A plan for sale and its monthly limits."""

    id: str
    price: int
    per_seat: bool
    ai_tokens: int
    projects: int
    sessions: int
    events: int
    enrichments: int
    storage: int


class CatalogPack(Shape):
    """A credit pack for sale."""

    id: str
    tokens: int
    price: int


class Catalog(Shape):
    """Plans and credit packs for sale. Prices are in cents; without a payment provider no money is charged."""

    plans: list[CatalogPlan]
    packs: list[CatalogPack]
    charges_money: bool


class AutoRecharge(Shape):
    """Auto-recharge is paused after a failed purchase, until the settings are saved again."""

    enabled: bool
    paused: bool
    threshold: int | None
    pack_id: str | None
    spending_limit: int


class AutoRechargeUpdate(Shape):
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


class PurchaseResult(Shape):
    """``purchased`` is 0 until the payment is confirmed; the credits are added then."""

    transaction_id: str
    balance: int
    purchased: int


class WebhookReceived(Shape):
    received: bool = True
