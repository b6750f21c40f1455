"""Opens the database for a URL or path."""

from __future__ import annotations

from pathlib import Path

from loremark.storage.database import Database
from loremark.storage.postgres import open_postgres
from loremark.storage.sqlite import SqliteDatabase


async def open_database(url: str | Path, *, pool: int = 10) -> Database:
    """Open SQLite for a path, PostgreSQL for a URL."""
    if isinstance(url, Path):
        return SqliteDatabase(url, readers=pool)
    return await open_postgres(url, pool=pool)
