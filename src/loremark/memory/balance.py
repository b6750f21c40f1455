"""Sums of signs that come by and by: whether a sum can still reach zero, whatever the rest of the signs will be."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from loremark.memory.signs import STAGES
from loremark.memory.weights import CONTRADICTS, SAME

# Every sign is between 0 and 1 but for these.
_MOST = {"shared names": 2.0, "shared values": 2.0}
# What rounding may do to a sum.
_SLACK = 1e-9


def rests_of(weights: Mapping[str, float]) -> tuple[float, ...]:
    """How much the stages from each on can add at most."""
    best = [sum(max(0.0, weights.get(name, 0.0)) * _MOST.get(name, 1.0) for name in names) for names in STAGES]
    return tuple(reversed(list(accumulate(reversed(best), initial=0.0))))


_REST_SAME, _REST_CONTRADICTS = rests_of(SAME), rests_of(CONTRADICTS)


class Balance:
    """The sum so far; it starts where the weights start it."""

    __slots__ = ("_rests", "_stage", "_sum", "_weights")

    def __init__(self, weights: Mapping[str, float], rests: tuple[float, ...]) -> None:
        self._weights = weights
        self._rests = rests
        self._stage = 0
        self._sum = weights[""]

    @classmethod
    def of_same(cls) -> Balance:
        return cls(SAME, _REST_SAME)

    @classmethod
    def of_contradiction(cls) -> Balance:
        return cls(CONTRADICTS, _REST_CONTRADICTS)

    def add(self, signs: Mapping[str, float]) -> bool:
        """Take the signs of the next stage; False if the sum cannot reach zero any more."""
        for name, value in signs.items():
            if value and name in self._weights:
                self._sum += self._weights[name] * value
        self._stage += 1
        return self._sum + self._rests[self._stage] >= -_SLACK
