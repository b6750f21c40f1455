"""Fixtures: a DNS server, a certificate authority and a git server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.addresses import Names
from tests.servers.git import GitServer
from tests.servers.https import Authority


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    with Names(monkeypatch) as running:
        yield running


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def server(authority: Authority, tmp_path: Path) -> Iterator[GitServer]:
    with GitServer(authority, tmp_path / "served") as running:
        yield running
