"""The layers of the built-in model, tuned so that a task or question is near what was settled about it.

The package's own layers know general text. These were trained from them on the groups and sessions in ``training/`` and
replace them; the word embeddings stay those of the package. Matrices are int8 values with a scale per 64.
"""

from __future__ import annotations

from importlib import resources

import numpy as np

from loremark.ports.embeddings.embedding_result import Vectors

FILE = "tuned_layers.npz"
_GROUP = 64


def read_tuned_layers() -> dict[str, Vectors]:
    """Return the tensors by name, as float32."""
    tensors: dict[str, Vectors] = {}
    with resources.files("loremark.ports.embeddings").joinpath(FILE).open("rb") as file, np.load(file) as stored:
        for name in stored.files:
            if name.endswith(".q"):
                scales = stored[f"{name[:-2]}.s"].astype(np.float32)
                values = stored[name].astype(np.float32).reshape(-1, _GROUP) * scales[:, None]
                tensors[name[:-2]] = values.reshape(stored[name].shape)
            elif not name.endswith(".s"):
                tensors[name] = stored[name].astype(np.float32)
    return tensors
