"""Starts the servers to compare, loads them in turn, and measures their CPU time."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """User and system time of the process, all threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def rss_mib(pid: int) -> float:
    """The resident memory of a process; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0) / 1024


@dataclass
class Target:
    """A server under load: its port, its process and its requests.

    Requests are either literal or events to be signed (see ``bench.load``), which are new in every round.
    """

    name: str
    port: int
    pid: int
    requests: list[str] | dict[str, Any]


@dataclass(frozen=True)
class Figures:
    """Medians over the rounds."""

    rps: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


def options(**values: float) -> list[str]:
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def load_once(target: Target, *, seconds: float, connections: int, count: int | None = None) -> dict[str, Any]:
    """One round against one target, from a separate process; with ``count`` new events if it is about events."""
    before = cpu_seconds(target.pid)
    given = target.requests
    if isinstance(given, dict):
        given = {**given, "seed": secrets.token_hex(8), "count": count or given["count"]}
    done = subprocess.run(
        [sys.executable, "-m", "bench.load", *options(port=target.port, seconds=seconds, connections=connections)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=seconds + 30,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    result["cpu_us"] = (cpu_seconds(target.pid) - before) * 1e6 / result["requests"]
    bad = {status: count for status, count in result["statuses"].items() if not status.startswith(("2", "304"))}
    if bad:
        raise RuntimeError(f"{target.name} answered {bad}")
    return result


def compare(targets: list[Target], *, rounds: int, seconds: float, connections: int) -> dict[str, Figures]:
    """Load the targets in several interleaved rounds, so that noise affects all of them."""
    results: dict[str, list[dict[str, Any]]] = {target.name: [] for target in targets}
    for _ in range(rounds):
        for target in targets:
            results[target.name].append(load_once(target, seconds=seconds, connections=connections))
    return {
        name: Figures(*(median(row[key] for row in rows) for key in ("rps", "p50_ms", "p99_ms", "cpu_us")))
        for name, rows in results.items()
    }


@contextmanager
def running(arguments: list[str], environment: dict[str, str], port: int) -> Iterator[int]:
    """Run a server process during the block; yields its id."""
    child = subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _wait_for_port(child, port)
        yield child.pid
    finally:
        child.terminate()
        child.wait(15)


def _wait_for_port(child: subprocess.Popen[bytes], port: int) -> None:
    import socket

    stop = time.monotonic() + 30
    while time.monotonic() < stop:
        if child.poll() is not None:
            assert child.stderr is not None
            raise RuntimeError(child.stderr.read().decode())
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("a server did not come up")
