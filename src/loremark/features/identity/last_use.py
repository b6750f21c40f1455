"""Last-use times and addresses of logins."""

from __future__ import annotations

from loremark.base.caller import Caller
from loremark.features.identity import store
from loremark.storage.database import Database, Tx
from loremark.storage.last_use import LastUseTracker


class LoginUse(LastUseTracker):
    """Finds the callers of logins and records the uses."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, store.record_use)

    async def find_by_login(self, tx: Tx, token: str, address: str) -> Caller | None:
        """Find the caller that a cookie token belongs to and record its use."""
        caller = await store.find_by_login(tx, token)
        if caller is not None:
            self.note(caller.credential_id, address)
        return caller
