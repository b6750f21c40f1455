"""Weighted sums that stop early once no remaining feature can lift them to the threshold."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from loremark.memory.pair_features import FEATURE_STAGES
from loremark.memory.pair_weights import CONTRADICTS, SAME

# All other features are between 0 and 1.
_MAX_VALUE = {"shared_names": 2.0, "shared_values": 2.0}
# Tolerance for rounding errors.
_TOLERANCE = 1e-9


def max_remaining(weights: Mapping[str, float]) -> tuple[float, ...]:
    """The most that the stages from each index on can still add."""
    best = [
        sum(max(0.0, weights.get(name, 0.0)) * _MAX_VALUE.get(name, 1.0) for name in names) for names in FEATURE_STAGES
    ]
    return tuple(reversed(list(accumulate(reversed(best), initial=0.0))))


_MAX_REMAINING_SAME, _MAX_REMAINING_CONTRADICTS = max_remaining(SAME), max_remaining(CONTRADICTS)


class PartialScore:
    """The weighted sum of the feature stages seen so far, starting at the intercept."""

    __slots__ = ("_max_remaining", "_stage", "_sum", "_weights")

    def __init__(self, weights: Mapping[str, float], max_remaining: tuple[float, ...]) -> None:
        self._weights = weights
        self._max_remaining = max_remaining
        self._stage = 0
        self._sum = weights[""]

    @classmethod
    def for_same(cls) -> PartialScore:
        return cls(SAME, _MAX_REMAINING_SAME)

    @classmethod
    def for_contradiction(cls) -> PartialScore:
        return cls(CONTRADICTS, _MAX_REMAINING_CONTRADICTS)

    def add(self, features: Mapping[str, float]) -> bool:
        """Add the next stage; False once the sum can no longer reach zero."""
        for name, value in features.items():
            if value and name in self._weights:
                self._sum += self._weights[name] * value
        self._stage += 1
        return self._sum + self._max_remaining[self._stage] >= -_TOLERANCE
