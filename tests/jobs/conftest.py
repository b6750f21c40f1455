"""A migrated database for the queue, and a runner that does not take its time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from loremark.base import log
from loremark.jobs import runner
from loremark.storage.connect import open_database
from loremark.storage.database import Database
from tests.support import databases


@pytest.fixture
def address(database_url: str) -> str | Path:
    return databases.storage_address(database_url)


@pytest.fixture
async def database(address: str | Path) -> AsyncIterator[Database]:
    opened = await open_database(address)
    yield opened
    await opened.close()


@pytest.fixture
async def second_database(address: str | Path) -> AsyncIterator[Database]:
    """The same database as another process would have it open."""
    opened = await open_database(address)
    yield opened
    await opened.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks and retries in tenths of seconds, as ``work.running`` has its leases."""
    monkeypatch.setattr(runner, "_POLL_S", 0.05)
    monkeypatch.setattr(runner, "_FIRST_RETRY_MS", 60)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Failures are what these tests are about; each in one line is enough."""
    before = structlog.get_config()
    log.configure("error", "json")
    yield
    structlog.configure(**before)
