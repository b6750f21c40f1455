"""How often reviewers keep what a model wrote: the confidence of its items."""

from __future__ import annotations

PRIOR = 0.8
"""Before anybody reviewed items of this model and prompt in the project. Served as unreviewed, never approved alone."""
_PRIOR_WEIGHT = 20
_SURENESS_SHARE = 0.3
_MOST = 0.95


def confidence(approved: int, rejected: int, sureness: float) -> float:
    """The expected keep rate of an item, lower if the model itself is less sure of it."""
    rate = (PRIOR * _PRIOR_WEIGHT + approved) / (_PRIOR_WEIGHT + approved + rejected)
    return round(min(_MOST, rate * (1 - _SURENESS_SHARE + _SURENESS_SHARE * sureness)), 4)
