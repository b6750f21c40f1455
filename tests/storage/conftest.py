"""An open, migrated database on either engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loremark.storage.connect import open_database
from loremark.storage.database import Database
from loremark.storage.sqlite import SqliteDatabase
from tests.support import databases


@pytest.fixture
def address(database_url: str) -> str | Path:
    """The address of the test's database, as the storage layer expects it."""
    return databases.storage_address(database_url)


@pytest.fixture
async def database(address: str | Path) -> AsyncIterator[Database]:
    opened = await open_database(address, pool=8)
    yield opened
    await opened.close()


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    """The file of a migrated SQLite database, for tests specific to that engine."""
    path = databases.storage_address(databases.fresh_sqlite(tmp_path))
    assert isinstance(path, Path)
    return path


@pytest.fixture
async def sqlite_database(sqlite_path: Path) -> AsyncIterator[SqliteDatabase]:
    opened = SqliteDatabase(sqlite_path)
    yield opened
    await opened.close()
