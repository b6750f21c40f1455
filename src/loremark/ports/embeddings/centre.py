"""Where the model's vectors lie on average: made by ``python -m bench centre`` from the texts of the dev sets.

As they come, any two texts have a cosine of a half or more. Without what all of them have in common, strangers have
one near nothing, as with most models, and the order of what is near stays what it was.
"""

from __future__ import annotations

from importlib import resources

import msgspec
import numpy as np

from loremark.ports.embeddings.embedded import Vectors

FILE = "centre.json"


def read_centre() -> Vectors:
    """To be taken from a vector of unit length."""
    content = resources.files("loremark.ports.embeddings").joinpath(FILE).read_bytes()
    return np.array(msgspec.json.decode(content, type=list[float]), dtype=np.float32)
