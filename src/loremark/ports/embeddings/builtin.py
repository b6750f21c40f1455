"""The built-in embedder: granite-embedding-30m-english, tuned for project memory, on onnxruntime in its own thread.

Texts are not batched. In a batch they would share quantization scales, so a text's vector would depend on its
neighbors; and except for very short texts batching is no faster.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path

import numpy as np

from loremark.ports.embeddings.bpe_tokenizer import BpeTokenizer
from loremark.ports.embeddings.embedding_result import EmbedderFailed, EmbeddingResult, Vectors
from loremark.ports.embeddings.mean_vector import read_mean_vector
from loremark.ports.embeddings.model_cache import is_intact, save
from loremark.ports.embeddings.runtime import RUNTIME_FAULTS, open_session
from loremark.ports.embeddings.stored_layers import read_layers
from loremark.ports.embeddings.transformer_graph import DIMENSIONS, FORMAT, Precision, build_embedder
from loremark.ports.embeddings.weights import read_pack
from loremark.ports.llm.model import ServerAddress

_NAMES: dict[Precision, str] = {"int8": "loremark-30m-q8", "fp32": "loremark-30m"}
_TEXTS_PER_TURN = 4
"""Texts of one call processed before another call gets a turn, so a question does not wait for a whole scan."""

_MOST_THREADS = 4
TUNED_LAYERS = resources.files("loremark.ports.embeddings").joinpath("tuned_layers.npz")
"""The layers, tuned so that a task or question is near what was settled about it."""


class BuiltinEmbedder:
    """Loads the model on first use. A failed load is retried on the next use."""

    def __init__(self, precision: Precision, *, cache_dir: Path | None = None) -> None:
        self.name = _NAMES[precision]
        self.address: ServerAddress | None = None
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
        except RUNTIME_FAULTS as error:
            message = str(error).partition("\n")[0]
            raise EmbedderFailed(f"onnxruntime failed to run {self.name}: {message}") from error


class _Model:
    def __init__(self, graph: Path | bytes, tokenizer: BpeTokenizer) -> None:
        self._session = open_session(graph, threads=max(1, min(_MOST_THREADS, (os.cpu_count() or 1) - 1)))
        self._tokenizer = tokenizer

    def run(self, texts: Sequence[str]) -> EmbeddingResult:
        encoded = [self._tokenizer.encode(text) for text in texts]
        vectors = [self._vector(pieces) for pieces in encoded]
        return EmbeddingResult(np.concatenate(vectors), sum(map(len, encoded)))

    def _vector(self, pieces: list[int]) -> Vectors:
        vector: Vectors = self._session.run(None, {"pieces": np.array([pieces], dtype=np.int32)})[0]
        return vector


def _load(name: str, precision: Precision, cache_dir: Path | None) -> _Model:
    """Load the model from the cached file, or build it from the weights."""
    pack = read_pack()
    path = None if cache_dir is None else cache_dir / f"{name}.{FORMAT}.onnx"
    if path is not None and is_intact(path):
        return _Model(path, pack.tokenizer)
    graph = build_embedder(pack.tensors() | read_layers(TUNED_LAYERS), precision, read_mean_vector())
    if path is not None and save(path, graph):
        return _Model(path, pack.tokenizer)
    return _Model(graph, pack.tokenizer)
