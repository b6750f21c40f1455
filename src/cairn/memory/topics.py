"""Tells whether two texts are about one thing: by their subjects, by the pattern of their titles, by their names."""

from __future__ import annotations

from cairn.memory.reading import Reading

_PARALLEL_WORDS = 2


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


def each_names_its_own(a: Reading, b: Reading) -> bool:
    """Both titles name something by an identifier, and neither text knows the other's."""
    return all(
        any(_is_identifier(name, mine.said) for name in mine.title_names)
        and not any(name in other.names or name in other.words for name in mine.title_names)
        for mine, other in ((a, b), (b, a))
    )


def _is_identifier(name: str, said: dict[str, str]) -> bool:
    return any(letter.isdigit() or letter in "_/" for letter in said.get(name, name))
