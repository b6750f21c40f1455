"""The mean of the model's vectors over the dev sets, written by ``bench/embedding_mean.py``.

Raw vectors of any two texts have a cosine of 0.5 or more. Subtracting the mean brings unrelated texts close to 0, as
with most models, without changing the ranking.
"""

from __future__ import annotations

from importlib import resources

import msgspec
import numpy as np

from loremark.ports.embeddings.embedding_result import Vectors

FILE = "mean_vector.json"


def read_mean_vector() -> Vectors:
    """Return the vector to subtract from a unit vector."""
    content = resources.files("loremark.ports.embeddings").joinpath(FILE).read_bytes()
    return np.array(msgspec.json.decode(content, type=list[float]), dtype=np.float32)
