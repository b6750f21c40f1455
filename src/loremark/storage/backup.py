"""Online backup of the SQLite database, verified before it is put in place."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from loremark.storage import sqlite_connection
from loremark.storage.database import StorageUnavailable


def backup_sqlite(source: Path, target: Path) -> None:
    """Write a consistent snapshot to a file without blocking readers or writers."""
    unfinished = target.with_name(f".{target.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    connection = sqlite_connection.connect(source)
    try:
        connection.execute("VACUUM INTO ?", (str(unfinished),))
    except sqlite3.Error as error:
        raise StorageUnavailable(f"cannot back up the database: {error}") from error
    finally:
        connection.close()
    os.chmod(unfinished, 0o600)
    _verify(unfinished)
    with open(unfinished, "rb") as file:
        os.fsync(file.fileno())
    os.replace(unfinished, target)


def _verify(copy: Path) -> None:
    try:
        connection = sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)
        try:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            loose = connection.execute("PRAGMA foreign_key_check").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StorageUnavailable(f"cannot read the backup: {error}") from error
    if found != ["ok"] or loose is not None:
        raise StorageUnavailable(f"the backup is corrupt: {found[0]}")


def list_blobs(copy: Path) -> list[tuple[str, str, int]]:
    """Return the project, hash and size of every blob the backup references."""
    connection = sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)
    try:
        query = "SELECT blobs.project_id, sha256, size_bytes FROM blobs JOIN projects ON projects.id = blobs.project_id"
        rows = connection.execute(f"{query} WHERE deleted_at_ms IS NULL").fetchall()
    finally:
        connection.close()
    return [(row[0], row[1], row[2]) for row in rows]
