"""The built-in provider: our own pages, and no money.

For development only: on a server with a loopback URL every order counts as paid. Elsewhere the owner of a team could
give themselves credits, so orders are refused and the operator grants plans and credits.

A checkout is an encrypted order, valid for its team only and for an hour.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode, urlsplit

import msgspec

from loremark.base import clock, limits
from loremark.base.crypto import Sealer, SealError
from loremark.base.plans import Pack
from loremark.ports.payments.provider import Buyer, NoPaymentMethod, Order, Page, Payment, Subscription

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Checkout(msgspec.Struct, frozen=True):
    """The order of a checkout page."""

    plan_id: str
    seats: int
    expires_at_ms: int
    success_url: str | None = None
    cancel_url: str | None = None


class LocalPayments:
    """Treats every order confirmed on our own page as paid."""

    name = "local"

    def __init__(self, sealer: Sealer, base_url: str) -> None:
        self._sealer = sealer
        self._base_url = base_url
        self._takes_orders = (urlsplit(base_url).hostname or "") in _LOOPBACK

    async def open_checkout(self, order: Order) -> Page:
        self._refuse_orders()
        checkout = Checkout(
            order.plan.id,
            order.seats,
            clock.now_ms() + limits.CHECKOUT_VALID_MS,
            order.success_url,
            order.cancel_url,
        )
        sealed = self._sealer.seal(msgspec.json.encode(checkout).decode(), _context(order.buyer.team_id))
        return Page(f"{self._base_url}/billing/checkout?{urlencode({'session': sealed})}")

    async def open_portal(self, buyer: Buyer) -> Page:
        return Page(f"{self._base_url}/billing/portal")

    async def cancel(self, subscription: Subscription) -> Subscription:
        return replace(subscription, cancel_at_ms=subscription.period_end_ms)

    async def pay(self, buyer: Buyer, pack: Pack, transaction_id: str) -> Payment:
        self._refuse_orders()
        return Payment(transaction_id, paid=True)

    def _refuse_orders(self) -> None:
        if not self._takes_orders:
            raise NoPaymentMethod("the built-in provider takes orders on loopback only")

    def read(self, session: str, team_id: str) -> Checkout | None:
        """Return the order of a checkout, or None if it is invalid, expired or another team's."""
        try:
            checkout = msgspec.json.decode(self._sealer.open(session, _context(team_id)), type=Checkout)
        except (SealError, msgspec.DecodeError):
            return None
        return checkout if self._takes_orders and checkout.expires_at_ms > clock.now_ms() else None

    def is_ours(self, url: str) -> bool:
        """Return whether a URL leads to our own pages."""
        return url == self._base_url or url.startswith((f"{self._base_url}/", f"{self._base_url}?"))


def _context(team_id: str) -> str:
    return f"checkout:{team_id}"
