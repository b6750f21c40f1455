"""Opens SQLite connections with our settings."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from loremark.base import clock

BUSY_TIMEOUT_MS = 10_000
_CACHE_KIB = 32 * 1024


def connect(path: Path) -> sqlite3.Connection:
    """Connect in WAL mode with durable commits and explicit transactions."""
    connection = sqlite3.connect(
        path,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_MS / 1000,
        cached_statements=512,
    )
    connection.row_factory = sqlite3.Row
    _use_wal(connection)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    connection.execute("PRAGMA temp_store=MEMORY")
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode, retrying because SQLite does not wait for another process that is creating the file."""
    give_up_at = clock.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if clock.monotonic() > give_up_at:
                raise
            clock.pause(0.02)
        else:
            return
