"""Runs commands in this process against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.harness import Cli, Server, create_cli, serving
from tests.support import databases


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One SQLite server per test worker; each test creates its own projects."""
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, databases.fresh_sqlite(folder)) as running:
        yield running


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command line with an empty home folder, not signed in."""
    return create_cli(tmp_path / "home", monkeypatch)


@pytest.fixture
def olga(cli: Cli, server: Server) -> Cli:
    """A command line signed in as the owner."""
    cli.sign_in(server)
    return cli
