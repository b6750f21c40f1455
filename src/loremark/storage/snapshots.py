"""Long consistent reads on a separate connection.

A snapshot blocks no one, but on SQLite the write-ahead log grows while it is open, so keep it short.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import asyncpg

from loremark.storage import postgres, sqlite, sqlite_connection
from loremark.storage.database import Database, Row, StorageUnavailable, Tx
from loremark.storage.sqlite_rows import all_rows
from loremark.storage.statements import POSTGRES, SQLITE, Bulk, Query, compiled_for

_CONNECT_SECONDS = 10.0
_STATEMENT_SECONDS = 60.0


class _Rows(Protocol):
    async def __call__(self, query: Query, values: dict[str, Any]) -> list[Row]: ...


class _Snapshot:
    """A read-only transaction."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    async def one(self, query: Query, /, **values: Any) -> Row | None:
        rows = await self._rows(query, values)
        return rows[0] if rows else None

    async def many(self, query: Query, /, **values: Any) -> list[Row]:
        return await self._rows(query, values)

    few = many

    async def run(self, query: Query, /, **values: Any) -> int:
        raise TypeError("a snapshot is only read")

    sweep = run

    async def insert_new(self, bulk: Bulk, rows: Sequence[Sequence[Any]], /) -> set[int]:
        raise TypeError("a snapshot is only read")

    async def lock(self, name: str, /) -> None:
        raise TypeError("a snapshot is only read")

    def notify(self, topic: str, payload: str) -> None:
        raise TypeError("a snapshot is only read")


@asynccontextmanager
async def open_snapshot(database: Database) -> AsyncIterator[Tx]:
    """Open a consistent snapshot of the database for the block."""
    if isinstance(database, sqlite.SqliteDatabase):
        async with _sqlite_snapshot(database._path) as tx:
            yield tx
    else:
        assert isinstance(database, postgres.PostgresDatabase)
        async with _postgres_snapshot(database._url) as tx:
            yield tx


@asynccontextmanager
async def _sqlite_snapshot(path: Path) -> AsyncIterator[Tx]:
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite-snapshot")

    def begin() -> sqlite3.Connection:
        opened = sqlite_connection.connect(path)
        opened.execute("BEGIN")
        opened.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the first read fixes the snapshot
        return opened

    async def rows(query: Query, values: dict[str, Any]) -> list[Row]:
        compiled = compiled_for(query, SQLITE)
        try:
            return await loop.run_in_executor(thread, lambda: all_rows(connection, compiled, values))
        except sqlite3.OperationalError as error:
            raise StorageUnavailable(str(error)) from error

    connection = await loop.run_in_executor(thread, begin)
    try:
        yield _Snapshot(rows)
    finally:
        thread.submit(connection.close)
        thread.shutdown(wait=False)


@asynccontextmanager
async def _postgres_snapshot(url: str) -> AsyncIterator[Tx]:
    try:
        connection = await asyncpg.connect(url, timeout=_CONNECT_SECONDS, command_timeout=_STATEMENT_SECONDS)
    except (asyncpg.PostgresError, OSError, TimeoutError) as error:
        raise StorageUnavailable(f"cannot connect to PostgreSQL: {error}") from error

    async def rows(query: Query, values: dict[str, Any]) -> list[Row]:
        compiled = compiled_for(query, POSTGRES)
        try:
            found: list[Row] = await connection.fetch(compiled.text, *compiled.arguments(values))
        except (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            raise StorageUnavailable(str(error)) from error
        return found

    try:
        await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        await connection.execute("SELECT")  # the first statement fixes the snapshot, BEGIN does not
        yield _Snapshot(rows)
    finally:
        connection.terminate()  # nothing to commit, and a statement may still be running
