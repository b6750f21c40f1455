"""Fixtures: machines to run the hook on, with and without a running server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entry.owner import make_owner
from tests.hook.machine import Machine
from tests.support import databases
from tests.support.processes import Loremark, Process, free_port


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine whose server is not running."""
    made = Machine(tmp_path / "home", f"http://127.0.0.1:{free_port()}", "prj_stones")
    yield made
    made.kill_flusher()


@pytest.fixture
def local_machine(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The same, with this process running in that machine's home."""
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "LOREMARK_URL",
        "LOREMARK_PROJECT",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(machine.home))
    return machine


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, dict[str, str]]]:
    """A SQLite server and its owner, shared by many tests. Each test has its own project."""
    folder = tmp_path_factory.mktemp("server")
    loremark = Loremark(folder, databases.fresh("sqlite", folder))
    owner = make_owner(loremark)
    with loremark.start().wait_ready() as server:
        yield server, owner


@pytest.fixture
def connected(tmp_path: Path, running: tuple[Process, dict[str, str]]) -> Iterator[tuple[Process, Machine]]:
    """The running server, and a machine with its own project there."""
    server, owner = running
    with server.client(owner["apiKey"]) as client:
        project = client.post("/api/projects", json={"name": tmp_path.name[-60:]}).json()
    machine = Machine(tmp_path / "home", server.url, project["id"], owner["apiKey"])
    yield server, machine
    machine.kill_flusher()


@pytest.fixture
def stopped_server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Loremark, Machine]]:
    """A server that is not started yet (SQLite by default), and its owner's machine."""
    (tmp_path / "server").mkdir()
    engine = getattr(request, "param", "sqlite")
    loremark = Loremark(tmp_path / "server", databases.fresh(engine, tmp_path))
    owner = make_owner(loremark)
    url = f"http://127.0.0.1:{free_port()}"
    machine = Machine(tmp_path / "home", url, owner["projectId"], owner["apiKey"])
    yield loremark, machine
    machine.kill_flusher()
