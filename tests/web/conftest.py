"""Databases for the HTTP kit, and one real server process per engine for the whole package."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from loremark.storage.connect import open_database
from loremark.storage.database import Database
from tests.support import databases
from tests.web.running import RunningServer, start


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A migrated database, on both engines."""
    opened = await open_database(databases.storage_address(database_url), pool=3)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Database]:
    """For tests in which the database engine makes no difference."""
    opened = await open_database(databases.storage_address(databases.fresh_sqlite(tmp_path)), pool=1)
    yield opened
    await opened.close()


@pytest.fixture(scope="package", params=databases.ENGINES)
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("running")
    with start(folder, databases.fresh(str(request.param), folder)) as server:
        yield server


@pytest.fixture
def server(started: RunningServer) -> Iterator[RunningServer]:
    """``loremark serve`` with an owner, a project and a login, on both engines; must be healthy after every test."""
    started.mark_log_read()
    yield started
    started.assert_healthy()
