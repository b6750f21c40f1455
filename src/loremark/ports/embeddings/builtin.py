"""The built-in embedder: granite-embedding-30m-english by onnxruntime, in a thread of its own.

Every text is run alone. Run together, texts would share the steps of rounding, and a text's vector would hang on
its neighbours; and for all but the shortest texts running them together is no faster.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from loremark.ports.embeddings.bytepairs import BytePairs
from loremark.ports.embeddings.centre import read_centre
from loremark.ports.embeddings.embedded import Embedded, EmbedderFailed, Vectors
from loremark.ports.embeddings.granite import DIMENSIONS, FORMAT, Precision, build_graph
from loremark.ports.embeddings.graph_file import is_whole, keep
from loremark.ports.embeddings.runtime import faults, onnxruntime
from loremark.ports.embeddings.weights import read_pack

_NAMES: dict[Precision, str] = {"int8": "granite-30m-q8", "fp32": "granite-30m"}
_TEXTS_PER_TURN = 4
"""How many texts of one call are run before another call has its turn: a question does not wait for a whole scan."""

_MOST_THREADS = 4
_RUNTIME_FAULTS = (
    faults.Fail,
    faults.InvalidArgument,
    faults.InvalidGraph,
    faults.InvalidProtobuf,
    faults.NotImplemented,
    faults.RuntimeException,
)


class BuiltinEmbedder:
    """Loads its model with the first text. A load that failed is tried again with the next."""

    def __init__(self, precision: Precision, *, cache_dir: Path | None = None) -> None:
        self.name = _NAMES[precision]
        self.dimensions = DIMENSIONS
        self._precision: Precision = precision
        self._cache_dir = cache_dir
        self._model: _Model | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")
        self._is_closed = False

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        tokens = 0
        for start in range(0, len(texts), _TEXTS_PER_TURN):
            if self._is_closed:
                raise EmbedderFailed("the embedder is closed")
            some = texts[start : start + _TEXTS_PER_TURN]
            found = await asyncio.get_running_loop().run_in_executor(self._thread, self._run, some)
            vectors[start : start + len(some)] = found.vectors
            tokens += found.tokens
        return Embedded(vectors, tokens)

    async def close(self) -> None:
        self._is_closed = True
        await asyncio.to_thread(self._thread.shutdown)
        self._model = None

    def _run(self, texts: Sequence[str]) -> Embedded:
        try:
            if self._model is None:
                self._model = _load(self.name, self._precision, self._cache_dir)
            return self._model.run(texts)
        except _RUNTIME_FAULTS as error:
            told = str(error).partition("\n")[0]
            raise EmbedderFailed(f"onnxruntime cannot run {self.name}: {told}") from error


class _Model:
    def __init__(self, graph: Path | bytes, tokenizer: BytePairs) -> None:
        self._session = _open_session(graph)
        self._tokenizer = tokenizer

    def run(self, texts: Sequence[str]) -> Embedded:
        encoded = [self._tokenizer.encode(text) for text in texts]
        vectors = [self._vector(pieces) for pieces in encoded]
        return Embedded(np.concatenate(vectors), sum(map(len, encoded)))

    def _vector(self, pieces: list[int]) -> Vectors:
        vector: Vectors = self._session.run(None, {"pieces": np.array([pieces], dtype=np.int32)})[0]
        return vector


def _open_session(graph: Path | bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(1, min(_MOST_THREADS, (os.cpu_count() or 1) - 1))
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False  # an arena keeps the memory of the longest text, and is no faster
    options.use_deterministic_compute = True
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _load(name: str, precision: Precision, cache_dir: Path | None) -> _Model:
    """From the file that an earlier load has kept, or from the weights."""
    pack = read_pack()
    path = None if cache_dir is None else cache_dir / f"{name}.{FORMAT}.onnx"
    if path is not None and is_whole(path):
        return _Model(path, pack.tokenizer)
    graph = build_graph(pack.tensors(), precision, read_centre())
    if path is not None and keep(path, graph):
        return _Model(path, pack.tokenizer)
    return _Model(graph, pack.tokenizer)
