"""Items that say several things, part by part: who makes one of two must not lose what only one of them tells."""

from __future__ import annotations

import re
from functools import lru_cache

from loremark.memory.reading import READ_CHARS, read

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SEVERAL = 3
_FEWEST_WORDS = 3
_TOLD = 0.5


def tell_other_things(title: str, content: str, other_title: str, other_content: str) -> bool:
    """Whether one says several things, most of which the other does not tell, nor it most of what the other says."""
    mine, others = parts_of(content), parts_of(other_content)
    if max(len(mine), len(others)) < _SEVERAL:
        return False
    return not _is_told(mine, other_title, other_content) and not _is_told(others, title, content)


def sentences_of(content: str) -> list[str]:
    """Its sentences, and the lines of its lists."""
    return _SENTENCE.split(content.strip())


@lru_cache(maxsize=4096)
def parts_of(content: str) -> tuple[frozenset[str], ...]:
    """The words of each sentence and line that says something."""
    sentences = sentences_of(content[:READ_CHARS])
    return tuple(words for sentence in sentences if len(words := read(sentence).words) >= _FEWEST_WORDS)


def _is_told(parts: tuple[frozenset[str], ...], title: str, content: str) -> bool:
    words = read(content, title).words
    told = sum(len(part & words) >= len(part) * _TOLD for part in parts)
    return told * 2 >= len(parts)
