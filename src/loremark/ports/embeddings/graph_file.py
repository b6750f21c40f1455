"""The model's file in the cache: written whole or not at all, and able to say whether it still is.

It ends with its own SHA-256 as the model's description, so it is an ordinary ONNX file: onnxruntime reads it from
the disk, without a copy of it in memory.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from loremark.ports.embeddings.onnx_file import describe

_READ_AT_ONCE_BYTES = 1 << 20


def is_whole(path: Path) -> bool:
    """Whether the file is there as it was written."""
    try:
        with path.open("rb") as file:
            left = os.fstat(file.fileno()).st_size - len(_seal(hashlib.sha256()))
            digest = hashlib.sha256()
            while left > 0:
                block = file.read(min(left, _READ_AT_ONCE_BYTES))
                digest.update(block)
                left -= len(block)
            return file.read() == _seal(digest)
    except OSError:
        return False


def keep(path: Path, graph: bytes) -> bool:
    """Write the file; whether it could be. A disk that takes none costs a second at the next start, no more."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, graph)
    except OSError:
        return False
    return True


def _write(path: Path, graph: bytes) -> None:
    number, temporary = tempfile.mkstemp(prefix=".unfinished-", dir=path.parent)
    try:
        with open(number, "wb") as file:
            file.write(graph)
            file.write(_seal(hashlib.sha256(graph)))
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _seal(digest: hashlib._Hash) -> bytes:
    return describe(digest.hexdigest())
