"""Works out where the built-in model's vectors lie on average (``loremark.ports.embeddings.centre``), and writes it.

Of what memory holds and of what it is asked, each counting half: items and questions of asks-dev. Another centre is
another graph and makes other vectors: count up ``granite.FORMAT`` and give the vectors another name.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np

from loremark.entry.asking import text_of
from loremark.memory.evaluation.asking import load_asks
from loremark.ports.embeddings.centre import FILE
from loremark.ports.embeddings.embedded import Vectors
from loremark.ports.embeddings.granite import build_graph
from loremark.ports.embeddings.runtime import onnxruntime
from loremark.ports.embeddings.weights import read_pack

_DIGITS = 5


def run() -> None:
    """Print how near strangers are before and after, and write the centre."""
    asks = load_asks("dev")
    pack = read_pack()
    session = onnxruntime.InferenceSession(build_graph(pack.tensors(), "fp32"), providers=["CPUExecutionProvider"])

    def embed(texts: Sequence[str]) -> Vectors:
        pieces = (np.array([pack.tokenizer.encode(text)], dtype=np.int32) for text in texts)
        return np.concatenate([session.run(None, {"pieces": row})[0] for row in pieces])

    items = embed([text_of(line) for line in asks.memory])
    questions = embed([line.question for line in asks.questions])
    centre = (items.mean(axis=0) + questions.mean(axis=0)) / 2
    print(f"cosine of a question and any item: {_between(questions, items):.3f} as they come, ", end="")
    print(f"{_between(_unit(questions - centre), _unit(items - centre)):.3f} without the centre")
    path = Path(str(resources.files("loremark.ports.embeddings"))) / FILE
    path.write_bytes(msgspec.json.encode([round(float(number), _DIGITS) for number in centre]) + b"\n")


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _between(some: Vectors, others: Vectors) -> float:
    return float((some @ others.T).mean())
