"""A file lock that lets runners on SQLite reclaim the jobs of crashed processes immediately.

All processes run on one machine, and each runner holds a shared lock on a file next to the database, which the system
releases when the process ends. A runner that gets the lock exclusively knows that every lease belongs to a dead process
and reclaims it without waiting for expiry. It downgrades to a shared lock before it claims jobs.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from loremark.base import log
from loremark.jobs import leases
from loremark.storage.database import Database

_AGAIN_S = 0.01
_log = log.logger("jobs")


@asynccontextmanager
async def hold_runner_lock(database: Database, path: Path) -> AsyncIterator[None]:
    """Hold the shared lock for the block, after reclaiming jobs if no other runner is alive."""
    file = os.open(path.with_name(f"{path.name}-jobs"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if _try(file, fcntl.LOCK_EX):
            async with database.write() as tx:
                reclaimed = await leases.reclaim_all(tx)
            if reclaimed:
                _log.info("reclaimed jobs of a dead process", jobs=reclaimed)
        while not _try(file, fcntl.LOCK_SH):  # noqa: ASYNC110 - another process holds it briefly
            await asyncio.sleep(_AGAIN_S)
        yield
    finally:
        os.close(file)


def _try(file: int, lock: int) -> bool:
    try:
        fcntl.flock(file, lock | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
