"""Open the database that an address names."""

from __future__ import annotations

from pathlib import Path

from cairn.storage.database import Database
from cairn.storage.postgres import open_postgres
from cairn.storage.sqlite import SqliteDatabase


async def open_database(url: str | Path, *, pool: int = 10) -> Database:
    """A path is SQLite, anything else PostgreSQL."""
    if isinstance(url, Path):
        return SqliteDatabase(url, readers=pool)
    return await open_postgres(url, pool=pool)
