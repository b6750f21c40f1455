"""Live items ordered by session, and statistics of that order that do not depend on the question.

Items of a session are adjacent in creation order. Whether neighbors are related is measured on their vectors; where
they are not, neighbors do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.segment import GRID, NO_CODE, Columns, Segment

Floats = NDArray[np.float32]

WINDOW = (5, 3, 2)
"""The weight of neighbors at distance one, two and three, in eighths of the item itself, so that sums are exact."""

EIGHTHS = 8

# BM25 saturation and length weight, of items and windows and of whole sessions.
SATURATION, LENGTH_WEIGHT = 0.5, 0.4
_WINDOW_SATURATION = 0.9
_SESSION_SATURATION, _SESSION_LENGTH_WEIGHT = 1.2, 0.75

_SAMPLE = 512
"""Positions at which neighbors are compared."""

_DOUBTED_PAIRS = 20
"""The number of pairs at which half of the measured agreement is believed."""

_MIN_AGREEMENT, _FULL_AGREEMENT = 0.2, 0.7
"""How much closer neighbors are than random items, in standard deviations: where it starts to count, and where it
counts fully."""

_SHORT, _LONG = 25, 45
"""Average words per item: items up to _SHORT need their neighbors as context, items from _LONG on do not."""


@dataclass(frozen=True, slots=True)
class Layout:
    """All arrays follow ``order``, one position per live item."""

    order: NDArray[np.int32]
    place: NDArray[np.int32]
    columns: Columns
    same: tuple[Floats, ...]
    around: Floats
    starts: NDArray[np.int64]
    session: NDArray[np.int64]
    damping: Floats
    window_damping: Floats
    session_damping: Floats
    trust: float

    def __len__(self) -> int:
        return len(self.order)

    @property
    def nbytes(self) -> int:
        arrays = [self.order, self.place, *self.columns.values(), *self.same, self.around, self.starts, self.session]
        return sum(array.nbytes for array in (*arrays, self.damping, self.window_damping, self.session_damping))


def lay_out(order: NDArray[np.int32], columns: Columns, segments: tuple[Segment, ...]) -> Layout:
    """``order``: the live rows by session and id. Columns are by row, including dead ones."""
    place = np.full(len(columns["session"]), NO_CODE, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    sorted_columns = {name: column[order] for name, column in columns.items()}
    sessions = sorted_columns["session"]
    first = np.ones(len(order), dtype=np.bool_)
    if len(order):
        first[1:] = (sessions[1:] != sessions[:-1]) | (sessions[1:] == NO_CODE)
    session = np.cumsum(first) - 1
    same = tuple(
        (session[distance:] == session[:-distance]).astype(np.float32) for distance in range(1, len(WINDOW) + 1)
    )
    lengths = sorted_columns["length"].astype(np.float32)
    starts = np.flatnonzero(first)
    in_sessions = np.add.reduceat(lengths, starts) if len(starts) else lengths
    mean = float(lengths.sum(dtype=np.float64)) / max(len(order), 1)
    return Layout(
        order,
        place,
        sorted_columns,
        same,
        _around(same, len(order)),
        starts,
        session,
        _damping(lengths, SATURATION, LENGTH_WEIGHT),
        _damping(window_sum(lengths, same), _WINDOW_SATURATION, LENGTH_WEIGHT),
        _damping(in_sessions, _SESSION_SATURATION, _SESSION_LENGTH_WEIGHT),
        _share(mean, _LONG, _SHORT) * _agreement(order, session, segments),
    )


def window_sum(values: Floats, same: tuple[Floats, ...]) -> Floats:
    """Each value plus its share of the surrounding values; the last axis is the order."""
    return values + neighbor_sum(values, same)


def neighbor_sum(values: Floats, same: tuple[Floats, ...]) -> Floats:
    """The weighted sum of the surrounding values at each position, never across sessions."""
    summed = np.zeros_like(values)
    for distance, (eighths, linked) in enumerate(zip(WINDOW, same, strict=True), start=1):
        weight = linked * np.float32(eighths / EIGHTHS)
        summed[..., distance:] += values[..., :-distance] * weight
        summed[..., :-distance] += values[..., distance:] * weight
    return summed


def _around(same: tuple[Floats, ...], count: int) -> Floats:
    """The total neighbor weight at each position; never zero, since it is a divisor."""
    return np.maximum(neighbor_sum(np.ones(count, dtype=np.float32), same), np.float32(1 / EIGHTHS))


def _damping(lengths: Floats, saturation: float, weight: float) -> Floats:
    """The BM25 denominator term: larger for longer texts. Sums of eighths are exact, and so is the mean."""
    mean = max(float(lengths.sum(dtype=np.float64)) / max(len(lengths), 1), 1.0)
    return np.asarray(saturation * (1 - weight + weight * lengths / np.float32(mean)), dtype=np.float32)


def _agreement(order: NDArray[np.int32], session: NDArray[np.int64], segments: tuple[Segment, ...]) -> float:
    """0 where items of a session are no closer to each other than to others, 1 where they clearly are."""
    count = len(order)
    if count < 3:
        return 0.0
    places = np.arange(0, count, max(1, count // _SAMPLE), dtype=np.int64)
    vectors = _vectors_at(order[places], segments)
    near = []
    for distance in (1, 2):
        others = np.minimum(places + distance, count - 1)
        linked = np.flatnonzero((session[others] == session[places]) & (others > places))
        near.append(_cosines(vectors[linked], _vectors_at(order[others[linked]], segments)))
    pairs = np.concatenate(near)
    strangers = _cosines(vectors, np.roll(vectors, len(places) // 2, axis=0))
    spread = float(strangers.std())
    if not len(pairs) or spread == 0.0:
        return 0.0
    belief = len(pairs) / (len(pairs) + _DOUBTED_PAIRS)
    return _share(belief * float(pairs.mean() - strangers.mean()) / spread, _MIN_AGREEMENT, _FULL_AGREEMENT)


def _cosines(some: Floats, others: Floats) -> NDArray[np.float64]:
    return np.asarray(np.einsum("ij,ij->i", some, others), dtype=np.float64) / GRID**2


def _vectors_at(rows: NDArray[np.int32], segments: tuple[Segment, ...]) -> Floats:
    vectors = np.empty((len(rows), segments[0].vectors.shape[1]), dtype=np.float32)
    base = 0
    for segment in segments:
        here = np.flatnonzero((rows >= base) & (rows < base + len(segment)))
        vectors[here] = segment.vectors[rows[here] - base]
        base += len(segment)
    return vectors


def _share(value: float, none: float, whole: float) -> float:
    return min(1.0, max(0.0, (value - none) / (whole - none)))
