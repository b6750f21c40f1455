"""Plans whose time is over are forgotten: they name items and their titles."""

from __future__ import annotations

from loremark.features.hygiene import store
from loremark.jobs.run import Run
from loremark.storage.database import Database

PRUNE = "hygiene.prune"
_AT_ONCE = 1_000


class PrunePlans:
    """A bounded piece at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        while await self._prune_some() == _AT_ONCE:
            pass

    async def _prune_some(self) -> int:
        async with self._database.write() as tx:
            return await store.prune_plans(tx, _AT_ONCE)
