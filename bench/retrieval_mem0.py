"""mem0 as a system under test: installed into its own environment and driven by lines of JSON.

It stores the same texts with the same vectors in a local Qdrant on disk, without a language model (``infer=False``).
This is a plain install: its extras for keywords and names download models on first use.
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import retrieval_mem0_child
from bench.measure import cpu_seconds
from bench.retrieval_sets import EmbeddedBy, Project
from bench.retrieval_vectors import CACHE

_INSTALL_S = 600
_ANSWER_S = 120
_BATCH_SIZE = 50
_TIMEOUT_S = float(os.environ.get("LOREMARK_BENCH_MEM0_SECONDS", "600"))
"""How long adding the items of one project may take; larger ones are left out."""


class LeftOutError(Exception):
    """A system could not be measured; the reason is printed below the table."""


class Mem0:
    """``prepare`` provides the vectors of the questions; mem0 embeds nothing."""

    name = "mem0 (no LLM)"
    embedding: EmbeddedBy = "bench"

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        python = _install()
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "MEM0_DIR": str(folder),
            "MEM0_TELEMETRY": "False",
        }
        self._folder = folder
        self._opened = 0
        self._child = subprocess.Popen(
            [str(python), "-u", retrieval_mem0_child.__file__],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stack.enter_context((folder / "said.txt").open("wb")),
            text=True,
        )
        stack.callback(self._end)

    def cpu_seconds(self) -> float:
        return cpu_seconds(self._child.pid)

    def prepare(
        self, project: Project, vectors: NDArray[np.float32], questions: dict[str, NDArray[np.float32]]
    ) -> None:
        """Create a store and provide the vectors of everything that it will receive."""
        self._opened += 1
        folder = self._folder / f"store-{self._opened}"
        self._call("open", folder=str(folder), dimensions=vectors.shape[1])
        self._learn([document.text for document in project.documents], vectors)
        self._learn(list(questions), np.stack(list(questions.values())))

    def add(self, project: Project, vectors: NDArray[np.float32]) -> None:
        began = time.monotonic()
        documents = [
            {"text": one.text, "place": place, "session": one.session, "date": one.created_ms}
            for place, one in enumerate(project.documents)
        ]
        for start in range(0, len(documents), _BATCH_SIZE):
            if time.monotonic() - began > _TIMEOUT_S:
                raise LeftOutError(f"{start} of {len(documents)} items added in {_TIMEOUT_S:g} s")
            self._call("add", documents=documents[start : start + _BATCH_SIZE])

    def search(self, question: str, vector: NDArray[np.float32], limit: int) -> list[int]:
        found: list[int] = self._call("search", question=question, limit=limit)
        return found

    def _learn(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        for start in range(0, len(texts), _BATCH_SIZE):
            batch = np.ascontiguousarray(vectors[start : start + _BATCH_SIZE], dtype=np.float32)
            packed = base64.b64encode(batch.tobytes()).decode()
            self._call("learn", texts=texts[start : start + _BATCH_SIZE], vectors=packed, dimensions=batch.shape[1])

    def _call(self, do: str, **values: Any) -> Any:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        line = ""
        try:
            self._child.stdin.write(json.dumps({"do": do, **values}) + "\n")
            self._child.stdin.flush()
            if select.select([self._child.stdout], [], [], _ANSWER_S)[0]:
                line = self._child.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            self._end()  # a late answer must not be taken for the answer to another call
            output = (self._folder / "said.txt").read_text(errors="replace").strip().splitlines() or ["nothing"]
            raise LeftOutError(f"no answer to {do}; last output: {output[-1][:200]}")
        return json.loads(line)["answer"]

    def _end(self) -> None:
        self._child.kill()
        self._child.wait(15)


def _install() -> Path:
    """The interpreter with mem0; installed on the first run and kept in the cache folder."""
    folder = CACHE / "mem0"
    python = folder / "bin" / "python"
    commands = [
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mem0ai"],
    ]
    if (folder / "installed").exists():
        return python
    for command in commands:
        try:
            subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_S, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            output = str(getattr(error, "stderr", "") or error).strip().splitlines()
            raise LeftOutError(f"installation failed: {output[-1][:200]}") from error
    (folder / "installed").touch()
    return python
