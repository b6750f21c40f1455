"""GET /api/projects/{id} with a key, next to a baseline ASGI app on the same server: our cost per request."""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.servers import lifetime
from tests.support.processes import free_port

from bench.measure import Figures, Target, compare, running
from bench.servers import ENGINES, address_for, start_loremark

WANTED_RATIO = 0.25


def run(rounds: int = 5, seconds: float = 3.0, connections: int = 32) -> None:
    """Print requests per second, latencies, CPU time per request, and the ratios to the baseline, on both engines."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        stack.callback(lifetime.stop_all)
        targets = [_minimal(stack), *(_loremark(stack, engine, Path(folder) / engine) for engine in ENGINES)]
        figures = compare(targets, rounds=rounds, seconds=seconds, connections=connections)
    _print(figures)


def _minimal(stack: ExitStack) -> Target:
    port = free_port()
    pid = stack.enter_context(
        running([sys.executable, "-m", "bench.baseline_app", str(port)], lifetime.child_env(), port)
    )
    return Target("minimal", port, pid, ["GET /api/projects/x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"])


def _loremark(stack: ExitStack, engine: str, folder: Path) -> Target:
    loremark = start_loremark(stack, folder, address_for(engine, "bench"))
    request = (
        f"GET /api/projects/{loremark.project} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {loremark.key}\r\nAccept: application/json\r\n\r\n"
    )
    return Target(engine, loremark.port, loremark.pid, [request])


def _print(figures: dict[str, Figures]) -> None:
    limit = figures["minimal"]
    print("GET /api/projects/{id} with a key, 32 connections, medians of interleaved rounds")
    print(f"{'':12}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'CPU µs':>9}{'ratio':>8}{'CPU ratio':>11}")
    for name, row in figures.items():
        ratio, cpu_ratio = row.rps / limit.rps, limit.cpu_us / row.cpu_us
        print(
            f"{name:12}{row.rps:9.0f}{row.p50_ms:9.2f}{row.p99_ms:9.2f}{row.cpu_us:9.0f}{ratio:8.2f}{cpu_ratio:11.2f}"
        )
    reached = figures["sqlite"].rps / limit.rps
    print(f"wanted on SQLite: at least {WANTED_RATIO}; reached {reached:.2f}")
