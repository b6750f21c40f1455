"""Reads layers that were trained from those of the packaged model: matrices are int8 values with a scale per 64."""

from __future__ import annotations

from importlib.resources.abc import Traversable

import numpy as np

from loremark.ports.embeddings.embedding_result import Vectors

_GROUP = 64


def read_layers(file: Traversable) -> dict[str, Vectors]:
    """Return the tensors by name, as float32."""
    tensors: dict[str, Vectors] = {}
    with file.open("rb") as content, np.load(content) as stored:
        for name in stored.files:
            if name.endswith(".q"):
                scales = stored[f"{name[:-2]}.s"].astype(np.float32)
                values = stored[name].astype(np.float32).reshape(-1, _GROUP) * scales[:, None]
                tensors[name[:-2]] = values.reshape(stored[name].shape)
            elif not name.endswith(".s"):
                tensors[name] = stored[name].astype(np.float32)
    return tensors
