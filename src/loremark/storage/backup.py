"""Backups: a SQLite file with all tables, of either engine, verified before it is put in place."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from loremark.storage import postgres_copy, schema, sqlite_connection
from loremark.storage.database import StorageUnavailable

_HAS_ACCOUNTS = "SELECT EXISTS (SELECT 1 FROM users)"


async def back_up(address: str | Path, target: Path) -> None:
    """Write a consistent copy of the database to a SQLite file without blocking readers or writers."""
    if isinstance(address, Path):
        await asyncio.to_thread(_copy_sqlite, address, target)
        return
    with _unfinished(target.with_name(f"{target.name}.rows")) as rows:
        await schema.migrate(rows)
        await postgres_copy.read_all(address, rows)
        await asyncio.to_thread(_copy_sqlite, rows, target)


async def restore(source: Path, address: str | Path) -> None:
    """Replace a database without accounts by a copy from ``back_up``, migrated to the current schema.

    All or nothing: a failure leaves the database as it was.
    """
    if not isinstance(address, Path):
        await schema.migrate(address)
        await postgres_copy.write_all(source, address)
        return
    for leftover in (address.with_name(f"{address.name}{suffix}") for suffix in ("-wal", "-shm")):
        leftover.unlink(missing_ok=True)
    os.replace(source, address)
    _sync(address.parent)


async def open_backup(source: Path, work: Path) -> None:
    """Copy a backup to a work file, migrate the copy to the current schema and verify it."""
    for suffix in ("", "-wal"):  # with the log, if the folder was used as a data folder
        if source.with_name(source.name + suffix).exists():
            await asyncio.to_thread(shutil.copyfile, f"{source}{suffix}", f"{work}{suffix}")
            os.chmod(f"{work}{suffix}", 0o600)
    if await schema.version(work) is None:
        raise StorageUnavailable(f"{source} is not a Loremark database")
    await schema.migrate(work)
    await asyncio.to_thread(_finish, work)


async def has_accounts(address: str | Path) -> bool:
    """Return whether somebody uses this database. One that does not exist, or has no tables, has no accounts."""
    if await schema.version(address) is None:
        return False
    if isinstance(address, Path):
        with closing(sqlite_connection.connect(address)) as connection:
            return bool(connection.execute(_HAS_ACCOUNTS).fetchone()[0])
    async with postgres_copy.connected(address) as opened:
        return bool(await opened.fetchval(_HAS_ACCOUNTS))


def list_blobs(copy: Path) -> list[tuple[str, str]]:
    """Return the project and hash of every blob the backup references."""
    query = "SELECT blobs.project_id, sha256 FROM blobs JOIN projects ON projects.id = blobs.project_id"
    with closing(_open_copy(copy)) as connection:
        rows = connection.execute(f"{query} WHERE deleted_at_ms IS NULL").fetchall()
    return [(row[0], row[1]) for row in rows]


def find_installation_value(copy: Path, name: str) -> str | None:
    """Return a value of the installation that was backed up, or None."""
    with closing(_open_copy(copy)) as connection:
        row = connection.execute("SELECT value FROM installation WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def _copy_sqlite(source: Path, target: Path) -> None:
    with _unfinished(target) as unfinished:
        try:
            with closing(sqlite_connection.connect(source)) as connection:
                connection.execute("VACUUM INTO ?", (str(unfinished),))
        except sqlite3.Error as error:
            raise StorageUnavailable(f"cannot back up the database: {error}") from error
        _finish(unfinished)
        os.replace(unfinished, target)


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """A new, empty file next to the target, removed at the end of the block. Only we may read it, also in the meantime.

    SQLite would create it so that everybody may, but writes into an empty one.
    """
    path = target.with_name(f".{target.name}.unfinished")
    try:
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield path
    finally:
        for each in (path, *(path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm"))):
            each.unlink(missing_ok=True)


def _finish(copy: Path) -> None:
    """Verify a copy and make it durable."""
    try:
        with closing(_open_copy(copy)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            loose = connection.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        raise StorageUnavailable(f"cannot read the backup: {error}") from error
    if found != ["ok"] or loose is not None:
        raise StorageUnavailable(f"the backup is corrupt: {found[0]}")
    _sync(copy)


def _open_copy(copy: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
