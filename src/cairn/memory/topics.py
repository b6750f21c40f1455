"""Tells whether two texts are about one thing: by their subjects, by the pattern of their titles, by what they tell."""

from __future__ import annotations

from cairn.memory.reading import Reading

_PARALLEL_WORDS = 2
_PREDICATE_WORDS = 2


def subjects_differ(a: Reading, b: Reading, ignored: frozenset[str] = frozenset()) -> bool:
    """Whether each speaks of something that the other does not know at all; what they clash over is not counted."""
    return all(
        (mine.subject | (mine.body & set(mine.title))) - other.words - ignored for mine, other in ((a, b), (b, a))
    )


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


def predicates_part(a: Reading, b: Reading) -> bool:
    """The same subject, and nothing in common of what is said about it: two facts about one thing."""
    subject = a.subject & b.subject
    mine, other = a.predicate - subject, b.predicate - subject
    told = min(len(mine), len(other)) >= _PREDICATE_WORDS
    return bool(subject) and a.subject == b.subject and told and not mine & other
