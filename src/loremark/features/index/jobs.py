"""Upkeep of the index: rows of items that went long ago, and vectors that models no longer in use once made."""

from __future__ import annotations

from loremark.base.caller import Scope
from loremark.features.identity import store as people
from loremark.features.index import store, vectors
from loremark.jobs.run import Run
from loremark.storage.database import Database, Row

UPKEEP = "index.upkeep"
_KEPT_VERSIONS = 2_000
"""Whoever lags behind by more changes than these reads nearly all anew in any case."""
_VERSIONS_AT_ONCE = 500
"""So seldom is somebody who lags behind made to do so."""
_PROJECTS_AT_ONCE = 100
_ROWS_AT_ONCE = 1_000


class Upkeep:
    """Looks in short reads, and deletes a bounded piece at a time. After a crash it goes on with what is left."""

    def __init__(self, database: Database, model: str) -> None:
        self._database = database
        self._model = model

    async def __call__(self, run: Run) -> None:
        await self._forget_gone(run)
        await self._forget_vectors(run)

    async def _forget_gone(self, run: Run) -> None:
        after, least = "", _KEPT_VERSIONS + _VERSIONS_AT_ONCE
        while True:
            async with self._database.read() as tx:
                grown = await store.list_grown(tx, after=after, least=least, take=_PROJECTS_AT_ONCE)
            for project in grown:
                await self._forget_gone_of(run, project)
            if len(grown) < _PROJECTS_AT_ONCE:
                return
            after = grown[-1]["id"]

    async def _forget_gone_of(self, run: Run, project: Row) -> None:
        scope, project_id = Scope(project["team_id"]), project["id"]
        since, last = project["up_to"], project["index_version"] - _KEPT_VERSIONS
        while since < last:
            async with self._database.read() as tx:
                gone = await store.list_gone(tx, scope, project_id, since=since, until=last, take=_ROWS_AT_ONCE)
            since = gone[-1]["version"] if len(gone) == _ROWS_AT_ONCE else last
            async with run.step() as tx:
                await store.forget_gone(tx, scope, project_id, [row["item_id"] for row in gone], since)

    async def _forget_vectors(self, run: Run) -> None:
        """Only by whoever has the embedder that all processes have agreed on."""
        async with self._database.read() as tx:
            if await people.find_claim(tx, "embedder") != self._model:
                return
        after = ""
        while True:
            async with self._database.read() as tx:
                found = await vectors.list_with_cached_others(tx, self._model, after=after, take=_PROJECTS_AT_ONCE)
            for project in found:
                while await self._forget_some(run, project) == _ROWS_AT_ONCE:
                    pass
            if len(found) < _PROJECTS_AT_ONCE:
                return
            after = found[-1]["id"]

    async def _forget_some(self, run: Run, project: Row) -> int:
        async with run.step() as tx:
            scope = Scope(project["team_id"])
            return await vectors.forget_cached_others(tx, scope, project["id"], self._model, _ROWS_AT_ONCE)
