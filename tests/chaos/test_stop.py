"""SIGTERM: what is under way is finished, nothing acknowledged is lost, and nothing is left behind."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.chaos import ledger
from tests.chaos.clients import Clients
from tests.chaos.pair import Stream
from tests.entry.owner import make_owner
from tests.support.processes import Cairn, Process, free_port

_SECONDS = 8.0
"""Within this a server ends, also one with open streams: well below what supervisors wait (10 s and more)."""


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


def _stop(process: Process) -> float:
    """Stop it and say how long that took; it must end well and take its children with it."""
    children = _children(process.pid)
    before = time.monotonic()
    assert process.stop() == 0, process.output
    took = time.monotonic() - before
    assert [child for child in children if Path(f"/proc/{child}").exists()] == []
    return took


def test_a_stop_under_load_loses_nothing_that_was_acknowledged(cairn: Cairn) -> None:
    """And the next server starts at once on the same port and folder."""
    clients = Clients(make_owner(cairn)["apiKey"])
    port = free_port()
    for _ in range(2):
        with cairn.start(port=port) as process:
            process.wait_ready()
            with clients.writing(process.url):
                time.sleep(0.2)
                assert _stop(process) < _SECONDS
            assert clients.refused == []
            assert "Traceback" not in process.output
        ledger.check_books(cairn.database_url, clients.acknowledged, clients.attempted)
    assert clients.writes > 20


def test_requests_under_way_are_answered(cairn: Cairn) -> None:
    """Checking a password takes a while; those who are waiting for it when the stop comes get their answer."""
    make_owner(cairn)
    asking = 12
    with cairn.start() as process:
        process.wait_ready()
        body = {"email": "owner@example.com", "password": "a wrong password"}

        def log_in(_: int) -> int | str:
            try:
                return http.post("/api/auth/login", json=body).status_code
            except httpx.HTTPError as error:
                return repr(error)

        with process.client() as http, ThreadPoolExecutor(asking) as pool:
            http.get("/healthz")
            answers = [pool.submit(log_in, number) for number in range(asking)]
            _wait_until_under_way(process, asking)
            assert not all(answer.done() for answer in answers)
            assert _stop(process) < _SECONDS
            assert [answer.result() for answer in answers] == [401] * asking


def _wait_until_under_way(process: Process, connections: int) -> None:
    """Until so many clients are connected, as the kernel knows it; a moment later their requests are read."""
    port = f":{process.port:04X}"
    stop = time.monotonic() + 10
    while time.monotonic() < stop:
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        if sum(fields[1].endswith(port) and fields[3] == "01" for fields in lines) >= connections:
            break
        time.sleep(0.002)
    time.sleep(0.02)


def test_open_streams_are_ended_by_the_stop_not_waited_for(cairn: Cairn) -> None:
    """Every open page of the dashboard holds a stream."""
    owner = make_owner(cairn)
    with cairn.start() as process:
        process.wait_ready()
        with Stream(process, owner["apiKey"]), Stream(process, owner["apiKey"]):
            took = _stop(process)
        assert "Traceback" not in process.output
        assert took < 4.0


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("command", "words"), [("api", "the API listens"), ("jobs", "jobs run")])
def test_the_parts_stop_as_well(cairn: Cairn, command: str, words: str) -> None:
    cairn.settings["CAIRN_LOG_LEVEL"] = "info"
    with cairn.start(command) as process:
        stop = time.monotonic() + 20
        while words not in process.output and time.monotonic() < stop:
            time.sleep(0.02)
        time.sleep(0.1)
        assert _stop(process) < _SECONDS
