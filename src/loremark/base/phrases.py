"""Phrases of a text as hashes, to tell without sending it whether another text says the same. The hook imports it."""

from __future__ import annotations

import re
from zlib import crc32

_WORD = re.compile(r"[^\W_]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LENGTH = 4
MAX_PHRASES = 20_000


def without_comments(text: str) -> str:
    """Remove HTML comments, which agents may not see. An unclosed one extends to the end of the text."""
    return _COMMENT.sub("\n", text)


def phrase_hashes(text: str) -> set[int]:
    """Return a hash of each run of four words, ignoring case, punctuation and markup."""
    words = _WORD.findall(text.lower())
    if len(words) < _LENGTH:
        return {crc32(" ".join(words).encode())} if words else set()
    runs = zip(*(words[start:] for start in range(_LENGTH)), strict=False)
    return {crc32(" ".join(run).encode()) for _, run in zip(range(MAX_PHRASES), runs, strict=False)}
