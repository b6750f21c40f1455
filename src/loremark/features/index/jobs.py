"""Index maintenance: prunes rows of deleted items and cached vectors of models no longer in use."""

from __future__ import annotations

from loremark.base.caller import Scope
from loremark.features.identity import store as people
from loremark.features.index import store, vectors
from loremark.jobs.run import Run
from loremark.storage.database import Database, Row

UPKEEP = "index.upkeep"
_KEPT_VERSIONS = 2_000
"""A process that is further behind than this reloads the whole index anyway."""
_VERSIONS_AT_ONCE = 500
"""Prune only after this many new versions, so processes that lag behind rarely have to reload."""
_PROJECTS_AT_ONCE = 100
_ROWS_AT_ONCE = 1_000


class Upkeep:
    """Deletes in bounded batches, and resumes after a crash."""

    def __init__(self, database: Database, model: str) -> None:
        self._database = database
        self._model = model

    async def __call__(self, run: Run) -> None:
        await self._prune_deleted(run)
        await self._delete_stale_vectors(run)

    async def _prune_deleted(self, run: Run) -> None:
        after, least = "", _KEPT_VERSIONS + _VERSIONS_AT_ONCE
        while True:
            async with self._database.read() as tx:
                prunable = await store.list_prunable(tx, after=after, least=least, take=_PROJECTS_AT_ONCE)
            for project in prunable:
                await self._prune_project(run, project)
            if len(prunable) < _PROJECTS_AT_ONCE:
                return
            after = prunable[-1]["id"]

    async def _prune_project(self, run: Run, project: Row) -> None:
        scope, project_id = Scope(project["team_id"]), project["id"]
        since, last = project["up_to"], project["index_version"] - _KEPT_VERSIONS
        while since < last:
            async with self._database.read() as tx:
                deleted = await store.list_deleted(tx, scope, project_id, since=since, until=last, take=_ROWS_AT_ONCE)
            since = deleted[-1]["version"] if len(deleted) == _ROWS_AT_ONCE else last
            async with run.step() as tx:
                await store.prune_deleted(tx, scope, project_id, [row["item_id"] for row in deleted], since)

    async def _delete_stale_vectors(self, run: Run) -> None:
        """Runs only if this process uses the embedder that all processes agreed on."""
        async with self._database.read() as tx:
            if await people.find_claim(tx, "embedder") != self._model:
                return
        after = ""
        while True:
            async with self._database.read() as tx:
                found = await vectors.list_with_stale_cache(tx, self._model, after=after, take=_PROJECTS_AT_ONCE)
            for project in found:
                while await self._delete_batch(run, project) == _ROWS_AT_ONCE:
                    pass
            if len(found) < _PROJECTS_AT_ONCE:
                return
            after = found[-1]["id"]

    async def _delete_batch(self, run: Run, project: Row) -> int:
        async with run.step() as tx:
            scope = Scope(project["team_id"])
            return await vectors.delete_stale_cache(tx, scope, project["id"], self._model, _ROWS_AT_ONCE)
