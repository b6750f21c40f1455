"""The result and the error of embedders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]


class EmbedderFailed(Exception):
    """Embedding failed: missing weights, or an unreachable or misbehaving server. The message is one line."""


@dataclass(frozen=True)
class EmbeddingResult:
    """A unit-length row per text, in order, and the number of tokens read."""

    vectors: Vectors
    tokens: int
