"""Retrieval quality and speed: Loremark over HTTP, BM25, vector search and mem0, in one run.

All systems get the same texts and vectors, project by project in turn. Embedding a question is timed separately: it is
added where a system receives the vector and subtracted where the system embeds by itself. CPU time is that of the
searching process.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tests.servers import lifetime

from bench.retrieval_baselines import Bm25, VectorSearch
from bench.retrieval_loremark import Server
from bench.retrieval_mem0 import LeftOutError, Mem0
from bench.retrieval_sets import SETS, EmbeddedBy, Project, Question, load_projects
from bench.retrieval_vectors import Vectors

_DEPTH = 20
_NO_WORK = 1e6
"""Items per second above which a system did no work, because it reuses existing data."""


class System(Protocol):
    """A search system. ``search`` returns document indexes, best first."""

    @property
    def name(self) -> str: ...

    @property
    def embedding(self) -> EmbeddedBy: ...

    def cpu_seconds(self) -> float:
        """The CPU time of its process so far."""

    def add(self, project: Project, vectors: NDArray[np.float32]) -> None:
        """From now on, search this project."""

    def search(self, question: str, vector: NDArray[np.float32], limit: int) -> list[int]: ...


@dataclass
class Measured:
    """The results of one system on one set."""

    projects: int = 0
    figures: list[NDArray[np.float64]] = field(default_factory=list)
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: float = 0.0
    added: int = 0
    adding_s: float = 0.0

    def to_row(self, timed: Sequence[tuple[float, float]], embedding: EmbeddedBy) -> str:
        """Times are medians; CPU times, which the system measures coarsely, are means."""
        shares = "".join(f"{value:8.3f}" for value in np.mean(self.figures, axis=0))
        took = np.array([median(self.wall_ms), self.cpu_ms / len(self.wall_ms)])
        embedding_alone = np.array([median(wall for wall, _ in timed), fmean(cpu for _, cpu in timed)])
        without_embedding = np.maximum(took - embedding_alone, 0) if embedding == "system" else took
        with_embedding = took + embedding_alone if embedding == "bench" else took
        times = "".join(f"{value:9.2f}" for value in (*without_embedding, *with_embedding))
        rate = self.added / self.adding_s
        return f"{shares}{times}{f'{rate:.0f}' if rate < _NO_WORK else '-':>9}"


class Bench:
    """The systems under test; one that fails is left out, and the table says why."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.systems: list[System] = []
        self.found: dict[tuple[str, str], Measured] = defaultdict(Measured)
        self.left_out: list[str] = []

    def open(self, stack: ExitStack, folder: Path) -> None:
        for name in ("loremark", "mem0"):
            (folder / name).mkdir()
        self.systems = [Server(stack, folder / "loremark", self._vectors.model), Bm25(), VectorSearch()]
        try:
            self.systems.append(Mem0(stack, folder / "mem0"))
        except LeftOutError as reason:
            self.left_out.append(f"{Mem0.name}: {reason}")

    def measure(self, project: Project) -> None:
        for system in self.systems:
            try:
                self._measure(system, project)
            except LeftOutError as reason:
                self.left_out.append(f"{system.name}, {project.name}: {reason}")

    def _measure(self, system: System, project: Project) -> None:
        vectors = self._vectors.of([one.text for one in project.documents])
        if isinstance(system, Mem0):
            system.prepare(project, vectors, self._question_vectors(project))
        began = time.perf_counter()
        system.add(project, vectors)
        adding_s = time.perf_counter() - began
        for name, questions in project.questions.items():
            measured = self.found[name, system.name]
            self._ask(system, project, questions, measured)
            measured.projects += 1
            measured.added += len(vectors)
            measured.adding_s += adding_s

    def _question_vectors(self, project: Project) -> dict[str, NDArray[np.float32]]:
        texts = [one.text for questions in project.questions.values() for one in questions]
        return dict(zip(texts, self._vectors.of(texts), strict=True))

    def _ask(self, system: System, project: Project, questions: Sequence[Question], measured: Measured) -> None:
        vectors = self._vectors.of([one.text for one in questions])
        places, wall_ms = [], []
        cpu = system.cpu_seconds()
        for question, vector in zip(questions, vectors, strict=True):
            began = time.perf_counter()
            places.append(system.search(question.text, vector, _DEPTH))
            wall_ms.append((time.perf_counter() - began) * 1000)
        measured.wall_ms += wall_ms
        measured.cpu_ms += (system.cpu_seconds() - cpu) * 1000
        for question, found in zip(questions, places, strict=True):
            measured.figures.append(scores([project.documents[place].fact for place in found], question.facts))


def run() -> None:
    """Print one row for each set and system."""
    projects = load_projects()
    vectors = Vectors()
    timed: dict[str, list[tuple[float, float]]] = {name: [] for name in SETS}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        stack.callback(lifetime.stop_all)
        runner = stack.enter_context(asyncio.Runner())
        stack.callback(lambda: runner.run(vectors.close()))
        runner.run(vectors.learn([text for project in projects for text in project.texts]))
        bench = Bench(vectors)
        bench.open(stack, Path(folder))
        for project in projects:
            bench.measure(project)
            for name, questions in project.questions.items():
                timed[name] += runner.run(vectors.time_questions([one.text for one in questions]))
    _print(bench, timed)


def _print(bench: Bench, timed: dict[str, list[tuple[float, float]]]) -> None:
    print(
        f"retrieval, {_DEPTH} results; ms and CPU ms per question, without and with embedding; items added per second"
    )
    heads = ("R@5", "R@10", "R@20", "nDCG@10", "MRR"), ("ms", "CPU", "ms with", "CPU with", "added/s")
    print(f"{'':34}{''.join(f'{head:>8}' for head in heads[0])}{''.join(f'{head:>9}' for head in heads[1])}")
    for name in (name for name in SETS if timed[name]):
        for system in bench.systems:
            measured = bench.found[name, system.name]
            row = measured.to_row(timed[name], system.embedding) if measured.projects else "  not measured"
            total = max(bench.found[name, other.name].projects for other in bench.systems)
            part = f"  {measured.projects} of {total} projects" if 0 < measured.projects < total else ""
            print(f"{name + ', ' + system.name:34}{row}{part}")
    for reason in bench.left_out:
        print(f"left out: {reason}")


def scores(found: Sequence[str], facts: frozenset[str]) -> NDArray[np.float64]:
    """Recall at 5, 10 and 20, nDCG at 10, reciprocal rank. A fact found twice counts once."""
    right = np.array(
        [fact in facts and fact not in found[:place] for place, fact in enumerate(found)], dtype=np.float64
    )
    discounts = 1 / np.log2(np.arange(2, 12))
    first = np.flatnonzero(right)
    return np.array(
        [
            *(right[:depth].sum() / len(facts) for depth in (5, 10, 20)),
            (right[:10] * discounts[: len(right[:10])]).sum() / discounts[: min(len(facts), 10)].sum(),
            1 / (first[0] + 1) if len(first) else 0.0,
        ]
    )
