"""Databases for the kit, and one real server process an engine for the whole folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from loremark.storage.connect import open_database
from loremark.storage.database import Database
from tests.support import databases
from tests.web.running import Running, start


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A migrated database, on both engines."""
    opened = await open_database(databases.storage_address(database_url), pool=3)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Database]:
    """For what the kit does before any statement is run: the engine makes no difference there."""
    opened = await open_database(databases.storage_address(databases.fresh_sqlite(tmp_path)), pool=1)
    yield opened
    await opened.close()


@pytest.fixture(scope="package", params=databases.ENGINES)
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("running")
    with start(folder, databases.fresh(str(request.param), folder)) as running:
        yield running


@pytest.fixture
def running(started: Running) -> Iterator[Running]:
    """``loremark serve`` with an owner, a project and a login, on both engines; it must be well after every test."""
    started.forget_log()
    yield started
    started.assert_well()
