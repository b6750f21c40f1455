"""What the index keeps of an item: enough to rank it, compactly."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.terms import read_text

FORMAT = 4
"""The first byte of packed terms. Counted up when terms are made otherwise: older ones have to be packed anew."""

ASKS = 1
TELLS_TIME = 2

_HEAD = struct.Struct("<BBHHHI")
_MOST = 65_535
_MOST_COUNT = 255
_DEEPEST = 12


def is_current(packed: bytes) -> bool:
    """Whether terms were packed by this version, and are whole."""
    return _is_ours(packed) and len(packed) == _size(read_head(packed))


class OtherFormatError(ValueError):
    """Terms that another version has packed, or that are not whole: pack the item's terms anew."""


class Entry(NamedTuple):
    """An item as the ranking sees it. ``terms`` come from ``pack_terms``. Ids are in the order of time."""

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
    """Of many items one after the other, and how many each has: terms, how often each stands there, files, folders."""

    terms: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    files: NDArray[np.uint64]
    terms_each: list[int]
    files_each: list[int]


class Head(NamedTuple):
    """What an item is like: how many words, terms and files, who speaks."""

    version: int
    flags: int
    length: int
    terms: int
    files: int
    speaker: int


def pack_terms(title: str, content: str, schema_key: str, files: Sequence[str], tags: Sequence[str]) -> bytes:
    """All that an item is found by, besides its vector. A title that the content begins with is read once."""
    said = content if content.lstrip().startswith(title.strip()) else f"{title}\n{content}"
    read = read_text(said, "\n".join((schema_key, *files, *tags)))
    terms = sorted(read.counts)[:_MOST]
    paths = sorted(file_hashes(files))[:_MOST]
    flags = ASKS * read.asks | TELLS_TIME * read.tells_time
    return b"".join(
        (
            _HEAD.pack(FORMAT, flags, min(read.length, _MOST), len(terms), len(paths), read.speaker),
            np.array(terms, dtype="<u4").tobytes(),
            bytes(min(read.counts[term], _MOST_COUNT) for term in terms),
            np.array(paths, dtype="<u8").tobytes(),
        )
    )


def _is_ours(packed: bytes) -> bool:
    return len(packed) >= _HEAD.size and packed[0] == FORMAT


def read_head(packed: bytes) -> Head:
    if not _is_ours(packed):
        raise OtherFormatError("terms were packed by another version")
    return Head._make(_HEAD.unpack_from(packed))


def _size(head: Head) -> int:
    return _HEAD.size + 5 * head.terms + 8 * head.files


def unpack_terms(packed: Sequence[bytes]) -> Unpacked:
    """All at once: an array for each item would take longer to make than everything else."""
    terms, counts, files, terms_each, files_each = [], [], [], [], []
    for each in packed:
        head = read_head(each)
        counted = _HEAD.size + 4 * head.terms
        filed = counted + head.terms
        if len(each) != _size(head):
            raise OtherFormatError("terms are not as long as they say")
        terms.append(each[_HEAD.size : counted])
        counts.append(each[counted:filed])
        files.append(each[filed:])
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
    """Each path and each folder above it (with a slash at its end)."""
    found: set[int] = set()
    for file in files:
        found.add(path_hash(file))
        found.update(path_hash(folder) for folder in folders_of(file))
    return found


def folders_of(file: str) -> list[str]:
    """The folders above a file, the nearest first, each with a slash at its end."""
    parts = file.split("/")
    return ["/".join(parts[:depth]) + "/" for depth in range(min(len(parts) - 1, _DEEPEST), 0, -1)]


def path_hash(path: str) -> int:
    """Sixty-four bits of a path: few enough to keep, too many to meet by chance."""
    return int.from_bytes(blake2b(path.encode("utf-8", "replace"), digest_size=8).digest(), "little")
