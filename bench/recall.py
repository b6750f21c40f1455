"""Recall as a project grows: what a turn costs to index, and a briefing to answer, with 1 K, 10 K and 100 K turns.

Turns are written like the job writes them, with random vectors instead of embedded ones, except for the first ones,
which go through the job to measure it. Briefings are asked for over HTTP, and through the hook process with 10 K turns.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from typing import Any

import numpy as np
from sqlalchemy import bindparam, select

from bench.agent_sessions import Developer
from bench.measure import cpu_seconds
from bench.servers import ENGINES, Loremark, address_for, start_loremark
from loremark.base import ids
from loremark.base.caller import Scope
from loremark.features.recall import store
from loremark.memory.ranking.entry import pack_terms
from loremark.memory.recall.turns import Message, Turn
from loremark.ports.embeddings.vector_packing import pack
from loremark.storage.connect import open_database
from loremark.storage.database import Database
from loremark.storage.statements import Sql
from loremark.storage.tables import projects

_SIZES = (1_000, 10_000, 100_000)
_INDEXED = 200
_QUESTIONS = 40
_BATCH = 500
_TURNS_PER_SESSION = 8
_MODEL, _DIMENSIONS = "loremark-30m-q8", 384
_VOCABULARY = "queue worker timeout retry cache index token session invoice parser render deploy staging migration lock"
_WORDS = _VOCABULARY.split()
_TEAM = Sql(select(projects.c.team_id).where(projects.c.id == bindparam("of_project")))


def _sentence(random_words: random.Random, count: int) -> str:
    return " ".join(random_words.choice(_WORDS) + str(random_words.randrange(40)) for _ in range(count))


async def _grow(database: Database, scope: Scope, project: str, start: int, end: int) -> None:
    """Add turns ``start`` to ``end`` with their vectors."""
    words, vectors = random.Random(start), np.random.default_rng(start)
    session = ""
    for first in range(start, end, _BATCH):
        read: list[tuple[Any, Sequence[tuple[Turn, bytes]]]] = []
        for number in range(first, min(first + _BATCH, end)):
            if number % _TURNS_PER_SESSION == 0 or not session:
                session = await _session(database, scope, project)
            prompt, answer = _sentence(words, 25), _sentence(words, 90)
            turn = Turn("session", (Message("user", prompt), Message("assistant", answer)), agent="claude-code")
            event = {"id": ids.new("evt"), "session_id": session, "created_at_ms": 1_700_000_000_000 + number}
            read.append((event, [(turn, pack_terms("", f"{prompt}\n{answer}", "", (), ()))]))
        found = vectors.standard_normal((len(read), _DIMENSIONS)).astype(np.float32)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        turn_ids = [f"{event['id']}.000" for event, _ in read]
        async with database.write() as tx:
            await store.create_turns(tx, scope, project, read)
            await store.dequeue(tx, scope, turn_ids)
            await store.set_vectors(tx, scope, project, _MODEL, dict(zip(turn_ids, pack(found), strict=True)))


async def _session(database: Database, scope: Scope, project: str) -> str:
    from loremark.features.sessions import store as sessions

    async with database.write() as tx:
        return str((await sessions.create_session(tx, scope, project, source="bench", now_ms=0))["id"])


def _index_cost(server: Loremark, address: str | Path) -> float:
    """CPU milliseconds per turn of the server that stores, indexes and embeds real turns."""
    words = random.Random(7)
    before = cpu_seconds(server.pid)
    for number in range(_INDEXED):
        said = {"notes": _sentence(words, 25), "summary": _sentence(words, 90), "source": f"b:{number // 8}"}
        server.post("/api/v2/events", {"projectId": server.project, "event": "session_save", "payload": said})
    asyncio.run(_wait_until_indexed(address, server.project))
    return (cpu_seconds(server.pid) - before) * 1_000 / _INDEXED


async def _wait_until_indexed(address: str | Path, project: str) -> None:
    database = await open_database(address)
    try:
        scope = Scope(await _team(database, project))
        async with asyncio.timeout(300):
            is_indexed = False
            while not is_indexed:
                await asyncio.sleep(0.3)
                async with database.read() as tx:
                    version, _ = await store.find_versions(tx, scope, project)
                    waiting = await store.list_queued(tx, 1) or await store.list_unread(tx, after="", take=1)
                    is_indexed = version > 0 and not waiting
    finally:
        await database.close()


async def _team(database: Database, project: str) -> str:
    async with database.read() as tx:
        row = await tx.one(_TEAM, of_project=project)
    assert row is not None
    return str(row["team_id"])


def _ask(server: Loremark, words: random.Random) -> float:
    """Wall milliseconds of one briefing over HTTP."""
    http = HTTPConnection("127.0.0.1", server.port, timeout=60)
    body = json.dumps({"projectId": server.project, "prompt": _sentence(words, 30)}).encode()
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    started = time.perf_counter()
    http.request("POST", "/api/v2/briefing", body, headers)
    answer = http.getresponse()
    answer.read()
    assert answer.status == 200
    http.close()
    return (time.perf_counter() - started) * 1_000


def _resident_mib(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _hook_times(developer: Developer) -> tuple[list[float], list[float]]:
    """Wall and CPU milliseconds of the hook process with the first prompt of a session."""
    words = random.Random(11)
    wall, cpu = [], []
    for number in range(_QUESTIONS):
        before = os.times()
        started = time.perf_counter()
        developer.hook("UserPromptSubmit", f"timed-{number}", prompt=_sentence(words, 30), prompt_id=str(number))
        wall.append((time.perf_counter() - started) * 1_000)
        after = os.times()
        cpu.append(
            (after.children_user + after.children_system - before.children_user - before.children_system) * 1_000
        )
    return wall, cpu


def run() -> None:
    for engine in ENGINES:
        with ExitStack() as stack:
            _run_engine(stack, engine)


def _run_engine(stack: ExitStack, engine: str) -> None:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    url = address_for(engine, f"recall_{os.getpid()}")
    server = start_loremark(stack, folder / "server", url, LOREMARK_LOG_LEVEL="error")
    address: str | Path = url or folder / "server" / "loremark.db"
    print(f"{engine}: {_index_cost(server, address):.1f} ms CPU per turn to store, index and embed", flush=True)
    words, at = random.Random(3), 0
    for size in _SIZES:
        asyncio.run(_add(address, server.project, at, size))
        at = size
        first = _ask(server, words)
        before = cpu_seconds(server.pid)
        times = [_ask(server, words) for _ in range(_QUESTIONS)]
        cpu = (cpu_seconds(server.pid) - before) * 1_000 / _QUESTIONS
        marks = quantiles(times, n=20)
        print(
            f"{engine}: {size:>7,} turns: first {first:7.0f} ms, then median {marks[9]:6.1f}, p95 {marks[18]:6.1f} ms, "
            f"{cpu:6.1f} ms CPU, {_resident_mib(server.pid):5.0f} MiB",
            flush=True,
        )
        if size == 10_000 and engine == "sqlite":
            developer = Developer(folder / "home", server, server.project, folder / "server" / "loremark.db")
            wall, used = _hook_times(developer)
            print(
                f"{engine}: hook with a first prompt: median {quantiles(wall, n=2)[0]:.0f}, "
                f"p95 {quantiles(wall, n=20)[18]:.0f} ms; {quantiles(used, n=2)[0]:.0f} ms CPU",
                flush=True,
            )


async def _add(address: str | Path, project: str, start: int, end: int) -> None:
    database = await open_database(address)
    try:
        await _grow(database, Scope(await _team(database, project)), project, start, end)
    finally:
        await database.close()
