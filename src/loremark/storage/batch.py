"""A batch of SQLite transactions committed together."""

from __future__ import annotations

import asyncio

from loremark.base import clock
from loremark.storage.database import StorageUnavailable

_TRANSACTIONS = 256
_SECONDS = 0.02


class Batch:
    """Transactions made durable by the same COMMIT."""

    def __init__(self) -> None:
        self.opened_at = clock.monotonic()
        self.size = 0
        self.notices: list[tuple[str, str]] = []
        self.durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fail(self, reason: str) -> None:
        self.durable.set_exception(StorageUnavailable(reason))
        self.durable.exception()  # mark as retrieved, in case every waiter was cancelled

    @property
    def full(self) -> bool:
        return self.size >= _TRANSACTIONS or clock.monotonic() - self.opened_at > _SECONDS
