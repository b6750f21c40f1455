"""Opens the configured payment provider. Stripe's SDK is imported only if needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from loremark.base.crypto import Sealer
from loremark.base.settings import Settings, SettingsError
from loremark.ports.payments.local import LocalPayments
from loremark.ports.payments.provider import Provider

if TYPE_CHECKING:
    from loremark.ports.payments.stripe import StripeEvents, StripePayments


@dataclass(frozen=True)
class Payments:
    """The built-in provider, and Stripe if configured."""

    provider: Provider
    local: LocalPayments
    stripe: StripePayments | None = None
    events: StripeEvents | None = None

    def close(self) -> None:
        if self.stripe is not None:
            self.stripe.close()


def open_payments(settings: Settings, sealer: Sealer) -> Payments:
    """Open the provider. Stripe webhooks are read whenever their secret is set, because refunds may come late."""
    local = LocalPayments(sealer, settings.base_url)
    if not settings.stripe_api_key and not settings.stripe_webhook_secret:
        return Payments(local, local)
    try:
        from loremark.ports.payments.stripe import StripeEvents, StripePayments
    except ImportError as error:
        raise SettingsError("Stripe needs the stripe package: pip install 'loremark[stripe]'") from error
    stripe = (
        StripePayments(settings.stripe_api_key, settings.base_url, server=settings.stripe_base_url)
        if settings.stripe_api_key
        else None
    )
    events = StripeEvents(settings.stripe_webhook_secret) if settings.stripe_webhook_secret else None
    provider = stripe if settings.payments == "stripe" and stripe is not None else local
    return Payments(provider, local, stripe, events)
