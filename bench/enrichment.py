"""Enriches sessions of 100 to 10,000 events with the built-in engine: cost per event and memory, on both engines."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

from tests.servers import lifetime

from bench.measure import cpu_seconds, rss_mib
from bench.servers import ENGINES, Loremark, address_for, start_loremark

_SIZES = tuple(int(size) for size in os.environ.get("LOREMARK_BENCH_SESSIONS", "100,1000,10000").split(","))
_TIMEOUT_S = 3_600
_PARTS = [
    "cache",
    "queue",
    "parser",
    "router",
    "ledger",
    "planner",
    "editor",
    "mailer",
    "viewer",
    "index",
    "worker",
    "loader",
    "signer",
    "limiter",
]
_AREAS = [
    "billing",
    "search",
    "login",
    "export",
    "import",
    "chat",
    "maps",
    "media",
    "audit",
    "reports",
    "sync",
    "admin",
    "mobile",
    "printing",
    "quotas",
]
_CAUSES = (
    "the lock was taken twice",
    "the clock went backwards",
    "a retry made a second row",
    "the page was cut in the middle of a character",
    "the pool ran dry at midnight",
    "the header was compared case-sensitively",
    "the index did not cover the filter",
    "two writers met on the same key",
    "the temporary file was never removed",
    "the limit was counted per process",
)
_FIXES = ("a unique key", "a monotonic clock", "a bounded queue", "an advisory lock", "a covering index", "a checksum")


def run() -> None:
    """Print wall and CPU time per event and the memory of the process, for each session size."""
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.callback(lifetime.stop_all)
            loremark = start_loremark(stack, Path(folder) / "loremark", address_for(engine, "enrichment"))
            print(f"enrichment, {engine}")
            costs = [_enrich(loremark, size) for size in (20, *_SIZES)][1:]  # the first one loads the model
            print(f"  cost per event, largest to smallest session: {costs[-1] / costs[0]:.2f} (CPU)\n")


def events(count: int, seed: int = 7) -> Iterator[dict[str, object]]:
    """Distinct facts worded like agents word them; one in ten is a duplicate, one in ten is junk."""
    rng = random.Random(seed)
    sent: list[dict[str, object]] = []
    for number in range(count):
        if number % 10 == 9:
            yield {"event": "session_save", "payload": {"summary": f"wip, all tests pass ({number})", "changes": []}}
            continue
        if number % 10 == 8 and sent:
            again = rng.choice(sent)
            yield {"event": "session_save", "payload": {"summary": "", "changes": [again], "nonce": number}}
            continue
        part, area, cause, fix = (rng.choice(words) for words in (_PARTS, _AREAS, _CAUSES, _FIXES))
        name = f"{area}_{part}_{rng.randrange(10**6):06d}"
        change: dict[str, object] = {
            "category": "bugfix",
            "title": f"Fix data loss in {name}",
            "content": f"{name} lost data because {cause}. It now uses {fix}, in src/{area}/{name}.py.",
        }
        sent.append(change)
        yield {"event": "session_save", "payload": {"summary": "", "changes": [change]}}


def _enrich(loremark: Loremark, size: int) -> float:
    project = str(loremark.create_project(f"Session of {size}"))
    session = _send_events(loremark, project, size)
    before_mib, cpu_s, began = rss_mib(loremark.pid), cpu_seconds(loremark.pid), time.monotonic()
    loremark.post(f"/api/v2/sessions/{session}/enrich", {})
    most_mib = before_mib
    while (job := loremark.list(f"/api/v2/sessions/{session}/jobs")[0])["status"] not in ("completed", "failed"):
        if time.monotonic() - began > _TIMEOUT_S:
            raise TimeoutError(f"after {_TIMEOUT_S} s: {job}")
        most_mib = max(most_mib, rss_mib(loremark.pid))
        time.sleep(0.2)
    wall_ms = (time.monotonic() - began) * 1000 / size
    cpu_ms = (cpu_seconds(loremark.pid) - cpu_s) * 1000 / size
    if job["status"] == "failed":
        raise RuntimeError(str(job))
    stages = "  ".join(f"{stage['stage']} {stage['duration'] / size:.2f}" for stage in job["pipeline"])
    print(
        f"  {size:>6} events  {wall_ms:6.2f} ms  CPU {cpu_ms:6.2f} ms per event ({stages})  "
        f"{job['itemsExtracted']} items  RSS {before_mib:.0f} → at most {most_mib:.0f} MiB"
    )
    return cpu_ms


def _send_events(loremark: Loremark, project: str, size: int) -> str:
    secret = loremark.secret_of(project).encode()
    wire = HTTPConnection("127.0.0.1", loremark.port, timeout=30)
    session = ""
    for event in events(size):
        raw = json.dumps(event).encode()
        now_s = str(int(time.time()))
        signature = hmac.new(secret, now_s.encode() + b"." + raw, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "X-Service-Project": project,
            "X-Service-Timestamp": now_s,
            "X-Service-Signature": f"sha256={signature}",
        }
        wire.request("POST", "/api/v2/ingest", raw, headers)
        answer = wire.getresponse()
        body = answer.read()
        if answer.status != 202:
            raise RuntimeError(body.decode())
        session = json.loads(body)["sessionId"]
    wire.close()
    return session
