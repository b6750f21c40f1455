"""What an embedder gives, and the one way in which it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]


class EmbedderFailed(Exception):
    """No vectors can be had: weights are missing, a server is away or answers nonsense. One line says which."""


@dataclass(frozen=True)
class Embedded:
    """A row of unit length for each text, in the order of the texts, and how many tokens were read for them."""

    vectors: Vectors
    tokens: int
