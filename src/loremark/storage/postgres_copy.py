"""Copies all tables between PostgreSQL and a SQLite file of the same schema."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import Boolean, Table

from loremark.storage import sqlite_connection
from loremark.storage.database import StorageUnavailable
from loremark.storage.tables import metadata

_CONNECT_SECONDS = 10.0
_ROWS_PER_FETCH = 500


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Any]:
    """A connection without a statement timeout."""
    try:
        connection = await asyncpg.connect(url, timeout=_CONNECT_SECONDS)
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        raise StorageUnavailable(f"cannot connect to PostgreSQL: {error}") from error
    try:
        yield connection
    except asyncpg.PostgresError as error:
        raise StorageUnavailable(f"PostgreSQL cannot copy the database: {error}") from error
    finally:
        connection.terminate()


async def read_all(url: str, target: Path) -> None:
    """Write a consistent snapshot of the database to an empty SQLite file with the current schema."""
    async with connected(url) as connection, connection.transaction(isolation="repeatable_read", readonly=True):
        with closing(sqlite_connection.connect(target)) as file:
            file.execute("BEGIN")
            for table in metadata.sorted_tables:
                places = ", ".join("?" for _ in table.columns)
                insert = f"INSERT INTO {_name(table)} ({_columns(table)}) VALUES ({places})"  # noqa: S608 - our names
                cursor = await connection.cursor(f"SELECT {_columns(table)} FROM {_name(table)}")  # noqa: S608
                while rows := await cursor.fetch(_ROWS_PER_FETCH):
                    file.executemany(insert, [tuple(row) for row in rows])
            file.execute("COMMIT")


async def write_all(source: Path, url: str) -> None:
    """Replace the contents of a migrated database without accounts by those of a SQLite file, in one transaction."""
    async with connected(url) as connection, connection.transaction():
        await connection.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
        if await connection.fetchval("SELECT EXISTS (SELECT 1 FROM users)"):
            raise StorageUnavailable("the database has accounts by now; nothing was restored")
        await connection.execute(f"TRUNCATE {', '.join(map(_name, metadata.sorted_tables))}")
        with closing(sqlite3.connect(f"file:{source}?mode=ro&immutable=1", uri=True)) as file:
            for table in metadata.sorted_tables:
                names = [column.name for column in table.columns]
                await connection.copy_records_to_table(table.name, records=_records(file, table), columns=names)


def _records(file: sqlite3.Connection, table: Table) -> Iterator[tuple[Any, ...]]:
    """The rows of a table. SQLite has no booleans: they are stored as numbers."""
    flags = [isinstance(column.type, Boolean) for column in table.columns]
    for row in file.execute(f"SELECT {_columns(table)} FROM {_name(table)}"):  # noqa: S608 - our names
        yield tuple(
            bool(value) if is_flag and value is not None else value for value, is_flag in zip(row, flags, strict=True)
        )


def _name(table: Table) -> str:
    return f'"{table.name}"'


def _columns(table: Table) -> str:
    return ", ".join(f'"{column.name}"' for column in table.columns)
