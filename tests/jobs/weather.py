"""Bad weather for a database: for a while it cannot be written, then all is well again."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import TypeVar

import asyncpg
import pytest

from loremark.jobs import runner
from loremark.storage import sqlite
from loremark.storage.database import StorageUnavailable

T = TypeVar("T")
Storm = Callable[[str | Path], AbstractAsyncContextManager[None]]


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long for a locked file, and ask for work all the time, so that the storm meets somebody."""
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    monkeypatch.setattr(runner, "_POLL_S", 0.002)


async def outlast(work: Callable[[], Awaitable[T]]) -> T:
    """Try until the weather is good again."""
    while True:
        try:
            return await work()
        except StorageUnavailable:
            await asyncio.sleep(0.05)


@asynccontextmanager
async def file_locked(address: str | Path) -> AsyncIterator[None]:
    """Another process holds SQLite's write lock for longer than anybody waits.

    It waits for the lock in a thread: who holds it may need the event loop to let it go.
    """
    with closing(sqlite3.connect(address, isolation_level=None, check_same_thread=False)) as other:
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def _execute(address: str | Path, *statements: str) -> None:
    connection = await asyncpg.connect(str(address), server_settings={"default_transaction_read_only": "off"})
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


_END_CONNECTIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_ALTER = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I {}', current_database()); END $$"


@asynccontextmanager
async def connections_lost(address: str | Path) -> AsyncIterator[None]:
    """PostgreSQL ends every connection, whatever it is doing, again and again."""

    async def end() -> None:
        while True:
            await _execute(address, *[_END_CONNECTIONS] * 20)

    ending = asyncio.create_task(end())
    yield
    ending.cancel()
    with suppress(asyncio.CancelledError):
        await ending


@asynccontextmanager
async def connections_refused(address: str | Path) -> AsyncIterator[None]:
    """PostgreSQL takes no new connection, as while it starts up or is full."""
    await _execute(address, _ALTER.format("CONNECTION LIMIT 0"), _END_CONNECTIONS)
    yield
    await _execute(address, _ALTER.format("CONNECTION LIMIT -1"))


@asynccontextmanager
async def only_for_reading(address: str | Path) -> AsyncIterator[None]:
    """We are connected to a standby for a while: it answers, but does not write."""
    await _execute(address, _ALTER.format("SET default_transaction_read_only = on"), _END_CONNECTIONS)
    yield
    await _execute(address, _ALTER.format("RESET default_transaction_read_only"), _END_CONNECTIONS)


STORMS = [
    pytest.param("sqlite", file_locked, id="file locked"),
    pytest.param("postgresql", connections_lost, id="connections lost"),
    pytest.param("postgresql", connections_refused, id="connections refused"),
    pytest.param("postgresql", only_for_reading, id="only for reading"),
]
"""Each with the engine it befalls."""
