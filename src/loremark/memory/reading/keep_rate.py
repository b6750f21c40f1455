"""How often reviewers keep what a model wrote: the confidence of its items."""

from __future__ import annotations

PRIOR = 0.8
"""Before anybody reviewed items of this model and prompt in the project. Served as unreviewed, never approved alone."""
_PRIOR_WEIGHT = 20
_SURENESS_SHARE = 0.3
_MOST = 0.95
_MOST_CLAIMED = 0.89
"""For a model whose name only its sender vouches for: below the default threshold for automatic approval."""


def confidence(approved: int, rejected: int, sureness: float, *, is_claimed: bool = False) -> float:
    """The expected keep rate of an item, lower if the model itself is less sure of it.

    ``is_claimed``: a developer's agent answered and named its model, so the rate may be another model's.
    """
    rate = (PRIOR * _PRIOR_WEIGHT + approved) / (_PRIOR_WEIGHT + approved + rejected)
    most = _MOST_CLAIMED if is_claimed else _MOST
    return round(min(most, rate * (1 - _SURENESS_SHARE + _SURENESS_SHARE * sureness)), 4)
