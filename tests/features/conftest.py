"""Fixtures for webhook tests: a receiver, a DNS resolver, and a service that may call them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.servers.addresses import Names
from tests.servers.https import Authority, Receiver
from tests.support.service import Service, run_service, settings_for


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def receiver(authority: Authority) -> Iterator[Receiver]:
    with Receiver(authority) as running:
        yield running


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    with Names(monkeypatch) as running:
        yield running


@pytest.fixture
async def webhook_service(
    database_url: str, tmp_path: Path, authority: Authority, request: pytest.FixtureRequest
) -> AsyncIterator[Service]:
    """The service, allowed to call loopback addresses. Supports ``@pytest.mark.settings``."""
    marker = request.node.get_closest_marker("settings")
    overrides = {"LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8", "LOREMARK_CA_FILE": str(authority.ca_file)}
    overrides |= dict(marker.kwargs) if marker else {}
    async with run_service(settings_for(tmp_path, database_url, **overrides)) as running:
        yield running
