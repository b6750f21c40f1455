"""Simulated database outages: writes fail for a while, then the database recovers."""

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
Outage = Callable[[str | Path], AbstractAsyncContextManager[None]]


def shorten_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the lock timeout and poll constantly, so that the outage hits a busy runner."""
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    monkeypatch.setattr(runner, "_POLL_S", 0.002)


async def retry_until_available(work: Callable[[], Awaitable[T]]) -> T:
    """Retry until the database is available again."""
    while True:
        try:
            return await work()
        except StorageUnavailable:
            await asyncio.sleep(0.05)


@asynccontextmanager
async def file_locked(address: str | Path) -> AsyncIterator[None]:
    """Hold SQLite's write lock for longer than any writer waits.

    Acquires the lock in a thread, because its current holder may need the event loop to release it.
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
    """PostgreSQL keeps terminating every connection, whatever it is doing."""

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
    """PostgreSQL accepts no new connections, as during startup or when it is full."""
    await _execute(address, _ALTER.format("CONNECTION LIMIT 0"), _END_CONNECTIONS)
    yield
    await _execute(address, _ALTER.format("CONNECTION LIMIT -1"))


@asynccontextmanager
async def read_only(address: str | Path) -> AsyncIterator[None]:
    """The server acts as a standby for a while: it responds but refuses writes."""
    await _execute(address, _ALTER.format("SET default_transaction_read_only = on"), _END_CONNECTIONS)
    yield
    await _execute(address, _ALTER.format("RESET default_transaction_read_only"), _END_CONNECTIONS)


OUTAGES = [
    pytest.param("sqlite", file_locked, id="file locked"),
    pytest.param("postgresql", connections_lost, id="connections lost"),
    pytest.param("postgresql", connections_refused, id="connections refused"),
    pytest.param("postgresql", read_only, id="only for reading"),
]
"""Each with the engine it applies to."""
