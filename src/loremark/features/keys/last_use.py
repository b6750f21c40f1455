"""Last-use times of API keys, written every few seconds instead of on every request."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from loremark.base import clock, log
from loremark.base.caller import Caller
from loremark.features.keys import store
from loremark.storage.database import Database, StorageUnavailable, Tx

_INTERVAL_S = 5.0
_log = log.logger("keys")


class LastUseTracker:
    """Buffers last-use times and writes them in the background. A crash loses a few seconds of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: dict[str, int] = {}
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

    async def find_by_key(self, tx: Tx, raw: str, address: str) -> Caller | None:
        """Find the caller for a key and record its use. Raise if the key must not be used from this address."""
        caller = await store.find_by_key(tx, raw, address)
        if caller is not None:
            self._pending[caller.credential_id] = clock.now_ms()
        return caller

    def last_used_ms(self, key_id: str, stored_ms: int | None) -> int | None:
        """The last use, including one not written yet."""
        return max(self._pending.get(key_id, 0), stored_ms or 0) or None

    async def write(self) -> None:
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        try:
            async with self._database.write() as tx:
                # Sorted, so that two processes cannot deadlock.
                for key_id in sorted(pending):
                    await store.record_use(tx, key_id, pending[key_id])
        except StorageUnavailable:
            self._pending = {**pending, **self._pending}
            raise

    async def _write_forever(self) -> None:
        while True:
            await asyncio.sleep(_INTERVAL_S)
            try:
                await self.write()
            except StorageUnavailable as error:
                _log.warning("cannot write last-use times of keys", error=str(error))
