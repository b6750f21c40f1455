"""When each key was last used, written every few seconds instead of at every request."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from loremark.base import clock, log
from loremark.base.caller import Caller
from loremark.features.keys import store
from loremark.storage.database import Database, StorageUnavailable, Tx

_EVERY_S = 5.0
_log = log.logger("keys")


class LastUse:
    """Remembers uses in memory and writes them in the background; a crash loses a few seconds of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._used_ms: dict[str, int] = {}
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

    async def find_by_key(self, tx: Tx, raw: str) -> Caller | None:
        """Recognise a key and note its use."""
        caller = await store.find_by_key(tx, raw)
        if caller is not None:
            self._used_ms[caller.credential_id] = clock.now_ms()
        return caller

    def known_ms(self, key_id: str, stored_ms: int | None) -> int | None:
        """The last use, also when it is not written yet."""
        return max(self._used_ms.get(key_id, 0), stored_ms or 0) or None

    async def write(self) -> None:
        if not self._used_ms:
            return
        pending, self._used_ms = self._used_ms, {}
        try:
            async with self._database.write() as tx:
                # In one order everywhere, so that two processes never wait for each other's rows.
                for key_id in sorted(pending):
                    await store.record_use(tx, key_id, pending[key_id])
        except StorageUnavailable:
            self._used_ms = {**pending, **self._used_ms}
            raise

    async def _write_forever(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_S)
            try:
                await self.write()
            except StorageUnavailable as error:
                _log.warning("last use of keys not written", error=str(error))
