"""How many tokens a text has: counted by the o200k vocabulary, near enough for models with another one."""

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
    """The vocabulary takes 60 MB and a moment to load: only who counts pays for it."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                from splintr import Tokenizer

                _loaded = Tokenizer.from_pretrained("o200k_base")
    return _loaded


def count(text: str) -> int:
    """The number of tokens; of a text beyond a million characters, an estimate from pieces spread all over it."""
    chunks = -(-len(text) // _CHUNK_CHARACTERS)
    if chunks <= _MOST_CHUNKS:
        return sum(_count(text[start : start + _CHUNK_CHARACTERS]) for start in range(0, len(text), _CHUNK_CHARACTERS))
    stride = (len(text) - _CHUNK_CHARACTERS) / (_MOST_CHUNKS - 1)
    sample = sum(
        _count(text[int(number * stride) : int(number * stride) + _CHUNK_CHARACTERS]) for number in range(_MOST_CHUNKS)
    )
    return round(sample * len(text) / (_MOST_CHUNKS * _CHUNK_CHARACTERS))


def _count(text: str) -> int:
    # What looks like a special token in somebody's text is just text. A lone surrogate has no bytes of its own.
    return len(_tokenizer().encode_ordinary(text.encode("utf-8", "replace").decode()))
