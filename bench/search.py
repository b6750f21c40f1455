"""Search without embedding the question: time by project size, many projects, exactness; on both engines."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert
from tests.servers import lifetime

from bench.bulk_data import DIMENSIONS, Sample, copy_project, empty, fill_project, make_samples
from bench.servers import ENGINES, address_for
from loremark.base.caller import Scope
from loremark.features.search.service import Finder
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.embeddings.embedding_result import EmbeddingResult
from loremark.ports.llm.model import ServerAddress
from loremark.storage import schema
from loremark.storage.connect import open_database
from loremark.storage.database import Database

_SIZES = tuple(int(size) for size in os.environ.get("LOREMARK_BENCH_ITEMS", "500,10000,100000").split(","))
_PROJECTS = int(os.environ.get("LOREMARK_BENCH_PROJECTS", "1000"))
_ITEMS_PER_PROJECT = 500
_TEAM = "team_bench"
_QUESTIONS = 40
_ROOM = 4 * 1024**3


class LookupEmbedder:
    """An embedder with precomputed vectors, so that embedding is not measured."""

    name = "bench"
    address: ServerAddress | None = None
    dimensions = DIMENSIONS

    def __init__(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        return EmbeddingResult(np.stack([self._vectors[text] for text in texts]), 0)

    async def close(self) -> None:
        """There is nothing to close."""


def run() -> None:
    """Print p50 and CPU by size, first and warm searches over many projects, and recall against a full scan."""
    samples, vectors = make_samples(20_000)
    questions = _make_questions(samples, vectors)
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.callback(lifetime.stop_all)
            address = address_for(engine, "search") or Path(folder) / "search.db"
            asyncio.run(_measure(engine, address, samples, questions))


def _make_questions(samples: Sequence[Sample], vectors: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(5)
    made = {}
    for number in rng.integers(0, len(samples), _QUESTIONS):
        vector = vectors[number] + rng.normal(size=DIMENSIONS).astype(np.float32) * 0.03
        words = samples[number].content.split()
        made["what about " + " ".join(words[3:8])] = (vector / np.linalg.norm(vector)).astype(np.float32)
    return made


async def _measure(
    engine: str, address: str | Path, samples: list[Sample], questions: dict[str, NDArray[np.float32]]
) -> None:
    await schema.migrate(address)
    database = await open_database(address)
    try:
        await _create_team(database)
        print(f"search, {engine}: without embedding the question")
        times = [await _one_project(database, samples, questions, size) for size in _SIZES]
        growth = ", ".join(f"{times[at + 1] / times[at]:.1f}" for at in range(len(times) - 1))
        print(f"  growth from each size to the next: {growth}")
        await _many_projects(database, samples, questions)
    finally:
        await database.close()


async def _create_team(database: Database) -> None:
    from loremark.storage.tables import teams

    values = {column.name: empty(column) for column in teams.c} | {"id": _TEAM, "name": "Bench"}
    async with database.write() as tx:
        await tx.run(insert(teams).values(values))


def _finder(database: Database, questions: dict[str, NDArray[np.float32]]) -> Finder:
    return Finder(database, Embedders(LookupEmbedder(questions)), _ROOM)


async def _one_project(
    database: Database, samples: list[Sample], questions: dict[str, NDArray[np.float32]], size: int
) -> float:
    project = await fill_project(database, _TEAM, samples, size, LookupEmbedder.name)
    finder = _finder(database, questions)

    async def ask(text: str) -> None:
        await finder.find(Scope(_TEAM), project, text, limit=10, min_similarity=0)

    first = await _timed(ask, [next(iter(questions))])
    warm = await _timed(ask, list(questions) * 3)
    print(
        f"  {size:>7,} items: p50 {median(warm.wall):6.2f} ms, CPU {warm.cpu:6.2f} ms a question"
        f"; first touch {first.wall[0]:8.1f} ms; recall@10 {await _recall(database, finder, project, questions):.3f}",
        flush=True,
    )
    return median(warm.wall)


async def _recall(database: Database, finder: Finder, project: str, questions: dict[str, NDArray[np.float32]]) -> float:
    """Compared with ranking the whole corpus item by item."""
    from loremark.memory.ranking.ranking import Filters, Question, rank

    index = await finder._indexes.get(Scope(_TEAM), project)
    assert index is not None
    found = wanted = 0
    for text, vector in list(questions.items())[:10]:
        ranked = rank(index.corpus, Question(text, vector), Filters(), len(index.corpus))
        best = {hit.item_id for hit in sorted(ranked, key=lambda hit: (-hit.score, hit.item_id))[:10]}
        lines = await finder.find(Scope(_TEAM), project, text, limit=10, min_similarity=0)
        found += len(best & {source.item_id for source in lines.sources})
        wanted += len(best)
    return found / wanted


async def _many_projects(database: Database, samples: list[Sample], questions: dict[str, NDArray[np.float32]]) -> None:
    started = time.perf_counter()
    template = await fill_project(database, _TEAM, samples, _ITEMS_PER_PROJECT, LookupEmbedder.name)
    made = await copy_project(database, template, _PROJECTS)
    filled = time.perf_counter() - started
    finder = _finder(database, questions)
    chosen = [made[int(at)] for at in np.random.default_rng(3).integers(0, len(made), 200)]
    texts = list(questions)

    async def ask(project: str) -> None:
        await finder.find(Scope(_TEAM), project, texts[hash(project) % len(texts)], limit=10, min_similarity=0)

    first = await _timed(ask, list(dict.fromkeys(chosen)))
    warm = await _timed(ask, chosen * 3)
    print(
        f"  {len(made):,} projects of {_ITEMS_PER_PROJECT} items (filled in {filled:.0f} s): first touch p50 "
        f"{median(first.wall):.2f} ms (p95 {_p95(first.wall):.2f}), warm p50 {median(warm.wall):.2f} ms\n",
        flush=True,
    )


class Times:
    """Wall milliseconds of each call, CPU milliseconds per call."""

    def __init__(self, wall: list[float], cpu: float) -> None:
        self.wall = wall
        self.cpu = cpu


async def _timed(work: Callable[[str], Awaitable[None]], arguments: Sequence[str]) -> Times:
    wall = []
    before = time.process_time()
    for argument in arguments:
        started = time.perf_counter()
        await work(argument)
        wall.append((time.perf_counter() - started) * 1000)
    return Times(wall, (time.process_time() - before) * 1000 / len(arguments))


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]
