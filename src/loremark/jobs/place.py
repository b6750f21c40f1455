"""A runner's place at an embedded database, whose processes all live on one machine.

Everybody who runs jobs there holds a shared lock on a file beside it, which the system releases however a process
ends. Who gets the lock for itself alone knows that every lease is of a process that is gone, and need not wait
for it to run out. It shares the lock before it takes a job, so nobody ever takes back what a living one holds.
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
async def take_place(database: Database, path: Path) -> AsyncIterator[None]:
    """The right to run jobs on this file while the block runs."""
    file = os.open(path.with_name(f"{path.name}-jobs"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if _try(file, fcntl.LOCK_EX):
            async with database.write() as tx:
                taken_back = await leases.take_back_all(tx)
            if taken_back:
                _log.info("jobs of a process that is gone go on", jobs=taken_back)
        while not _try(file, fcntl.LOCK_SH):  # noqa: ASYNC110 - another process is just doing the same
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
