"""SIGTERM: running requests finish, no acknowledged write is lost, and no process is left behind."""

from __future__ import annotations

import json
import select
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.chaos import ledger
from tests.chaos.clients import Clients
from tests.chaos.pair import Stream
from tests.entry.owner import make_owner
from tests.support.cheap_passwords import run_with_real_passwords
from tests.support.processes import Loremark, Process, free_port


def _children(pid: int) -> set[int]:
    """All descendants of this process, according to /proc."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(after_name[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def _stop(process: Process) -> None:
    """Stop the process, which must exit cleanly and take its children with it."""
    children = _children(process.pid)
    assert process.stop() == 0, process.output
    assert [child for child in children if Path(f"/proc/{child}").exists()] == []


def test_stop_under_load_loses_no_acknowledged_write(loremark: Loremark) -> None:
    """The next server starts immediately on the same port and folder."""
    clients = Clients(make_owner(loremark)["apiKey"])
    port = free_port()
    for _ in range(2):
        with loremark.start(port=port) as process:
            process.wait_ready()
            with clients.writing(process.url, 12):
                _stop(process)
            assert clients.refused == []
            assert "Traceback" not in process.output
        ledger.check_acknowledged_writes(loremark.database_url, clients.acknowledged, clients.attempted)
    assert clients.writes > 20


_LOGINS = 4
"""Half of them wait for one of two hashing threads. Few, so that a busy machine answers them before it must stop."""


def test_running_requests_are_answered(loremark: Loremark) -> None:
    """Password checks take a while; logins still queued when the server is stopped get their response."""
    loremark.program = run_with_real_passwords
    make_owner(loremark)
    body = json.dumps({"email": "owner@example.com", "password": "a wrong password"})
    with loremark.start() as process, ExitStack() as stack:
        process.wait_ready()
        request = (
            f"POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1:{process.port}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
        sockets = [
            stack.enter_context(socket.create_connection(("127.0.0.1", process.port), timeout=60))
            for _ in range(_LOGINS)
        ]
        for connection in sockets:
            connection.sendall(request)
        answered, _, _ = select.select(sockets, [], [], 60)  # the others wait for one of two hashing threads
        assert answered
        _stop(process)
        assert [_status(connection) for connection in sockets] == [401] * len(sockets)


def _status(connection: socket.socket) -> int:
    """The status of the response, which must be complete."""
    answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.endswith(b"}"), answer
    return int(answer.split(b" ", 2)[1])


def test_stop_closes_open_streams(loremark: Loremark) -> None:
    """Every open dashboard page holds a stream."""
    owner = make_owner(loremark)
    with loremark.start() as process:
        process.wait_ready()
        with Stream(process, owner["apiKey"]), Stream(process, owner["apiKey"]):
            _stop(process)
        assert "Traceback" not in process.output


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("command", "words"), [("api", "API listening"), ("jobs", "background jobs running")])
def test_api_and_jobs_processes_stop_cleanly(loremark: Loremark, command: str, words: str) -> None:
    loremark.settings["LOREMARK_LOG_LEVEL"] = "info"
    with loremark.start(command) as process:
        stop = time.monotonic() + 60
        while words not in process.output and time.monotonic() < stop:
            time.sleep(0.02)
        time.sleep(0.1)
        _stop(process)
