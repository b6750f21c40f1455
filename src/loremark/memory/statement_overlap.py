"""Compares items that make several statements: merging them must not lose what only one of them says."""

from __future__ import annotations

import re
from functools import lru_cache

from loremark.memory.text_parser import MAX_PARSED_CHARS, parse_text

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_MIN_STATEMENTS = 3
_MIN_WORDS = 3
_MIN_COVERAGE = 0.5


def cover_different_statements(title: str, content: str, other_title: str, other_content: str) -> bool:
    """Whether one makes several statements and neither text covers most of the other's."""
    mine, others = statement_words(content), statement_words(other_content)
    if max(len(mine), len(others)) < _MIN_STATEMENTS:
        return False
    return not _is_covered(mine, other_title, other_content) and not _is_covered(others, title, content)


def split_statements(content: str) -> list[str]:
    """Split content into sentences and list lines."""
    return _SENTENCE.split(content.strip())


@lru_cache(maxsize=4096)
def statement_words(content: str) -> tuple[frozenset[str], ...]:
    """The words of each statement that is long enough to compare."""
    sentences = split_statements(content[:MAX_PARSED_CHARS])
    return tuple(words for sentence in sentences if len(words := parse_text(sentence).words) >= _MIN_WORDS)


def _is_covered(parts: tuple[frozenset[str], ...], title: str, content: str) -> bool:
    words = parse_text(content, title).words
    covered = sum(len(part & words) >= len(part) * _MIN_COVERAGE for part in parts)
    return covered * 2 >= len(parts)
