"""The brain next to baseline apps on the same server: 304, a cached document, and a cold one with 10,000 items."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

from sqlalchemy import select
from tests.servers import lifetime
from tests.support.processes import free_port

from bench.baseline_brain import TAG
from bench.bulk_data import Sample, fill_project, make_samples
from bench.measure import Figures, Target, compare, running
from bench.servers import ENGINES, Loremark, address_for, start_loremark
from loremark.base.caller import Scope
from loremark.features.brain.assembly import assemble
from loremark.features.brain.request import BrainRequest
from loremark.storage.connect import open_database
from loremark.storage.database import Database
from loremark.storage.tables import teams

WANTED = {"304": 0.5, "200": 0.4}
_ITEMS = 10_000
_COLD_MS = 150
_PATH = "/api/v2/brain?projectId="


def run(rounds: int = 5, seconds: float = 3.0, connections: int = 32) -> None:
    """Print ratios to the baseline for 304 and 200, and the time of a cold assembly, on both engines."""
    samples, _ = make_samples(2_000)
    not_modified: list[Target] = []
    cached: list[Target] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        stack.callback(lifetime.stop_all)
        for engine in ENGINES:
            data_folder = Path(folder) / engine
            url = address_for(engine, "bench")
            loremark = start_loremark(stack, data_folder, url)
            database_at = url or next(data_folder.glob("*.db"))
            project = asyncio.run(_fill_and_assemble(engine, database_at, samples))
            known = _tag(loremark, project)
            if engine == "sqlite":
                for name, path in (("minimal", ""), ("minimal + row", str(database_at))):
                    port, pid = _minimal(stack, path)
                    not_modified.append(Target(name, port, pid, [_request(loremark, project, TAG.decode())]))
                    cached.append(Target(name, port, pid, [_request(loremark, project, "")]))
            not_modified.append(Target(engine, loremark.port, loremark.pid, [_request(loremark, project, known)]))
            cached.append(Target(engine, loremark.port, loremark.pid, [_request(loremark, project, "")]))
        for name, targets in (("304", not_modified), ("200", cached)):
            _print(name, compare(targets, rounds=rounds, seconds=seconds, connections=connections))


def _minimal(stack: ExitStack, path: str) -> tuple[int, int]:
    port = free_port()
    command = [sys.executable, "-m", "bench.baseline_brain", str(port), *([path] if path else [])]
    return port, stack.enter_context(running(command, lifetime.child_env(), port))


def _request(loremark: Loremark, project: str, known: str) -> str:
    condition = f"If-None-Match: {known}\r\n" if known else ""
    return (
        f"GET {_PATH}{project} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {loremark.key}\r\n"
        f"Accept: application/json\r\n{condition}\r\n"
    )


def _tag(loremark: Loremark, project: str) -> str:
    address = f"http://127.0.0.1:{loremark.port}{_PATH}{project}"
    with urlopen(Request(address, headers={"Authorization": f"Bearer {loremark.key}"}), timeout=20) as answer:
        return str(answer.headers["ETag"])


async def _fill_and_assemble(engine: str, address: str | Path, samples: list[Sample]) -> str:
    database = await open_database(address)
    try:
        async with database.read() as tx:
            team = await tx.one(select(teams.c.id))
        assert team is not None
        project = await fill_project(database, team["id"], samples, _ITEMS, "bench")
        for budget in (6_000, 200_000):
            await _assemble(engine, database, Scope(team["id"]), BrainRequest(project, budget))
    finally:
        await database.close()
    return project


async def _assemble(engine: str, database: Database, scope: Scope, request: BrainRequest, times: int = 7) -> None:
    """The first run also loads the tokenizer's vocabulary, once per process; it is reported separately."""
    walls, processor = [], []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        made = await assemble(database, scope, request)
        walls.append((time.perf_counter() - wall) * 1000)
        processor.append((time.process_time() - cpu) * 1000)
    assert made is not None
    document = made.document
    print(
        f"cold assembly on {engine}: {_ITEMS} items, budget {request.budget}: {document.item_count} items in "
        f"{document.tokens} tokens; first {walls[0]:.0f} ms, then {median(walls[1:]):.0f} ms "
        f"(CPU {median(processor[1:]):.0f} ms); wanted at 6000: at most {_COLD_MS} ms"
    )


def _print(name: str, figures: dict[str, Figures]) -> None:
    limit = figures["minimal"]
    print(f"GET /api/v2/brain, {name}, 32 connections, medians of interleaved rounds (load {os.getloadavg()[0]:.1f})")
    print(f"{'':16}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'CPU µs':>9}{'ratio':>8}{'CPU ratio':>11}")
    for target, row in figures.items():
        ratio, cpu_ratio = row.rps / limit.rps, limit.cpu_us / row.cpu_us
        print(
            f"{target:16}{row.rps:9.0f}{row.p50_ms:9.2f}{row.p99_ms:9.2f}{row.cpu_us:9.0f}{ratio:8.2f}{cpu_ratio:11.2f}"
        )
    print(f"wanted on SQLite: at least {WANTED[name]}; reached {figures['sqlite'].rps / limit.rps:.2f}")
