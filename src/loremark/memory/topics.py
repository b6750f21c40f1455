"""Decides whether two texts are about the same thing, by their subjects, titles and names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.text_parser import ParsedText
from loremark.wire.items import SECTION_SEPARATOR

_PARALLEL_WORDS = 2
_FILE_NAME = re.compile(r"[^\W_]+(?:_[^\W_]+)+")


def subjects_differ(a: ParsedText, b: ParsedText) -> bool:
    """Whether each is about something that the other does not mention at all."""
    return all((mine.subject | (mine.body & set(mine.title))) - other.words for mine, other in ((a, b), (b, a)))


def titles_are_parallel(a: ParsedText, b: ParsedText) -> bool:
    """Titles of the same pattern about two things: users table and customers table."""
    mine, other = list(a.title), list(b.title)
    for end in (-1, 0):
        while mine and other and mine[end] == other[end]:
            del mine[end], other[end]
    return len(mine) < len(a.title) and all(
        set(words) & reading.body and len(words) <= _PARALLEL_WORDS and not set(words) & unaware.words
        for words, reading, unaware in ((mine, a, b), (other, b, a))
    )


def are_sibling_sections(title: str, other: str) -> bool:
    """Whether both come from different sections of one document, which does not contradict itself."""
    mine, others = title.casefold().split(SECTION_SEPARATOR), other.casefold().split(SECTION_SEPARATOR)
    return len(mine) == len(others) > 1 and mine[:-1] == others[:-1] and mine[-1] != others[-1]


def name_different_identifiers(a: ParsedText, b: ParsedText) -> bool:
    """Both titles name an identifier, and neither text contains the other's."""
    return all(
        any(_is_identifier(name, mine.surface_forms) for name in mine.title_names)
        and not any(name in other.names or name in other.words for name in mine.title_names)
        for mine, other in ((a, b), (b, a))
    )


def find_file_names(title: str, files: Sequence[str]) -> list[str]:
    """The identifiers in a title that are part of a file's path."""
    return [name for name in _FILE_NAME.findall(title) if any(name in path.casefold() for path in files)]


def _is_identifier(name: str, said: dict[str, str]) -> bool:
    written = said.get(name, name)
    return "_" in written or "/" in written or any(letter.isdigit() for letter in written)
