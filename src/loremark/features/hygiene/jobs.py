"""Deletes expired plans, because they contain titles of items."""

from __future__ import annotations

from loremark.features.hygiene import store
from loremark.jobs.run import Run
from loremark.storage.database import Database

PRUNE = "hygiene.prune"
_BATCH = 1_000


class PrunePlans:
    """Deletes expired plans in bounded batches."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        while await self._prune_batch() == _BATCH:
            pass

    async def _prune_batch(self) -> int:
        async with self._database.write() as tx:
            return await store.prune_plans(tx, _BATCH)
