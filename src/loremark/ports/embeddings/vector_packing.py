"""Packs vectors for storage: one byte per dimension and a scale, a quarter of the size.

The scale (little-endian float32) gives the integers unit length, so the dot product of unpacked vectors is still their
cosine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loremark.ports.embeddings.embedding_result import Vectors

_SCALE_BYTES = 4
_LARGEST = 127


def pack(vectors: Vectors) -> list[bytes]:
    """Pack each unit-length row into 4 bytes plus one per dimension."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=np.finfo(np.float32).tiny)
    whole = np.rint(vectors / largest * _LARGEST).astype(np.int8)
    lengths = np.linalg.norm(whole.astype(np.float32), axis=1)
    scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0).astype("<f4")
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, whole, strict=True)]


def unpack(packed: Sequence[bytes]) -> Vectors:
    """Unpack rows of the same model."""
    if not packed:
        return np.empty((0, 0), dtype=np.float32)
    if len({len(row) for row in packed}) > 1:
        raise ValueError("vectors of different models cannot be unpacked together")
    table = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), -1)
    scales = np.ascontiguousarray(table[:, :_SCALE_BYTES]).view("<f4")
    unpacked: Vectors = table[:, _SCALE_BYTES:].view(np.int8).astype(np.float32) * scales.astype(np.float32)
    return unpacked
