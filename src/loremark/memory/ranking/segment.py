"""An immutable, sorted run of items: their vectors, and the postings of each term and file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.entry import Entry, read_header, unpack_terms

GRID = 4096
"""Vector components are rounded to this many steps between 0 and 1. Then the dot product of two unit vectors and every
partial sum is an integer below 2^24, which float32 represents exactly: a score does not depend on the memory layout,
the machine or the number of threads."""

Columns = dict[str, NDArray[Any]]
"""The columns that items are filtered and weighted by: see ``build_columns``."""

NO_CODE = -1
"""The code for no branch or no session."""

_ROW_BITS = 24
_COUNT_BITS = 8
_ROW = np.uint64((1 << _ROW_BITS) - 1)
_COUNT = np.uint64((1 << _COUNT_BITS) - 1)
MAX_ROWS = 1 << _ROW_BITS
_KEY_BYTES = 320
"""Approximate size of an id, its session and their positions."""


Rows = NDArray[np.int64]


class Postings(NamedTuple):
    """The rows that contain a term, and how often."""

    rows: Rows
    counts: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Segment:
    """``postings``: term, row and count packed into one number each, sorted. Rows are relative to the segment.

    ``keys``: session and id of each row. ``row_of``: the row of an id.
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

    def find(self, terms: NDArray[np.uint64]) -> list[Postings]:
        """The postings of each term."""
        starts = np.searchsorted(self.postings, terms << np.uint64(32))
        ends = np.searchsorted(self.postings, (terms + np.uint64(1)) << np.uint64(32))
        found = []
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            part = self.postings[start:end]
            rows = ((part >> np.uint64(_COUNT_BITS)) & _ROW).astype(np.int64)
            found.append(Postings(rows, (part & _COUNT).astype(np.float32)))
        return found

    def find_file(self, file: int) -> Rows:
        key = np.uint64(file)
        start, end = np.searchsorted(self.files, key), np.searchsorted(self.files, key, side="right")
        return self.file_rows[start:end].astype(np.int64)


def build_segment(items: Sequence[Entry], vectors: NDArray[np.float32]) -> Segment:
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
    """Merge the live rows of all segments in order."""
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


def build_columns(entries: Sequence[Entry], codes: dict[str, int]) -> Columns:
    """The columns to filter and weight by. New words are added to the codes."""

    def coded(words: Iterable[str | None]) -> NDArray[np.int32]:
        numbers = [NO_CODE if word is None else codes.setdefault(word, len(codes)) for word in words]
        return np.array(numbers, dtype=np.int32)

    heads = [read_header(entry.terms) for entry in entries]
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
