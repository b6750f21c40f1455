"""One team's latency while another team is a noisy neighbor: its webhook receiver hangs, or it floods the service.

The quiet team sends an event every ten milliseconds and waits for each response.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.servers import lifetime
from tests.servers.https import Authority, Receiver, Reply

from bench.load import signed_events
from bench.measure import options
from bench.servers import ENGINES, Loremark, address_for, start_loremark

_EVENTS = 200
_PAUSE_S = 0.01
_ROUNDS = 3
_BACKLOG = 300
_FLOOD_CONNECTIONS = 32


def run() -> None:
    """Print the quiet team's latencies alone and next to each noisy neighbor, on both engines."""
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.callback(lifetime.stop_all)
            _run(engine, stack, Path(folder))


def _run(engine: str, stack: ExitStack, folder: Path) -> None:
    calm = start_loremark(stack, folder / "calm", address_for(engine, "calm"))
    authority = Authority(folder / "authority")
    settings = {"LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8", "LOREMARK_CA_FILE": str(authority.ca_file)}
    troubled = start_loremark(stack, folder / "troubled", address_for(engine, "troubled"), **settings)
    receiver = stack.enter_context(Receiver(authority))
    quiet = {loremark.port: loremark.another_team() for loremark in (calm, troubled)}
    _build_backlog(troubled, receiver)
    found: dict[str, list[float]] = {"alone": [], "slow receiver": [], "flood": []}
    events = 0.0
    for _ in range(_ROUNDS):
        found["alone"] += _send_events(quiet[calm.port])
        found["slow receiver"] += _send_events(quiet[troubled.port])
        with _Flood(calm) as flood:
            found["flood"] += _send_events(quiet[calm.port])
        events = max(events, flood.rps)
    _print(engine, found, events, len(receiver.requests()))


def _build_backlog(loremark: Loremark, receiver: Receiver) -> None:
    """Queue many deliveries to a receiver that accepts each call and never answers."""
    receiver.always("/slow", Reply(gate=threading.Event()))
    wanted = {"projectId": loremark.project, "url": receiver.url("/slow"), "events": ["session.created"]}
    loremark.post("/api/webhooks", wanted)
    for _ in range(_BACKLOG):
        loremark.post("/api/v2/sessions", {"projectId": loremark.project})
    receiver.wait_for(4, "/slow")


def _send_events(loremark: Loremark) -> list[float]:
    """Send many events one after another; returns milliseconds per event."""
    requests = signed_events(
        project=loremark.project, secret=loremark.secret_of(loremark.project), count=_EVENTS, seed=str(time.time_ns())
    )
    took: list[float] = []
    connection = http.client.HTTPConnection("127.0.0.1", loremark.port, timeout=30)
    for request in requests:
        head, _, body = request.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[2:])
        began = time.perf_counter()
        connection.request("POST", "/api/v2/ingest", body, headers)
        answer = connection.getresponse()
        answer.read()
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != 202:
            raise RuntimeError(f"an event of the quiet team got status {answer.status}")
        time.sleep(_PAUSE_S)
    connection.close()
    return took


class _Flood:
    """The first team sends as fast as it can from a separate process during the block."""

    def __init__(self, loremark: Loremark) -> None:
        self._loremark = loremark
        self.rps = 0.0

    def __enter__(self) -> _Flood:
        loremark = self._loremark
        given = {
            "project": loremark.project,
            "secret": loremark.secret_of(loremark.project),
            "count": 100_000,
            "seed": str(time.time_ns()),
        }
        self._child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "bench.load",
                *options(port=loremark.port, seconds=8, connections=_FLOOD_CONNECTIONS),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(given))
        self._child.stdin.close()
        self._wait_until_running()
        return self

    def _wait_until_running(self) -> None:
        """Requests are signed before the first is sent; the session's event counter shows when it starts."""
        path = f"/api/v2/sessions?projectId={self._loremark.project}"
        before = self._event_count(path)
        while self._event_count(path) == before:
            time.sleep(0.05)

    def _event_count(self, path: str) -> int:
        return sum(int(session["eventCount"]) for session in self._loremark.list(path))

    def __exit__(self, *_: object) -> None:
        assert self._child.stdout is not None
        self.rps = json.loads(self._child.stdout.read())["rps"]
        self._child.wait(30)


def _print(engine: str, found: dict[str, list[float]], flood_rps: float, deliveries: int) -> None:
    print(f"a quiet team's events on {engine}, one every {_PAUSE_S * 1000:g} ms, next to a noisy team")
    print(f"{'':16}{'p50 ms':>9}{'p99 ms':>9}{'p50 ratio':>11}")
    alone = median(found["alone"])
    for name, took in found.items():
        ordered = sorted(took)
        p99 = ordered[int(len(ordered) * 0.99)]
        print(f"{name:16}{median(took):9.2f}{p99:9.2f}{median(took) / alone:11.2f}")
    print(f"the flood: {flood_rps:.0f} events/s; the slow receiver held {deliveries} of {_BACKLOG} calls", flush=True)
