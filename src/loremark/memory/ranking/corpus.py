"""The items of a project, indexed for ranking. A change is cheap and gives the same scores as a fresh build.

Items are stored in segments, largest first. A change appends a small segment and marks replaced rows as dead. Segments
are merged as they grow, so there are few, and large ones are rarely rewritten.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.entry import Entry
from loremark.memory.ranking.layout import Layout, lay_out
from loremark.memory.ranking.segment import (
    GRID,
    MAX_ROWS,
    Columns,
    Segment,
    build_columns,
    build_segment,
    merge_segments,
)

_FEW = 64
"""Up to this many changes are inserted one by one; for more, everything is sorted again."""

_GROWTH = 4
"""A segment is merged into the previous one unless that is at least this many times larger."""


class Corpus:
    """Immutable: ``changed`` returns a new corpus that shares the large arrays."""

    __slots__ = ("_columns", "codes", "layout", "segments")

    def __init__(
        self, segments: tuple[Segment, ...], columns: Columns, order: NDArray[np.int32], codes: dict[str, int]
    ) -> None:
        self.segments = segments
        self.codes = codes
        self._columns = columns
        self.layout: Layout = lay_out(order, columns, segments)

    @classmethod
    def build(cls, entries: Sequence[Entry], vectors: NDArray[np.float32]) -> Corpus:
        """Row i of the vectors belongs to entry i; a row of zeros means that there is no vector yet.

        Raises ``TermsFormatError`` for entries whose terms were packed by another version or are incomplete.
        """
        entries, vectors = _each_once(entries, vectors)
        codes: dict[str, int] = {}
        segment, columns = build_segment(entries, vectors), build_columns(entries, codes)
        return cls((segment,), columns, _sorted_rows((segment,), np.arange(len(entries), dtype=np.int32)), codes)

    @property
    def width(self) -> int:
        """The length of its vectors; 0 if there are none. Added vectors must have the same length."""
        return int(self.segments[0].vectors.shape[1])

    def changed(self, entries: Sequence[Entry], vectors: NDArray[np.float32], gone: Collection[str]) -> Corpus:
        """Return a corpus with these entries added or replaced and the others removed.

        It ranks exactly like a fresh build. An id that is both removed and added is kept.
        """
        entries, vectors = _each_once(entries, vectors)
        left = self._rows_of({*gone, *(entry.item_id for entry in entries)})
        first = sum(len(segment) for segment in self.segments)
        if first + len(entries) >= MAX_ROWS:
            raise ValueError("too many items for one corpus")
        codes = dict(self.codes)
        order = np.delete(self.layout.order, self.layout.place[left]) if left else self.layout.order
        segments, columns = self.segments, self._columns
        if entries:
            segments = (*segments, build_segment(entries, vectors))
            added = build_columns(entries, codes)
            columns = {name: np.concatenate((column, added[name])) for name, column in columns.items()}
            order = _order_with(segments, order, range(first, first + len(entries)))
        return _compacted(segments, columns, order, codes)

    def _rows_of(self, item_ids: Collection[str]) -> list[int]:
        """The rows of those items that exist."""
        found: list[int] = []
        base = 0
        for segment in self.segments:
            rows = (segment.row_of[item_id] + base for item_id in item_ids if item_id in segment.row_of)
            found += [row for row in rows if self.layout.place[row] >= 0]
            base += len(segment)
        return found

    def item_id(self, row: int) -> str:
        return _key(self.segments, row)[1]

    def session_id(self, row: int) -> str:
        """The session of an item; empty if it has none."""
        return _key(self.segments, row)[0]

    def find_row(self, item_id: str) -> int | None:
        """The row of a live item."""
        base = 0
        for segment in self.segments:
            row = segment.row_of.get(item_id)
            if row is not None and self.layout.place[row + base] >= 0:
                return row + base
            base += len(segment)
        return None

    def vector(self, row: int) -> NDArray[np.float32]:
        for segment in self.segments:
            if row < len(segment):
                return np.asarray(segment.vectors[row] / np.float32(GRID), dtype=np.float32)
            row -= len(segment)
        raise IndexError(row)

    def find_file(self, file: int) -> NDArray[np.int32]:
        """The positions of the live items with this path or folder."""
        found, base = [], 0
        for segment in self.segments:
            found.append(self.layout.place[segment.find_file(file) + base])
            base += len(segment)
        places = np.concatenate(found)
        return places[places >= 0]

    def __len__(self) -> int:
        return len(self.layout)

    @property
    def nbytes(self) -> int:
        """Approximate memory, most of it shared with the corpus it was derived from."""
        columns = sum(column.nbytes for column in self._columns.values())
        return sum(segment.nbytes for segment in self.segments) + self.layout.nbytes + columns


def _each_once(entries: Sequence[Entry], vectors: NDArray[np.float32]) -> tuple[Sequence[Entry], NDArray[np.float32]]:
    """For duplicate ids the last entry wins."""
    if len(entries) != len(vectors):
        raise ValueError("each entry needs one row of vectors")
    last = {entry.item_id: place for place, entry in enumerate(entries)}
    if len(last) == len(entries):
        return entries, vectors
    kept = sorted(last.values())
    return [entries[place] for place in kept], vectors[kept]


def _key(segments: tuple[Segment, ...], row: int) -> tuple[str, str]:
    """The sort key of a row: its session and its id, which is in creation order."""
    for segment in segments:
        if row < len(segment):
            return segment.keys[row]
        row -= len(segment)
    raise IndexError(row)


def _sorted_rows(segments: tuple[Segment, ...], rows: NDArray[np.int32]) -> NDArray[np.int32]:
    keys = [key for segment in segments for key in segment.keys]
    return np.array(sorted(rows.tolist(), key=keys.__getitem__), dtype=np.int32)


def _order_with(segments: tuple[Segment, ...], order: NDArray[np.int32], rows: range) -> NDArray[np.int32]:
    """The order with more rows inserted."""
    if len(rows) > _FEW:
        return _sorted_rows(segments, np.concatenate((order, np.array(rows, dtype=np.int32))))
    for row in rows:
        place = bisect_left(order, _key(segments, row), key=lambda other: _key(segments, int(other)))
        order = np.insert(order, place, row)
    return order


def _compacted(
    segments: tuple[Segment, ...], columns: Columns, order: NDArray[np.int32], codes: dict[str, int]
) -> Corpus:
    """Merge trailing segments of similar size and drop their dead rows."""
    sizes = [len(segment) for segment in segments]
    first = _first_to_merge(sizes, len(order))
    if first == len(sizes):
        return Corpus(segments, columns, order, codes)
    start = sum(sizes[:first])
    lives = np.zeros(sum(sizes) - start, dtype=np.bool_)
    moved = order >= start
    lives[order[moved] - start] = True
    merged = merge_segments(segments[first:], np.split(lives, np.cumsum(sizes[first:-1])))
    # Segments that are not merged keep their rows, including dead ones.
    numbers = np.cumsum(lives, dtype=np.int32) + np.int32(start - 1)
    order = order.copy()
    order[moved] = numbers[order[moved] - start]
    columns = {name: np.concatenate((column[:start], column[start:][lives])) for name, column in columns.items()}
    return Corpus((*segments[:first], merged), columns, order, codes)


def _first_to_merge(sizes: Sequence[int], living: int) -> int:
    """The first segment to merge; the number of segments if none is merged."""
    if sum(sizes) - living > max(256, sum(sizes) // 4):
        return 0
    first, size = len(sizes), 0
    for place in range(len(sizes) - 1, 0, -1):
        size += sizes[place]
        if sizes[place - 1] < _GROWTH * size:
            first = place - 1
    return first
