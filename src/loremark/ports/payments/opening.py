"""Opening the provider that the settings name. The SDK is loaded only where it is used."""

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
    """The embedded provider, and Stripe as far as it is set up."""

    provider: Provider
    local: LocalPayments
    stripe: StripePayments | None = None
    events: StripeEvents | None = None

    def close(self) -> None:
        if self.stripe is not None:
            self.stripe.close()


def open_payments(settings: Settings, sealer: Sealer) -> Payments:
    """Stripe's webhooks are read wherever their secret is set: refunds come long after a change of provider."""
    local = LocalPayments(sealer, settings.base_url)
    if not settings.stripe_api_key and not settings.stripe_webhook_secret:
        return Payments(local, local)
    try:
        from loremark.ports.payments.stripe import StripeEvents, StripePayments
    except ImportError as error:
        raise SettingsError("Stripe needs the package stripe: pip install 'loremark[stripe]'") from error
    stripe = (
        StripePayments(settings.stripe_api_key, settings.base_url, server=settings.stripe_base_url)
        if settings.stripe_api_key
        else None
    )
    events = StripeEvents(settings.stripe_webhook_secret) if settings.stripe_webhook_secret else None
    provider = stripe if settings.payments == "stripe" and stripe is not None else local
    return Payments(provider, local, stripe, events)
