"""Fixtures: the service on a loopback port."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.mcp.serving import listening
from tests.support import databases
from tests.support.service import Service, run_service, settings_for


@pytest.fixture
async def url(service: Service) -> AsyncIterator[str]:
    """The URL of this test's service."""
    async with listening(service.app) as address:
        yield address


@pytest.fixture
async def sqlite_service(tmp_path: Path) -> AsyncIterator[tuple[Service, str]]:
    """A service on SQLite and its URL, for tests that don't depend on the database."""
    data = tmp_path / "data"
    data.mkdir()
    settings = settings_for(data, databases.fresh("sqlite", data))
    async with run_service(settings) as running, listening(running.app) as address:
        yield running, address
