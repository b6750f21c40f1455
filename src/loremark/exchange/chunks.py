"""Split an export into chunks of lines for upload."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from loremark.wire.transfer import CHUNK_BYTES, CHUNK_LINES, MAX_CHUNK_BYTES

_LINE = re.compile(r"^line (\d{1,9})(?=: )")


class InvalidFileError(Exception):
    """The file can't be imported. The message is one line."""


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file with their newlines. Raises InvalidFileError if a line is too long for an export."""
    number = 0
    while line := file.readline(MAX_CHUNK_BYTES + 1):
        number += 1
        if len(line) > MAX_CHUNK_BYTES:
            raise InvalidFileError(f"line {number} is too long for an export")
        yield line


def number_in_file(message: str, lines_before: int) -> str:
    """Return the server's message about a chunk with the line's number in the file."""
    return _LINE.sub(lambda found: f"line {int(found[1]) + lines_before}", message)


def split_chunks(lines: Iterable[bytes], max_bytes: int = CHUNK_BYTES) -> Iterator[tuple[int, bytes]]:
    """Yield chunks of whole lines that fit into one request, each with the number of lines before it."""
    pending: list[bytes] = []
    size = lines_before = 0
    for line in lines:
        if pending and (size + len(line) > max_bytes or len(pending) >= CHUNK_LINES):
            yield lines_before, b"".join(pending)
            lines_before += len(pending)
            pending, size = [], 0
        pending.append(line)
        size += len(line)
    if pending:
        yield lines_before, b"".join(pending)
