"""Finds cycles in a graph without recursion."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping

_MAX_STEPS = 200_000
_LONGEST = 12


def shortest_cycles(steps: Mapping[str, Collection[str]], most: int) -> list[tuple[str, ...]]:
    """One shortest cycle per strongly connected component, the largest components first."""
    knots = sorted((knot for knot in _knots(steps) if len(knot) > 1), key=lambda knot: (-len(knot), min(knot)))
    found: list[tuple[str, ...]] = []
    budget = _MAX_STEPS
    for knot in knots[: max(0, most)]:
        members = frozenset(knot)
        ordered = {node: sorted(steps[node]) for node in knot}
        busiest = max(sorted(knot), key=lambda node: len(members.intersection(ordered[node])))
        circle, used = _shortest(busiest, ordered, members, budget)
        budget -= used
        if circle:
            found.append(circle)
    return found


def _knots(steps: Mapping[str, Collection[str]]) -> Iterator[list[str]]:
    """Tarjan's strongly connected components with an explicit stack, ignoring nodes without edges."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_path: set[str] = set()
    path: list[str] = []
    for root in steps:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(steps[root]))]
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target in on_path:
                    low[node] = min(low[node], index[target])
                elif target not in index and target in steps:
                    index[target] = low[target] = len(index)
                    path.append(target)
                    on_path.add(target)
                    work.append((target, iter(steps[target])))
                    break
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    knot = [path.pop()]
                    while knot[-1] != node:
                        knot.append(path.pop())
                    on_path.difference_update(knot)
                    yield knot


def _shortest(
    start: str, steps: Mapping[str, list[str]], members: frozenset[str], budget: int
) -> tuple[tuple[str, ...], int]:
    """The shortest path from a node back to itself, and the number of steps it took to find."""
    before: dict[str, str] = {}
    queue = deque((start,))
    used = 0
    while queue and used < budget:
        node = queue.popleft()
        for target in steps[node]:
            used += 1
            if target == start:
                way = [node]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return tuple(reversed(way))[:_LONGEST], used
            if target in members and target not in before:
                before[target] = node
                queue.append(target)
    return (), used
