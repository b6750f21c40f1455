"""Tells whether two texts are about one thing: by their subjects, by the pattern of their titles, by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.reading import Reading
from loremark.wire.items import SECTION_MARK

_PARALLEL_WORDS = 2
_FILE_NAME = re.compile(r"[^\W_]+(?:_[^\W_]+)+")


def subjects_differ(a: Reading, b: Reading) -> bool:
    """Whether each speaks of something that the other does not know at all."""
    return all((mine.subject | (mine.body & set(mine.title))) - other.words for mine, other in ((a, b), (b, a)))


def titles_are_parallel(a: Reading, b: Reading) -> bool:
    """Titles of one pattern over two things: users table and customers table, stale time and retry of queries."""
    mine, other = list(a.title), list(b.title)
    for end in (-1, 0):
        while mine and other and mine[end] == other[end]:
            del mine[end], other[end]
    return len(mine) < len(a.title) and all(
        set(words) & reading.body and len(words) <= _PARALLEL_WORDS and not set(words) & unaware.words
        for words, reading, unaware in ((mine, a, b), (other, b, a))
    )


def are_other_sections(title: str, other: str) -> bool:
    """Whether both were taken from one document, each from a section of its own: it does not contradict itself."""
    mine, others = title.casefold().split(SECTION_MARK), other.casefold().split(SECTION_MARK)
    return len(mine) == len(others) > 1 and mine[:-1] == others[:-1] and mine[-1] != others[-1]


def each_names_its_own(a: Reading, b: Reading) -> bool:
    """Both titles name something by an identifier, and neither text knows the other's."""
    return all(
        any(_is_identifier(name, mine.said) for name in mine.title_names)
        and not any(name in other.names or name in other.words for name in mine.title_names)
        for mine, other in ((a, b), (b, a))
    )


def file_names_in(title: str, files: Sequence[str]) -> list[str]:
    """The names in a title, such as prose does not have, that files are called by."""
    return [name for name in _FILE_NAME.findall(title) if any(name in path.casefold() for path in files)]


def _is_identifier(name: str, said: dict[str, str]) -> bool:
    written = said.get(name, name)
    return "_" in written or "/" in written or any(letter.isdigit() for letter in written)
