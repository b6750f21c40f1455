"""An export's lines in pieces that are sent one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from loremark.wire.transfer import CHUNK_BYTES, CHUNK_LINES, CHUNK_MOST_BYTES


class BadFile(Exception):
    """The file is not what it was taken for; the text is one line."""


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, each with its end; one that is longer than any line of an export is refused."""
    number = 0
    while line := file.readline(CHUNK_MOST_BYTES + 1):
        number += 1
        if len(line) > CHUNK_MOST_BYTES:
            raise BadFile(f"line {number} is too long for an export")
        yield line


def chunks(lines: Iterable[bytes], most_bytes: int = CHUNK_BYTES) -> Iterator[tuple[int, bytes]]:
    """Whole lines that fit into one call, each piece with the number of lines before it."""
    waiting: list[bytes] = []
    size = before = 0
    for line in lines:
        if waiting and (size + len(line) > most_bytes or len(waiting) >= CHUNK_LINES):
            yield before, b"".join(waiting)
            before += len(waiting)
            waiting, size = [], 0
        waiting.append(line)
        size += len(line)
    if waiting:
        yield before, b"".join(waiting)
