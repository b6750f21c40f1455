"""Probabilities of the reader as log odds, which can be added to other scores."""

from __future__ import annotations

import math

_CERTAIN = 0.9995


def log_odds(probability: float) -> float:
    """Return the log odds; certainty is bounded, so that no single reading outweighs everything else."""
    bounded = min(max(probability, 1 - _CERTAIN), _CERTAIN)
    return math.log(bounded / (1 - bounded))
