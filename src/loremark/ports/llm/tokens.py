"""Counts tokens with the o200k vocabulary, a good approximation for other models."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_CHUNK_CHARACTERS = 64_000
_MOST_CHUNKS = 16

_loading = threading.Lock()
_loaded: AnyTokenizer | None = None


def _tokenizer() -> AnyTokenizer:
    """Load on first use, because the vocabulary takes 60 MB."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                from splintr import Tokenizer

                _loaded = Tokenizer.from_pretrained("o200k_base")
    return _loaded


def count(text: str) -> int:
    """Return the number of tokens. Beyond a million characters it is estimated from samples."""
    chunks = -(-len(text) // _CHUNK_CHARACTERS)
    if chunks <= _MOST_CHUNKS:
        return sum(_count(text[start : start + _CHUNK_CHARACTERS]) for start in range(0, len(text), _CHUNK_CHARACTERS))
    stride = (len(text) - _CHUNK_CHARACTERS) / (_MOST_CHUNKS - 1)
    sample = sum(
        _count(text[int(number * stride) : int(number * stride) + _CHUNK_CHARACTERS]) for number in range(_MOST_CHUNKS)
    )
    return round(sample * len(text) / (_MOST_CHUNKS * _CHUNK_CHARACTERS))


def _count(text: str) -> int:
    # Special tokens in user text are plain text. Lone surrogates cannot be encoded.
    return len(_tokenizer().encode_ordinary(text.encode("utf-8", "replace").decode()))
