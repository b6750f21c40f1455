"""What every process shares: settings, database, encryption key, blobs, models and payments."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from loremark.base.crypto import Sealer
from loremark.base.plans import Plans
from loremark.base.settings import Settings, SettingsError
from loremark.entry.engines import Engines, open_engines
from loremark.entry.installation_secrets import load_sealer
from loremark.features.billing.subscriptions import Payments
from loremark.features.identity import store as people
from loremark.ports.blobs.store import Blobs, open_blobs
from loremark.ports.payments.payments import Payments as PaymentProviders
from loremark.ports.payments.payments import open_payments
from loremark.storage import schema
from loremark.storage.connect import open_database
from loremark.storage.database import Database

KEY_CLAIM = "encryption_key"
"""The value of the installation that identifies its encryption key."""


def database_address(settings: Settings) -> str | Path:
    return settings.sqlite_path if settings.on_sqlite else settings.database_url


@dataclass(frozen=True)
class Runtime:
    """The resources a process runs on."""

    settings: Settings
    database: Database
    sealer: Sealer
    blobs: Blobs
    engines: Engines
    payment_providers: PaymentProviders

    def payments(self, plans: Plans) -> Payments:
        providers = self.payment_providers
        return Payments(self.database, plans, providers.provider, providers.local, providers.stripe, providers.events)


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """Open the database and the other resources. Fails if the schema is outdated or the encryption key is wrong."""
    sealer = load_sealer(settings)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=settings.database_pool)
    try:
        await _check_key(database, sealer)
        blobs = open_blobs(settings.blobs_url, s3_endpoint=settings.s3_endpoint)
        with closing(open_payments(settings, sealer)) as payments:
            async with open_engines(settings) as engines:
                yield Runtime(settings, database, sealer, blobs, engines, payments)
    finally:
        await database.close()


async def _check_key(database: Database, sealer: Sealer) -> None:
    async with database.write() as tx:
        await people.claim(tx, KEY_CLAIM, sealer.fingerprint)
        known = await people.find_claim(tx, KEY_CLAIM)
    if known != sealer.fingerprint:
        raise SettingsError(
            "LOREMARK_ENCRYPTION_KEY (or keys/encryption.key in the data folder) does not match this database; "
            "its stored secrets could not be decrypted. Restore the original key."
        )
