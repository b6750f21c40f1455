"""SIGTERM: what is under way is finished, nothing acknowledged is lost, and nothing is left behind."""

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
from tests.support.processes import Loremark, Process, free_port


def _children(pid: int) -> set[int]:
    """The processes that descend from this one, as the kernel knows them."""
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


def test_a_stop_under_load_loses_nothing_that_was_acknowledged(loremark: Loremark) -> None:
    """And the next server starts at once on the same port and folder."""
    clients = Clients(make_owner(loremark)["apiKey"])
    port = free_port()
    for _ in range(2):
        with loremark.start(port=port) as process:
            process.wait_ready()
            with clients.writing(process.url):
                time.sleep(0.2)
                _stop(process)
            assert clients.refused == []
            assert "Traceback" not in process.output
        ledger.check_books(loremark.database_url, clients.acknowledged, clients.attempted)
    assert clients.writes > 20


def test_requests_under_way_are_answered(loremark: Loremark) -> None:
    """Checking a password takes a while; those who are waiting for it when the stop comes get their answer."""
    make_owner(loremark)
    body = json.dumps({"email": "owner@example.com", "password": "a wrong password"})
    with loremark.start() as process, ExitStack() as stack:
        process.wait_ready()
        request = (
            f"POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1:{process.port}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
        sockets = [
            stack.enter_context(socket.create_connection(("127.0.0.1", process.port), timeout=60)) for _ in range(40)
        ]
        for connection in sockets:
            connection.sendall(request)
        answered, _, _ = select.select(sockets, [], [], 60)  # the others wait for one of two hashing threads
        assert answered
        _stop(process)
        assert [_status(connection) for connection in sockets] == [401] * len(sockets)


def _status(connection: socket.socket) -> int:
    """The status of the answer, which must be whole."""
    answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.endswith(b"}"), answer
    return int(answer.split(b" ", 2)[1])


def test_open_streams_are_ended_by_the_stop_not_waited_for(loremark: Loremark) -> None:
    """Every open page of the dashboard holds a stream."""
    owner = make_owner(loremark)
    with loremark.start() as process:
        process.wait_ready()
        with Stream(process, owner["apiKey"]), Stream(process, owner["apiKey"]):
            _stop(process)
        assert "Traceback" not in process.output


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("command", "words"), [("api", "API listening"), ("jobs", "background jobs running")])
def test_the_parts_stop_as_well(loremark: Loremark, command: str, words: str) -> None:
    loremark.settings["LOREMARK_LOG_LEVEL"] = "info"
    with loremark.start(command) as process:
        stop = time.monotonic() + 60
        while words not in process.output and time.monotonic() < stop:
            time.sleep(0.02)
        time.sleep(0.1)
        _stop(process)
