"""A migrated database for the queue, and a runner with short intervals."""

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
    """The same database, opened as another process would."""
    opened = await open_database(address)
    yield opened
    await opened.close()


@pytest.fixture
def fast_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poll and retry within tenths of a second, like the leases of ``work.running``."""
    monkeypatch.setattr(runner, "_POLL_S", 0.05)
    monkeypatch.setattr(runner, "_FIRST_RETRY_MS", 60)


@pytest.fixture(autouse=True)
def one_line_logs() -> Iterator[None]:
    """Log each failure on one line, since these tests cause many."""
    before = structlog.get_config()
    log.configure("error", "json")
    yield
    structlog.configure(**before)
