"""Removal of a deleted project's data, in bounded batches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from sqlalchemy import Table, delete, select, tuple_

from loremark.features.projects.repository_cleanup import CopyCleaner, notify_unused
from loremark.jobs.run import Run
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Tx
from loremark.storage.tables import audit_entries, metadata, projects

_ROWS_AT_ONCE = 2_000

ClearTable = Callable[[Tx, str, int], Awaitable[int]]
"""Deletes up to that many rows of a project and updates dependent data in the same transaction."""


def project_tables() -> list[Table]:
    """All tables with project rows except the audit log, which is kept."""
    return [table for table in metadata.sorted_tables if "project_id" in table.c and table is not audit_entries]


class ProjectPurge:
    """Deletes rows, blobs and repository copies, then the project. Restarts from the beginning after a crash."""

    def __init__(self, database: Database, blobs: Blobs, clears: Mapping[str, ClearTable], copies: CopyCleaner) -> None:
        """``clears``: by table name, a function for tables whose rows cannot simply be deleted."""
        self._database = database
        self._blobs = blobs
        self._clears = clears
        self._copies = copies

    async def __call__(self, run: Run) -> None:
        project_id: str = run.payload["projectId"]
        for table in reversed(project_tables()):
            while await self._delete_batch(table, project_id):
                pass
        await self._blobs.delete_project(project_id)
        url = await self._find_repository(project_id)
        if url is not None:
            await self._copies.remove_unused(url)
        async with self._database.write() as tx:
            await tx.run(delete(projects).where(projects.c.id == project_id, projects.c.deleted_at_ms.is_not(None)))
            if url is not None:
                notify_unused(tx, url)  # on other machines

    async def _find_repository(self, project_id: str) -> str | None:
        async with self._database.read() as tx:
            row = await tx.one(select(projects.c.repo_url).where(projects.c.id == project_id))
        return None if row is None else row["repo_url"]

    async def _delete_batch(self, table: Table, project_id: str) -> int:
        if table.name in self._clears:
            async with self._database.write() as tx:
                return await self._clears[table.name](tx, project_id, _ROWS_AT_ONCE)
        key = tuple_(*table.primary_key.columns) if len(table.primary_key) > 1 else next(iter(table.primary_key))
        some = select(*table.primary_key.columns).where(table.c.project_id == project_id).limit(_ROWS_AT_ONCE)
        async with self._database.write() as tx:
            return await tx.sweep(delete(table).where(key.in_(some)))
