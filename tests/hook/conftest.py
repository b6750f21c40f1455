"""Machines to run the hook on: one with a real server, one whose server is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entry.owner import make_owner
from tests.hook.desk import Desk
from tests.support import databases
from tests.support.processes import Loremark, Process, free_port


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Nothing listens where its server should be."""
    made = Desk(tmp_path / "home", f"http://127.0.0.1:{free_port()}", "prj_stones")
    yield made
    made.kill_flusher()


@pytest.fixture
def here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The same, with this process on that machine."""
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "LOREMARK_URL",
        "LOREMARK_PROJECT",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(desk.home))
    return desk


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, dict[str, str]]]:
    """A server on SQLite that many tests share, each with a project of its own; and its owner."""
    folder = tmp_path_factory.mktemp("server")
    loremark = Loremark(folder, databases.fresh("sqlite", folder))
    owner = make_owner(loremark)
    with loremark.start().wait_ready() as server:
        yield server, owner


@pytest.fixture
def guest(tmp_path: Path, running: tuple[Process, dict[str, str]]) -> Iterator[tuple[Process, Desk]]:
    """The running server, and a machine with a project of its own there."""
    server, owner = running
    with server.client(owner["apiKey"]) as client:
        project = client.post("/api/projects", json={"name": tmp_path.name[-60:]}).json()
    desk = Desk(tmp_path / "home", server.url, project["id"], owner["apiKey"])
    yield server, desk
    desk.kill_flusher()


@pytest.fixture
def house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Loremark, Desk]]:
    """A server that is not started yet, on SQLite unless asked otherwise, and the machine of its owner."""
    (tmp_path / "server").mkdir()
    engine = getattr(request, "param", "sqlite")
    loremark = Loremark(tmp_path / "server", databases.fresh(engine, tmp_path))
    owner = make_owner(loremark)
    url = f"http://127.0.0.1:{free_port()}"
    desk = Desk(tmp_path / "home", url, owner["projectId"], owner["apiKey"])
    yield loremark, desk
    desk.kill_flusher()
