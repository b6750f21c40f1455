"""The job that deletes old finished jobs, webhook deliveries and, if so configured, audit entries."""

from __future__ import annotations

from loremark.base import clock, log
from loremark.features.audit import store as audit
from loremark.features.webhooks import jobs as webhooks
from loremark.jobs import operator
from loremark.jobs.run import Run
from loremark.storage.database import Database

PRUNE = "upkeep.prune"
_RETENTION_MS = 14 * clock.DAY_MS
_BATCH = 1_000

_log = log.logger("upkeep")


class Prune:
    """Deletes finished jobs after two weeks, deliveries after a month, and audit entries after ``audit_days``."""

    def __init__(self, database: Database, audit_days: int) -> None:
        self._database = database
        self._audit_days = audit_days

    async def __call__(self, run: Run) -> None:
        while await self._prune_jobs() == _BATCH:
            pass
        await webhooks.prune(self._database)
        if self._audit_days:
            await self._prune_audit_log()

    async def _prune_jobs(self) -> int:
        async with self._database.write() as tx:
            return await operator.prune_jobs(tx, finished_before_ms=clock.now_ms() - _RETENTION_MS, take=_BATCH)

    async def _prune_audit_log(self) -> None:
        before_ms = max(0, clock.now_ms() - self._audit_days * clock.DAY_MS)
        total, last = 0, _BATCH
        while last == _BATCH:
            async with self._database.write() as tx:
                last = await audit.delete_old(tx, before_ms=before_ms, take=_BATCH)
            total += last
        if total:
            _log.info("deleted old audit entries", entries=total, before=clock.iso(before_ms))
