"""Checks the schema version and runs migrations.

A server checks ``version`` with one cheap query; Alembic is imported only if there is something to migrate.
"""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
from sqlalchemy import text

from loremark.storage import sqlite_connection
from loremark.storage.database import StorageUnavailable, Tx
from loremark.storage.statements import Sql

if TYPE_CHECKING:
    from sqlalchemy import Connection

HEAD = "0013"
"""The latest revision in migrations/versions; checked by a test."""

_VERSION = Sql(text("SELECT version_num FROM alembic_version"))
_LOCK = 0x6C_6F_72_65  # "lore", for PostgreSQL's advisory lock


class SchemaError(Exception):
    """The database schema does not match this version; the message says what to do."""


async def version(url: str | Path) -> str | None:
    """Return the schema version, or None for an empty database."""
    if isinstance(url, Path):
        return _sqlite_version(url)
    try:
        connection = await asyncpg.connect(url, timeout=10)
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        raise StorageUnavailable(f"cannot connect to PostgreSQL: {error}") from error
    try:
        found: str | None = await connection.fetchval("SELECT version_num FROM alembic_version")
    except asyncpg.UndefinedTableError:
        return None
    else:
        return found
    finally:
        await connection.close()


def _sqlite_version(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        connection = sqlite_connection.connect(path)
    except sqlite3.Error as error:
        raise StorageUnavailable(f"cannot open {path}: {error}") from error
    try:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        return None
    finally:
        connection.close()
    return str(row[0]) if row else None


async def version_in(tx: Tx) -> str | None:
    """Return the schema version of an open database."""
    row = await tx.one(_VERSION)
    return None if row is None else str(row["version_num"])


async def require_current(url: str | Path) -> None:
    """Raise if the schema is older or newer than this version needs."""
    found = await version(url)
    if found == HEAD:
        return
    if found is None or found < HEAD:
        state = "is empty" if found is None else f"is at schema {found}"
        raise SchemaError(f"The database {state}, but this version needs {HEAD}. Run: loremark admin migrate")
    raise SchemaError(f"The database is at schema {found}, newer than this version's {HEAD}. Update Loremark.")


async def migrate(url: str | Path) -> bool:
    """Run pending migrations. Return whether there were any. Safe to call from several processes."""
    found = await version(url)
    if found == HEAD:
        return False
    if found is not None and found > HEAD:
        await require_current(url)
    if isinstance(url, Path):
        await asyncio.to_thread(_migrate_sqlite, url)
    else:
        await _migrate_postgres(url)
    return True


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _migrate_sqlite(path: Path) -> None:
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    engine = create_engine("sqlite://", creator=lambda: sqlite_connection.connect(path), poolclass=NullPool)
    # The driver would commit before each DDL statement; starting the transaction ourselves makes migrations atomic.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as connection:
        _upgrade(connection)


async def _migrate_postgres(url: str) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine
    from sqlalchemy.pool import NullPool

    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(url, timeout=10), poolclass=NullPool
    )
    try:
        async with engine.begin() as connection:
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            await connection.run_sync(_upgrade)
    finally:
        await engine.dispose()
