"""Compares relations such as "before", "calls" and "depends on" between two texts: same direction, or reversed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loremark.memory.text_parser import Clause, ParsedText


@dataclass(frozen=True, slots=True)
class RelationComparison:
    """Two clauses with the same relation, and how many words are on the same and on opposite sides."""

    mine: Clause
    other: Clause
    relation: str
    same_direction: int
    opposite_direction: int

    @property
    def is_reversed(self) -> bool:
        return self.opposite_direction > self.same_direction


def compare_relations(a: ParsedText, b: ParsedText) -> Iterator[RelationComparison]:
    """Yield every pair of clauses with the same relation. Past-tense clauses are skipped."""
    for mine in a.clauses:
        for other in b.clauses:
            if mine.relation is None or other.relation is None or mine.relation[0] != other.relation[0]:
                continue
            if mine.past or other.past:
                continue
            verb, left, right = mine.relation
            _, other_left, other_right = other.relation
            straight = _count_if_both(left & other_left, right & other_right)
            yield RelationComparison(
                mine, other, verb, straight, _count_if_both(left & other_right, right & other_left)
            )


def relations_agree(a: ParsedText, b: ParsedText) -> bool:
    """Both say what comes before what, in the same direction."""
    comparisons = list(compare_relations(a, b))
    return not any(each.is_reversed for each in comparisons) and any(
        each.relation == "before" and each.same_direction > each.opposite_direction for each in comparisons
    )


def _count_if_both(one: frozenset[str], other: frozenset[str]) -> int:
    """An order is unknown if one of its sides is empty."""
    return len(one) + len(other) if one and other else 0
