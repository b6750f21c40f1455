"""Loading the facts of a scan's files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from loremark.features.genesis import files
from loremark.features.genesis.task import Task
from loremark.memory.codebase.records import FileFacts
from loremark.storage.database import Row


async def load(task: Task) -> dict[str, FileFacts]:
    """Return the facts of all files read or carried over, by path."""
    found: dict[str, FileFacts] = {}
    after = ""
    while True:
        async with task.deps.database.read() as tx:
            page = await files.list_facts(tx, task.scope, task.scan_id, after)
        if not page:
            return found
        found |= await asyncio.to_thread(_decoded, page)
        after = page[-1]["path"]


def _decoded(page: Sequence[Row]) -> dict[str, FileFacts]:
    return {row["path"]: files.decode(row["facts"]) for row in page}
