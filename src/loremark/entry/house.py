"""What every process shares: settings, the database at its schema, the installation's key, and blobs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from loremark.base.crypto import Sealer
from loremark.base.plans import Plans
from loremark.base.settings import Settings, SettingsError
from loremark.entry.engines import Engines, open_engines
from loremark.entry.keys import load_sealer
from loremark.features.billing.subscriptions import Cashier
from loremark.features.identity import store as people
from loremark.ports.blobs.store import Blobs, open_blobs
from loremark.ports.payments.opening import Payments, open_payments
from loremark.storage import schema
from loremark.storage.database import Database
from loremark.storage.opening import open_database


def database_address(settings: Settings) -> str | Path:
    return settings.sqlite_path if settings.on_sqlite else settings.database_url


@dataclass(frozen=True)
class House:
    """What every process shares: settings, database, and the installation's key."""

    settings: Settings
    database: Database
    sealer: Sealer
    blobs: Blobs
    engines: Engines
    payments: Payments

    def cashier(self, plans: Plans) -> Cashier:
        opened = self.payments
        return Cashier(self.database, plans, opened.provider, opened.local, opened.stripe, opened.events)


@asynccontextmanager
async def open_house(settings: Settings) -> AsyncIterator[House]:
    """Open the database, which must be at the schema of this version, and check that the key is its key."""
    sealer = load_sealer(settings)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=settings.database_pool)
    try:
        await _check_key(database, sealer)
        blobs = open_blobs(settings.blobs_url, s3_endpoint=settings.s3_endpoint)
        with closing(open_payments(settings, sealer)) as payments:
            async with open_engines(settings) as engines:
                yield House(settings, database, sealer, blobs, engines, payments)
    finally:
        await database.close()


async def _check_key(database: Database, sealer: Sealer) -> None:
    async with database.write() as tx:
        await people.claim(tx, "encryption_key", sealer.fingerprint)
        known = await people.find_claim(tx, "encryption_key")
    if known != sealer.fingerprint:
        raise SettingsError(
            "LOREMARK_ENCRYPTION_KEY (or keys/encryption.key in the data folder) is not the key this database "
            "was made with; its stored secrets would not open"
        )
