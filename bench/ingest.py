"""POST /api/v2/ingest next to a baseline app with the same signature, JSON, hash and group commit; and its growth.

Every event is unique, 1.5 KB, and durable before the response (SQLite: synchronous=FULL, PostgreSQL: fsync).
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.servers import lifetime
from tests.support.processes import free_port

from bench.load import BASELINE_SECRET
from bench.measure import Figures, Target, compare, load_once, running
from bench.servers import ENGINES, address_for, start_loremark

WANTED_RATIO = 0.6
WANTED_GROWTH = 1.2
_EVENTS = 12_000
_CONNECTIONS = 64
_FIRST, _LAST, _STEP = 1_000, int(os.environ.get("LOREMARK_BENCH_EVENTS", "1000000")), 25_000


def run(rounds: int = 5, seconds: float = 3.0) -> None:
    """Print events per second, latencies, CPU time per event, and the ratio to the baseline, on both engines."""
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.callback(lifetime.stop_all)
            targets = [_minimal(stack, engine, Path(folder)), _loremark(stack, engine, Path(folder))]
            _print(engine, compare(targets, rounds=rounds, seconds=seconds, connections=_CONNECTIONS))


def run_growth() -> None:
    """Print the cost of an event while the store grows from a thousand to a million events."""
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.callback(lifetime.stop_all)
            _grow(engine, _loremark(stack, engine, Path(folder)))


def _minimal(stack: ExitStack, engine: str, folder: Path) -> Target:
    port = free_port()
    address = address_for(engine, "minimal") or str(folder / "minimal.db")
    command = [sys.executable, "-m", "bench.baseline_ingest", str(port), address]
    pid = stack.enter_context(running(command, lifetime.child_env(), port))
    return Target("minimal", port, pid, {"project": "prj", "secret": BASELINE_SECRET, "count": _EVENTS})


def _loremark(stack: ExitStack, engine: str, folder: Path) -> Target:
    loremark = start_loremark(stack, folder / "loremark", address_for(engine, "loremark"))
    secret = loremark.secret_of(loremark.project)
    return Target(
        "loremark", loremark.port, loremark.pid, {"project": loremark.project, "secret": secret, "count": _EVENTS}
    )


def _print(engine: str, figures: dict[str, Figures]) -> None:
    limit, ours = figures["minimal"], figures["loremark"]
    print(f"POST /api/v2/ingest on {engine}, 1.5 KB, {_CONNECTIONS} connections, medians of interleaved rounds")
    print(f"{'':12}{'events/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'CPU µs':>9}{'ratio':>8}{'CPU ratio':>11}")
    for name, row in figures.items():
        ratio, cpu_ratio = row.rps / limit.rps, limit.cpu_us / row.cpu_us
        print(
            f"{name:12}{row.rps:9.0f}{row.p50_ms:9.2f}{row.p99_ms:9.2f}{row.cpu_us:9.0f}{ratio:8.2f}{cpu_ratio:11.2f}"
        )
    print(f"wanted on {engine}: at least {WANTED_RATIO}; reached {ours.rps / limit.rps:.2f}", flush=True)


def _grow(engine: str, target: Target) -> None:
    """Steps of equal size; a decile is the median of its steps."""
    load_once(target, seconds=60, connections=_CONNECTIONS, count=_FIRST)
    wall: list[float] = []
    cpu: list[float] = []
    worst = 0.0
    while _FIRST + len(wall) * _STEP < _LAST:
        step = load_once(target, seconds=300, connections=_CONNECTIONS, count=_STEP)
        assert step["requests"] == _STEP
        wall.append(1e6 / step["rps"])
        cpu.append(step["cpu_us"])
        worst = max(worst, step["p99_ms"])
    tenth = max(1, len(wall) // 10)
    print(f"growth on {engine}: {_FIRST} to {_FIRST + len(wall) * _STEP} events of 1.5 KB, µs an event by decile")
    for name, costs in (("wall", wall), ("CPU", cpu)):
        deciles = [median(costs[at : at + tenth]) for at in range(0, len(costs), tenth)]
        shown = " ".join(f"{cost:.0f}" for cost in deciles)
        print(f"{name:6}{shown}   last/first {deciles[-1] / deciles[0]:.2f} (wanted: at most {WANTED_GROWTH})")
    print(f"worst p99 of a step: {worst:.1f} ms", flush=True)
