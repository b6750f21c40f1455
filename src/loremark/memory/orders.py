"""Who comes before whom, calls whom or depends on whom, told by two texts: the same way round, or the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loremark.memory.reading import Clause, Reading


@dataclass(frozen=True, slots=True)
class ToldOrder:
    """Two clauses of one relation, and how many words stand on the same side in both, and on the other."""

    mine: Clause
    other: Clause
    relation: str
    straight: int
    crossed: int

    @property
    def is_turned(self) -> bool:
        return self.crossed > self.straight


def orders(a: Reading, b: Reading) -> Iterator[ToldOrder]:
    """Every pair of clauses that tell of one relation; what is told of the past has no order to compare."""
    for mine in a.clauses:
        for other in b.clauses:
            if mine.relation is None or other.relation is None or mine.relation[0] != other.relation[0]:
                continue
            if mine.past or other.past:
                continue
            verb, left, right = mine.relation
            _, other_left, other_right = other.relation
            straight = _both(left & other_left, right & other_right)
            yield ToldOrder(mine, other, verb, straight, _both(left & other_right, right & other_left))


def orders_agree(a: Reading, b: Reading) -> bool:
    """Both tell what comes before what, and it is the same way round."""
    told = list(orders(a, b))
    return not any(each.is_turned for each in told) and any(
        each.relation == "before" and each.straight > each.crossed for each in told
    )


def _both(one: frozenset[str], other: frozenset[str]) -> int:
    """Nothing is known of an order if one of its sides is bare."""
    return len(one) + len(other) if one and other else 0
