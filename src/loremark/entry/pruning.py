"""The job that deletes old finished jobs and webhook deliveries."""

from __future__ import annotations

from loremark.base import clock
from loremark.features.webhooks import jobs as webhooks
from loremark.jobs import operator
from loremark.jobs.run import Run
from loremark.storage.database import Database

PRUNE = "upkeep.prune"
_RETENTION_MS = 14 * clock.DAY_MS
_BATCH = 1_000


class Prune:
    """Deletes finished jobs after two weeks and deliveries after a month."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        while await self._prune_jobs() == _BATCH:
            pass
        await webhooks.prune(self._database)

    async def _prune_jobs(self) -> int:
        async with self._database.write() as tx:
            return await operator.prune_jobs(tx, finished_before_ms=clock.now_ms() - _RETENTION_MS, take=_BATCH)
