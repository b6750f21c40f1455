"""A run of items, sorted once and never changed: their vectors, and where each term and each file stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.entry import Entry, read_head, unpack_terms

GRID = 4096
"""Steps between 0 and 1 that a vector's numbers are rounded to. The product of two unit vectors on this grid, and
every sum on the way to it, is a whole number under 2^24, so float32 adds it up without an error in whatever order: a
score does not hang on where an item lies in memory, on the machine or on the number of threads."""

Columns = dict[str, NDArray[Any]]
"""What items are filtered and weighed by, one array for each: see ``columns_of``."""

NOTHING = -1
"""The code of a branch or session that an item has not."""

_ROW_BITS = 24
_COUNT_BITS = 8
_ROW = np.uint64((1 << _ROW_BITS) - 1)
_COUNT = np.uint64((1 << _COUNT_BITS) - 1)
MOST_ROWS = 1 << _ROW_BITS
_KEY_BYTES = 320
"""What an id, its session and their places take, roughly."""


Rows = NDArray[np.int64]


class Standing(NamedTuple):
    """Where a term stands: the rows, and how often in each."""

    rows: Rows
    counts: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Segment:
    """``postings``: term, row and count in one number each, sorted. Rows count from the segment's own first one.

    ``keys``: session and id of each row; ``row_of``: the row of an id.
    """

    keys: tuple[tuple[str, str], ...]
    row_of: dict[str, int]
    vectors: NDArray[np.float32]
    postings: NDArray[np.uint64]
    files: NDArray[np.uint64]
    file_rows: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def nbytes(self) -> int:
        arrays = self.vectors.nbytes + self.postings.nbytes + self.files.nbytes + self.file_rows.nbytes
        return arrays + len(self.keys) * _KEY_BYTES

    def find(self, terms: NDArray[np.uint64]) -> list[Standing]:
        """Each term's rows."""
        starts = np.searchsorted(self.postings, terms << np.uint64(32))
        ends = np.searchsorted(self.postings, (terms + np.uint64(1)) << np.uint64(32))
        found = []
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            part = self.postings[start:end]
            rows = ((part >> np.uint64(_COUNT_BITS)) & _ROW).astype(np.int64)
            found.append(Standing(rows, (part & _COUNT).astype(np.float32)))
        return found

    def find_file(self, file: int) -> Rows:
        key = np.uint64(file)
        start, end = np.searchsorted(self.files, key), np.searchsorted(self.files, key, side="right")
        return self.file_rows[start:end].astype(np.int64)


def make_segment(items: Sequence[Entry], vectors: NDArray[np.float32]) -> Segment:
    """Row i of the vectors belongs to item i."""
    found = unpack_terms([item.terms for item in items])
    keys = tuple((item.session_id or "", item.item_id) for item in items)
    rows = np.arange(len(items), dtype=np.uint64)
    owners = np.repeat(rows, found.terms_each)
    postings = _packed(found.terms.astype(np.uint64), owners, found.counts.astype(np.uint64))
    file_owners = np.repeat(rows.astype(np.int32), found.files_each)
    on_grid = np.rint(np.asarray(vectors, dtype=np.float32) * np.float32(GRID))
    return _sorted(keys, on_grid, postings, found.files.astype(np.uint64), file_owners)


def merge_segments(segments: Sequence[Segment], alive: Sequence[NDArray[np.bool_]]) -> Segment:
    """The living rows of all, in their order, as one."""
    keys, vectors, postings, files, file_rows = [], [], [], [], []
    base = 0
    for segment, lives in zip(segments, alive, strict=True):
        numbers = np.cumsum(lives) - 1 + base
        base += int(np.count_nonzero(lives))
        keys += [key for key, is_alive in zip(segment.keys, lives.tolist(), strict=True) if is_alive]
        vectors.append(segment.vectors if lives.all() else segment.vectors[lives])
        rows = ((segment.postings >> np.uint64(_COUNT_BITS)) & _ROW).astype(np.int64)
        kept = lives[rows]
        left = segment.postings[kept]
        postings.append(_packed(left >> np.uint64(32), numbers[rows[kept]].astype(np.uint64), left & _COUNT))
        kept = lives[segment.file_rows]
        files.append(segment.files[kept])
        file_rows.append(numbers[segment.file_rows[kept]].astype(np.int32))
    return _sorted(
        tuple(keys), np.concatenate(vectors), np.concatenate(postings), np.concatenate(files), np.concatenate(file_rows)
    )


def columns_of(entries: Sequence[Entry], codes: dict[str, int]) -> Columns:
    """What is filtered and weighed by. New words are added to the codes."""

    def coded(words: Iterable[str | None]) -> NDArray[np.int32]:
        numbers = [NOTHING if word is None else codes.setdefault(word, len(codes)) for word in words]
        return np.array(numbers, dtype=np.int32)

    heads = [read_head(entry.terms) for entry in entries]
    return {
        "length": np.array([head.length for head in heads], dtype=np.int32),
        "flags": np.array([head.flags for head in heads], dtype=np.uint8),
        "speaker": np.array([head.speaker for head in heads], dtype=np.uint32),
        "status": coded(entry.status for entry in entries),
        "type": coded(entry.type for entry in entries),
        "branch": coded(entry.branch for entry in entries),
        "session": coded(entry.session_id for entry in entries),
        "created": np.array([entry.created_at_ms for entry in entries], dtype=np.int64),
    }


def _packed(terms: NDArray[np.uint64], rows: NDArray[np.uint64], counts: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (terms << np.uint64(32)) | (rows << np.uint64(_COUNT_BITS)) | counts


def _sorted(
    keys: tuple[tuple[str, str], ...],
    vectors: NDArray[np.float32],
    postings: NDArray[np.uint64],
    files: NDArray[np.uint64],
    file_rows: NDArray[np.int32],
) -> Segment:
    postings.sort()
    order = np.argsort(files, kind="stable")
    row_of = {item_id: row for row, (_, item_id) in enumerate(keys)}
    return Segment(keys, row_of, np.ascontiguousarray(vectors), postings, files[order], file_rows[order])
