"""The built-in reader: all-MiniLM-L6-v2, trained to read a pair of texts, on onnxruntime in its own thread."""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.ports.embeddings.model_cache import is_intact, save
from loremark.ports.embeddings.runtime import RUNTIME_FAULTS, open_session
from loremark.ports.embeddings.stored_layers import read_layers
from loremark.ports.embeddings.transformer_graph import build_reader
from loremark.ports.reader.reader import ReaderFailed, Reading
from loremark.ports.reader.wordpiece_tokenizer import WordPieceTokenizer

FIRST_TOKENS, TOKENS = 96, 224
"""Limits for the first text, and for both with their separators. The cost of a pair grows with its tokens."""

_NAME = "loremark-reader-1"
"""Change it with the weights, to invalidate cached files."""
_FILES = resources.files("loremark.ports.reader")
_WEIGHTS = ("reader_words.npz", "reader_layers.npz")
_VOCABULARY = "reader_vocabulary.txt.gz"
_PAIRS_PER_TURN = 4
_PAIRS_REMEMBERED = 4_096
_THREADS = 2

_Scores = NDArray[np.float32]


class BuiltinReader:
    """Loads the model on first use. A failed load is retried on the next use."""

    def __init__(self, *, cache_dir: Path | None = None) -> None:
        self.name = _NAME
        self._cache_dir = cache_dir
        self._model: _Model | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")
        self._is_closed = False

    async def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        readings: list[Reading] = []
        for start in range(0, len(pairs), _PAIRS_PER_TURN):
            if self._is_closed:
                raise ReaderFailed("the reader is closed")
            some = pairs[start : start + _PAIRS_PER_TURN]
            readings += await asyncio.get_running_loop().run_in_executor(self._thread, self._run, some)
        return readings

    def prepare(self) -> None:
        if self._model is None and not self._is_closed:
            self._thread.submit(self._run, ())

    async def close(self) -> None:
        self._is_closed = True
        await asyncio.to_thread(self._thread.shutdown)
        self._model = None

    def _run(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        try:
            if self._model is None:
                self._model = _load(self._cache_dir)
            return [self._model.read(first, second) for first, second in pairs]
        except RUNTIME_FAULTS as error:
            message = str(error).partition("\n")[0]
            raise ReaderFailed(f"cannot run the reader {self.name}: {message}") from error


class _Model:
    def __init__(self, graph: Path | bytes, tokenizer: WordPieceTokenizer) -> None:
        self._session = open_session(graph, threads=min(_THREADS, os.cpu_count() or 1))
        self._tokenizer = tokenizer
        self.read = lru_cache(_PAIRS_REMEMBERED)(self._read)

    def _read(self, first: str, second: str) -> Reading:
        pieces, types = self._tokenizer.encode_pair(first, second, FIRST_TOKENS, TOKENS)
        given = {"pieces": np.array([pieces], dtype=np.int32), "types": np.array([types], dtype=np.int32)}
        scores: _Scores = self._session.run(None, given)[0][0]
        answers, matters = 1 / (1 + np.exp(-scores[:2]))
        relation = np.exp(scores[2:] - scores[2:].max())
        same, replaces, different = relation / relation.sum()
        return Reading(float(answers), float(matters), float(same), float(replaces), float(different))


def _load(cache_dir: Path | None) -> _Model:
    """Load the model from the cached file, or build it from the weights."""
    path = None if cache_dir is None else cache_dir / f"{_NAME}.onnx"
    try:
        tokenizer = WordPieceTokenizer(gzip.decompress(_FILES.joinpath(_VOCABULARY).read_bytes()).decode().split("\n"))
        if path is not None and is_intact(path):
            return _Model(path, tokenizer)
        tensors = {name: tensor for file in _WEIGHTS for name, tensor in read_layers(_FILES.joinpath(file)).items()}
    except OSError as error:
        raise ReaderFailed(f"the reader's weights are not installed: {error}") from error
    graph = build_reader(tensors, "int8")
    if path is not None and save(path, graph):
        return _Model(path, tokenizer)
    return _Model(graph, tokenizer)
