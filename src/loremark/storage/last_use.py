"""Last-use times of credentials, written every few seconds instead of on every request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

from loremark.base import clock, log
from loremark.storage.database import Database, StorageUnavailable, Tx

_INTERVAL_S = 5.0
_log = log.logger("last_use")


class Use(NamedTuple):
    """When a credential was used, and from which address."""

    at_ms: int
    address: str


RecordUse = Callable[[Tx, str, Use], Awaitable[None]]


class LastUseTracker:
    """Buffers last uses and writes them in the background. A crash loses a few seconds of them."""

    def __init__(self, database: Database, record: RecordUse) -> None:
        self._database = database
        self._record = record
        self._pending: dict[str, Use] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._write_forever())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        with suppress(StorageUnavailable):
            await self.write()

    def note(self, credential_id: str, address: str) -> None:
        """Record a use now."""
        self._pending[credential_id] = Use(clock.now_ms(), address)

    def last_used_ms(self, credential_id: str, stored_ms: int | None) -> int | None:
        """The last use, including one not written yet."""
        pending = self._pending.get(credential_id)
        return max(pending.at_ms if pending else 0, stored_ms or 0) or None

    async def write(self) -> None:
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        try:
            async with self._database.write() as tx:
                # Sorted, so that two processes cannot deadlock.
                for credential_id in sorted(pending):
                    await self._record(tx, credential_id, pending[credential_id])
        except StorageUnavailable:
            self._pending = {**pending, **self._pending}
            raise

    async def _write_forever(self) -> None:
        while True:
            await asyncio.sleep(_INTERVAL_S)
            try:
                await self.write()
            except StorageUnavailable as error:
                _log.warning("cannot write last-use times", error=str(error))
