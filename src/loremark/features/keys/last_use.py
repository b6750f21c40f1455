"""Last-use times of API keys."""

from __future__ import annotations

from loremark.base.caller import Caller
from loremark.features.keys import store
from loremark.storage.database import Database, Tx
from loremark.storage.last_use import LastUseTracker


class KeyUse(LastUseTracker):
    """Finds the callers of keys and records the uses."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, store.record_use)

    async def find_by_key(self, tx: Tx, raw: str, address: str) -> Caller | None:
        """Find the caller for a key and record its use. Raise if the key must not be used from this address."""
        caller = await store.find_by_key(tx, raw, address)
        if caller is not None:
            self.note(caller.credential_id, address)
        return caller
