"""The cached ONNX file: written atomically and verified by checksum.

The file ends with its SHA-256, stored as the model's description, so it remains a valid ONNX file that onnxruntime can
read from disk without a copy in memory.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from loremark.ports.embeddings.onnx_writer import describe

_READ_AT_ONCE_BYTES = 1 << 20


def is_intact(path: Path) -> bool:
    """Return whether the file exists and its checksum matches."""
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


def save(path: Path, graph: bytes) -> bool:
    """Write the file and return whether that worked. A failure only costs a second at the next start."""
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
