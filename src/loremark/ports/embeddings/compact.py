"""Vectors for the shelf: a byte for each dimension and one scale, a quarter of the size.

The scale (little-endian float32) is the one that gives the whole numbers unit length, so what is unpacked has
unit length again and a product of two is still their cosine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loremark.ports.embeddings.embedded import Vectors

_SCALE_BYTES = 4
_LARGEST = 127


def pack(vectors: Vectors) -> list[bytes]:
    """Each row, of unit length, as 4 bytes and one for each dimension."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=np.finfo(np.float32).tiny)
    whole = np.rint(vectors / largest * _LARGEST).astype(np.int8)
    lengths = np.linalg.norm(whole.astype(np.float32), axis=1)
    scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0).astype("<f4")
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, whole, strict=True)]


def unpack(packed: Sequence[bytes]) -> Vectors:
    """The rows that were packed, all of one model: of the same number of dimensions."""
    if not packed:
        return np.empty((0, 0), dtype=np.float32)
    if len({len(row) for row in packed}) > 1:
        raise ValueError("vectors of different models cannot be unpacked together")
    table = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), -1)
    scales = np.ascontiguousarray(table[:, :_SCALE_BYTES]).view("<f4")
    unpacked: Vectors = table[:, _SCALE_BYTES:].view(np.int8).astype(np.float32) * scales.astype(np.float32)
    return unpacked
