"""What the index keeps of an item: enough to rank it, compactly."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cairn.memory.ranking.terms import heading_words, read_text

FORMAT = 3
"""The first byte of packed terms. Counted up when terms are made otherwise: older ones have to be packed anew."""

ASKS = 1
TELLS_TIME = 2
IN_HEADING = 128
"""Added to a word's count where the word stands in the item's title or first sentence; counts stay below it."""

_HEAD = struct.Struct("<BBHHHHI")
_MOST = 65_535
_DEEPEST = 12


def is_current(packed: bytes) -> bool:
    """Whether terms were packed by this version."""
    return packed[:1] == bytes((FORMAT,))


class OtherFormatError(ValueError):
    """Terms that another version has packed: pack the item's terms anew."""


@dataclass(frozen=True, slots=True)
class Entry:
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
    """The terms as arrays: how often each stands in the item (see ``IN_HEADING``), and its files and folders."""

    terms: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    files: NDArray[np.uint64]


class Head(NamedTuple):
    """What an item is like: how many words, in its heading as well, how many terms and files, who speaks."""

    version: int
    flags: int
    length: int
    heading: int
    terms: int
    files: int
    speaker: int


def pack_terms(title: str, content: str, schema_key: str, files: Sequence[str], tags: Sequence[str]) -> bytes:
    """All that an item is found by, besides its vector. A title that the content begins with is read once."""
    said = content if content.lstrip().startswith(title.strip()) else f"{title}\n{content}"
    read = read_text(said, "\n".join((schema_key, *files, *tags)))
    heading = heading_words(title, content)
    terms = sorted(read.counts)[:_MOST]
    paths = sorted(file_hashes(files))[:_MOST]
    flags = ASKS * read.asks | TELLS_TIME * read.tells_time
    return b"".join(
        (
            _HEAD.pack(
                FORMAT, flags, min(read.length, _MOST), min(len(heading), _MOST), len(terms), len(paths), read.speaker
            ),
            np.array(terms, dtype="<u4").tobytes(),
            bytes(min(read.counts[term], IN_HEADING - 1) + IN_HEADING * (term in heading) for term in terms),
            np.array(paths, dtype="<u8").tobytes(),
        )
    )


def read_head(packed: bytes) -> Head:
    if len(packed) < _HEAD.size or packed[0] != FORMAT:
        raise OtherFormatError("terms were packed by another version")
    return Head._make(_HEAD.unpack_from(packed))


def unpack_terms(packed: bytes) -> Unpacked:
    head = read_head(packed)
    counted = _HEAD.size + 4 * head.terms
    return Unpacked(
        np.frombuffer(packed, "<u4", head.terms, _HEAD.size),
        np.frombuffer(packed, np.uint8, head.terms, counted),
        np.frombuffer(packed, "<u8", head.files, counted + head.terms),
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
