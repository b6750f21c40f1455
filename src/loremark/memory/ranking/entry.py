"""Index entries: what the ranking stores of each item, in compact form."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.terms import read_text

FORMAT = 4
"""The first byte of packed terms. Increase it when the terms change: older entries are then packed again."""

ASKS = 1
TELLS_TIME = 2

_HEAD = struct.Struct("<BBHHHI")
_MAX_UINT16 = 65_535
_MAX_COUNT = 255
_DEEPEST = 12


def is_current(packed: bytes) -> bool:
    """Whether terms were packed by this version and are complete."""
    return _is_ours(packed) and len(packed) == _size(read_header(packed))


class TermsFormatError(ValueError):
    """Terms packed by another version, or incomplete: pack the item's terms again."""


class Entry(NamedTuple):
    """An item as the ranking sees it. ``terms`` come from ``pack_terms``. Ids are in creation order."""

    item_id: str
    status: str
    type: str
    schema_key: str
    session_id: str | None
    branch: str | None
    created_at_ms: int
    confidence: float
    terms: bytes


class Unpacked(NamedTuple):
    """The terms, counts and files of many items, concatenated, and how many each item has."""

    terms: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    files: NDArray[np.uint64]
    terms_each: list[int]
    files_each: list[int]


class TermsHeader(NamedTuple):
    """The numbers of words, terms and files of an item, its flags and its speaker."""

    version: int
    flags: int
    length: int
    terms: int
    files: int
    speaker: int


def pack_terms(title: str, content: str, schema_key: str, files: Sequence[str], tags: Sequence[str]) -> bytes:
    """Everything an item is found by except its vector. A title that the content starts with is counted once."""
    said = content if content.lstrip().startswith(title.strip()) else f"{title}\n{content}"
    read = read_text(said, "\n".join((schema_key, *files, *tags)))
    terms = sorted(read.counts)[:_MAX_UINT16]
    paths = sorted(file_hashes(files))[:_MAX_UINT16]
    flags = ASKS * read.asks | TELLS_TIME * read.tells_time
    return b"".join(
        (
            _HEAD.pack(FORMAT, flags, min(read.length, _MAX_UINT16), len(terms), len(paths), read.speaker),
            np.array(terms, dtype="<u4").tobytes(),
            bytes(min(read.counts[term], _MAX_COUNT) for term in terms),
            np.array(paths, dtype="<u8").tobytes(),
        )
    )


def _is_ours(packed: bytes) -> bool:
    return len(packed) >= _HEAD.size and packed[0] == FORMAT


def read_header(packed: bytes) -> TermsHeader:
    if not _is_ours(packed):
        raise TermsFormatError("terms were packed by another version")
    return TermsHeader._make(_HEAD.unpack_from(packed))


def _size(head: TermsHeader) -> int:
    return _HEAD.size + 5 * head.terms + 8 * head.files


def unpack_terms(packed: Sequence[bytes]) -> Unpacked:
    """Unpack many items together: one array per item would dominate the cost."""
    terms, counts, files, terms_each, files_each = [], [], [], [], []
    for each in packed:
        head = read_header(each)
        counted = _HEAD.size + 4 * head.terms
        files_at = counted + head.terms
        if len(each) != _size(head):
            raise TermsFormatError("terms are incomplete")
        terms.append(each[_HEAD.size : counted])
        counts.append(each[counted:files_at])
        files.append(each[files_at:])
        terms_each.append(head.terms)
        files_each.append(head.files)
    return Unpacked(
        np.frombuffer(b"".join(terms), "<u4"),
        np.frombuffer(b"".join(counts), np.uint8),
        np.frombuffer(b"".join(files), "<u8"),
        terms_each,
        files_each,
    )


def file_hashes(files: Iterable[str]) -> set[int]:
    """Hashes of each path and each folder above it (with a trailing slash)."""
    found: set[int] = set()
    for file in files:
        found.add(path_hash(file))
        found.update(path_hash(folder) for folder in folders_of(file))
    return found


def folders_of(file: str) -> list[str]:
    """The folders above a file, nearest first, with a trailing slash."""
    parts = file.split("/")
    return ["/".join(parts[:depth]) + "/" for depth in range(min(len(parts) - 1, _DEEPEST), 0, -1)]


def path_hash(path: str) -> int:
    """A 64-bit hash of a path, wide enough to avoid collisions."""
    return int.from_bytes(blake2b(path.encode("utf-8", "replace"), digest_size=8).digest(), "little")
