"""Computes the mean of the built-in model's vectors (``loremark.ports.embeddings.mean_vector``) and writes it.

Half from items, half from questions of asks-dev. Another mean makes another graph and other vectors: increase
``granite.FORMAT`` and rename the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np

from loremark.entry.ask_evaluation import text_of
from loremark.memory.evaluation.ask_sets import load_ask_set
from loremark.ports.embeddings.builtin import TUNED_LAYERS
from loremark.ports.embeddings.embedding_result import Vectors
from loremark.ports.embeddings.mean_vector import FILE
from loremark.ports.embeddings.runtime import onnxruntime
from loremark.ports.embeddings.stored_layers import read_layers
from loremark.ports.embeddings.transformer_graph import build_embedder
from loremark.ports.embeddings.weights import read_pack

_DIGITS = 5


def run() -> None:
    """Print how similar random texts are before and after, and write the mean."""
    asks = load_ask_set("dev")
    pack = read_pack()
    graph = build_embedder(pack.tensors() | read_layers(TUNED_LAYERS), "fp32")
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])

    def embed(texts: Sequence[str]) -> Vectors:
        pieces = (np.array([pack.tokenizer.encode(text)], dtype=np.int32) for text in texts)
        return np.concatenate([session.run(None, {"pieces": row})[0] for row in pieces])

    items = embed([text_of(line) for line in asks.memory])
    questions = embed([line.question for line in asks.questions])
    mean = (items.mean(axis=0) + questions.mean(axis=0)) / 2
    print(f"cosine of a question and any item: {_between(questions, items):.3f} raw, ", end="")
    print(f"{_between(_unit(questions - mean), _unit(items - mean)):.3f} without the mean")
    path = Path(str(resources.files("loremark.ports.embeddings"))) / FILE
    path.write_bytes(msgspec.json.encode([round(float(number), _DIGITS) for number in mean]) + b"\n")


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _between(some: Vectors, others: Vectors) -> float:
    return float((some @ others.T).mean())
