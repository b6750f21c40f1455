"""A person at a command line: commands run in this process, against a server that really listens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.person import Desk, Server, at_desk, serving
from tests.support import databases


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server on SQLite for all tests of a worker; each makes the projects that it needs."""
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, databases.fresh_sqlite(folder)) as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Somebody with a fresh home, not signed in anywhere."""
    return at_desk(tmp_path / "home", monkeypatch)


@pytest.fixture
def olga(desk: Desk, server: Server) -> Desk:
    """The owner, signed in."""
    desk.sign_in(server)
    return desk
