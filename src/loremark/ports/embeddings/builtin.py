"""The built-in embedder: granite-embedding-30m-english, tuned for project memory, on onnxruntime in its own thread.

Texts are not batched. In a batch they would share quantization scales, so a text's vector would depend on its
neighbors; and except for very short texts batching is no faster.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from loremark.ports.embeddings.bpe_tokenizer import BpeTokenizer
from loremark.ports.embeddings.embedding_result import EmbedderFailed, EmbeddingResult, Vectors
from loremark.ports.embeddings.granite import DIMENSIONS, FORMAT, Precision, build_graph
from loremark.ports.embeddings.mean_vector import read_mean_vector
from loremark.ports.embeddings.model_cache import is_intact, save
from loremark.ports.embeddings.runtime import faults, onnxruntime
from loremark.ports.embeddings.tuned_layers import read_tuned_layers
from loremark.ports.embeddings.weights import read_pack

_NAMES: dict[Precision, str] = {"int8": "loremark-30m-q8", "fp32": "loremark-30m"}
_TEXTS_PER_TURN = 4
"""Texts of one call processed before another call gets a turn, so a question does not wait for a whole scan."""

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
    """Loads the model on first use. A failed load is retried on the next use."""

    def __init__(self, precision: Precision, *, cache_dir: Path | None = None) -> None:
        self.name = _NAMES[precision]
        self.dimensions = DIMENSIONS
        self._precision: Precision = precision
        self._cache_dir = cache_dir
        self._model: _Model | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")
        self._is_closed = False

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        tokens = 0
        for start in range(0, len(texts), _TEXTS_PER_TURN):
            if self._is_closed:
                raise EmbedderFailed("the embedder is closed")
            some = texts[start : start + _TEXTS_PER_TURN]
            found = await asyncio.get_running_loop().run_in_executor(self._thread, self._run, some)
            vectors[start : start + len(some)] = found.vectors
            tokens += found.tokens
        return EmbeddingResult(vectors, tokens)

    async def close(self) -> None:
        self._is_closed = True
        await asyncio.to_thread(self._thread.shutdown)
        self._model = None

    def _run(self, texts: Sequence[str]) -> EmbeddingResult:
        try:
            if self._model is None:
                self._model = _load(self.name, self._precision, self._cache_dir)
            return self._model.run(texts)
        except _RUNTIME_FAULTS as error:
            message = str(error).partition("\n")[0]
            raise EmbedderFailed(f"onnxruntime failed to run {self.name}: {message}") from error


class _Model:
    def __init__(self, graph: Path | bytes, tokenizer: BpeTokenizer) -> None:
        self._session = _open_session(graph)
        self._tokenizer = tokenizer

    def run(self, texts: Sequence[str]) -> EmbeddingResult:
        encoded = [self._tokenizer.encode(text) for text in texts]
        vectors = [self._vector(pieces) for pieces in encoded]
        return EmbeddingResult(np.concatenate(vectors), sum(map(len, encoded)))

    def _vector(self, pieces: list[int]) -> Vectors:
        vector: Vectors = self._session.run(None, {"pieces": np.array([pieces], dtype=np.int32)})[0]
        return vector


def _open_session(graph: Path | bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(1, min(_MOST_THREADS, (os.cpu_count() or 1) - 1))
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False  # an arena would keep memory for the longest text and is no faster
    options.use_deterministic_compute = True
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _load(name: str, precision: Precision, cache_dir: Path | None) -> _Model:
    """Load the model from the cached file, or build it from the weights."""
    pack = read_pack()
    path = None if cache_dir is None else cache_dir / f"{name}.{FORMAT}.onnx"
    if path is not None and is_intact(path):
        return _Model(path, pack.tokenizer)
    graph = build_graph(pack.tensors() | read_tuned_layers(), precision, read_mean_vector())
    if path is not None and save(path, graph):
        return _Model(path, pack.tokenizer)
    return _Model(graph, pack.tokenizer)
