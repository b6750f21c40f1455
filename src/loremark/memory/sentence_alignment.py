"""Aligns the most similar sentences of two texts: which words stay, which are replaced, and which change places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.vocabulary import STOP
from loremark.memory.word_normalization import canonical

_TOKEN = re.compile(r"[^\W_]+(?:[._'’/-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n+")
_MAX_SENTENCES = 9
_MAX_WORDS = 30
_MIN_WORDS = 3
# Sentences that share less are not the same sentence with a word replaced.
_MIN_SIMILARITY = 0.4
_SUBJECT_END = 1
_SAME_START = 2
_WAY_WORDS = 4
_TURNING = ("by", "before", "after")
_ORDERING = frozenset(("before", "after", "afterwards"))

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The two most similar sentences that are not equal. Figures are 0 to 1, scaled by their similarity."""

    mine: str = ""
    other: str = ""
    same_start: float = 0.0
    one_replaced: float = 0.0
    more_replaced: float = 0.0
    early_replaced: float = 0.0
    late_replaced: float = 0.0
    swapped: float = 0.0
    reversed_order: bool = False


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    tokens: Tokens
    bag: frozenset[str]


def align_sentences(a: tuple[str, str], b: tuple[str, str]) -> Alignment:
    """Align two texts, each given as title and content."""
    best: tuple[float, list[str]] | None = None
    found: tuple[_Sentence, _Sentence] | None = None
    for mine in _sentences(*a):
        for other in _sentences(*b):
            if mine.tokens == other.tokens:
                continue
            share = 2 * len(mine.bag & other.bag) / (len(mine.tokens) + len(other.tokens))
            rank = (-share, sorted((mine.text, other.text)))
            if share and (best is None or rank < best):
                best, found = rank, (mine, other)
    return Alignment() if found is None else _aligned(*found)


def _aligned(mine: _Sentence, other: _Sentence) -> Alignment:
    one, two = mine.tokens, other.tokens
    steps = _common(one, two)
    alike = 2 * len(steps) / (len(one) + len(two))
    strength = max(0.0, alike - _MIN_SIMILARITY) / (1 - _MIN_SIMILARITY)
    replaced = _replaced(one, two, steps)
    return Alignment(
        mine=mine.text,
        other=other.text,
        same_start=float(one[:_SAME_START] == two[:_SAME_START]),
        one_replaced=strength * (len(replaced) == 1),
        more_replaced=strength * (len(replaced) > 1),
        early_replaced=strength * any(at <= _SUBJECT_END for at in replaced),
        late_replaced=strength * any(at > _SUBJECT_END for at in replaced),
        swapped=_swapped(mine, other),
        reversed_order=strength > 0 and _is_order_reversed(mine, other),
    )


@lru_cache(maxsize=4096)
def _sentences(title: str, content: str) -> tuple[_Sentence, ...]:
    found: dict[Tokens, _Sentence] = {}
    for text in (title, *_SENTENCE_END.split(content)):
        # Faster, and equivalent where lowercasing does not change the word boundaries.
        words = _TOKEN.findall(text.lower()) if text.isascii() else [word.lower() for word in _TOKEN.findall(text)]
        tokens = tuple(words[:_MAX_WORDS])
        if len(tokens) >= _MIN_WORDS:
            found.setdefault(tokens, _Sentence(" ".join(text.split()), tokens, frozenset(tokens)))
    return tuple(found.values())[:_MAX_SENTENCES]


def _common(one: Tokens, two: Tokens) -> list[tuple[int, int]]:
    """The positions of the longest common subsequence."""
    longest = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for at in range(len(one) - 1, -1, -1):
        row, below, word = longest[at], longest[at + 1], one[at]
        for to in range(len(two) - 1, -1, -1):
            row[to] = below[to + 1] + 1 if word == two[to] else max(below[to], row[to + 1])
    steps = []
    at = to = 0
    while at < len(one) and to < len(two):
        if one[at] == two[to]:
            steps.append((at, to))
            at, to = at + 1, to + 1
        elif longest[at + 1][to] >= longest[at][to + 1]:
            at += 1
        else:
            to += 1
    return steps


def _replaced(one: Tokens, two: Tokens, steps: list[tuple[int, int]]) -> list[int]:
    """Where both have different words between those they share."""
    places = []
    at = to = 0
    for next_at, next_to in (*steps, (len(one), len(two))):
        removed, added = _content_words(one[at:next_at]), _content_words(two[to:next_to])
        if removed and added and removed != added:
            places.append(min(at, to))
        at, to = next_at + 1, next_to + 1
    return places


def _content_words(words: Tokens) -> set[str]:
    """Content words without those that only express order, which is compared elsewhere."""
    return {canonical(word) for word in words if word not in STOP and word not in _TURNING}


def _swapped(mine: _Sentence, other: _Sentence) -> float:
    """Shared words in another order, as in "from the CRM into the app". A passive swaps them without changing the
    meaning."""
    if any((word in mine.bag) != (word in other.bag) for word in _TURNING):
        return 0.0
    if _in_same_order(mine, other):
        return 0.0
    return 2 * len(mine.bag & other.bag) / (len(mine.bag) + len(other.bag))


def _is_order_reversed(mine: _Sentence, other: _Sentence) -> bool:
    """ "Before" in one is "after" in the other while the words keep their order, or the reverse.

    "Booked, and approved afterwards" equals "booked before approved": the words keep their order.
    """
    if _directions_cross(mine.tokens, other.tokens):
        return True
    marks = mine.bag & _ORDERING, other.bag & _ORDERING
    if not all(len(mark) == 1 for mark in marks) or marks[0] == marks[1]:
        return False
    return _in_same_order(mine, other) == ("after" in marks[0] | marks[1])


def _directions_cross(one: Tokens, two: Tokens) -> bool:
    """From here to there, and from there to here."""
    mine, other = _direction(one), _direction(two)
    if mine is None or other is None:
        return False
    (start, end), (other_start, other_end) = mine, other
    return bool(start & other_end and end & other_start) and not (start & other_start or end & other_end)


def _direction(tokens: Tokens) -> tuple[set[str], set[str]] | None:
    """The words between "from" and "to", and those after."""
    if "from" not in tokens:
        return None
    at = tokens.index("from")
    to = next((place for place in range(at + 1, len(tokens)) if tokens[place] in ("to", "into")), None)
    return (
        None
        if to is None
        else (_content_words(tokens[at + 1 : to]), _content_words(tokens[to + 1 : to + 1 + _WAY_WORDS]))
    )


def _in_same_order(mine: _Sentence, other: _Sentence) -> bool:
    places = {word: at for at, word in enumerate(other.tokens)}
    shared = [places[word] for word in dict.fromkeys(mine.tokens) if word in places and word not in STOP]
    return shared == sorted(shared)
