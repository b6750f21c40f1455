"""Lays the sentences of two texts side by side: which words stay, which are replaced, and which change places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from cairn.memory.vocabulary import STOP
from cairn.memory.words import canonical

_TOKEN = re.compile(r"[^\W_]+(?:[._'’/-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n+")
_MOST_SENTENCES = 9
_MOST_WORDS = 30
_FEWEST_WORDS = 3
# Sentences that share less than this are not one sentence with a word replaced.
_ALIKE = 0.4
_SUBJECT_END = 1
_SAME_START = 2

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The two most alike sentences that are not equal; the figures are 0 … 1, by how alike they are."""

    mine: str = ""
    other: str = ""
    kept: float = 0.0
    same_start: float = 0.0
    one_replaced: float = 0.0
    more_replaced: float = 0.0
    early_replaced: float = 0.0
    late_replaced: float = 0.0
    swapped: float = 0.0


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    tokens: Tokens
    bag: frozenset[str]


def align(a: tuple[str, str], b: tuple[str, str]) -> Alignment:
    """Of two texts, each a title and a content."""
    best: tuple[float, str, str] | None = None
    found: tuple[_Sentence, _Sentence] | None = None
    for mine in _sentences(*a):
        for other in _sentences(*b):
            if mine.tokens == other.tokens:
                continue
            share = 2 * len(mine.bag & other.bag) / (len(mine.tokens) + len(other.tokens))
            rank = (-share, *sorted((mine.text, other.text)))
            if share and (best is None or rank < best):
                best, found = (rank[0], rank[1], rank[2]), (mine, other)
    return Alignment() if found is None else _aligned(*found)


def _aligned(mine: _Sentence, other: _Sentence) -> Alignment:
    one, two = mine.tokens, other.tokens
    steps = _common(one, two)
    alike = 2 * len(steps) / (len(one) + len(two))
    strength = max(0.0, alike - _ALIKE) / (1 - _ALIKE)
    replaced = _replaced(one, two, steps)
    return Alignment(
        mine=mine.text,
        other=other.text,
        kept=len(steps) / min(len(one), len(two)),
        same_start=float(one[:_SAME_START] == two[:_SAME_START]),
        one_replaced=strength * (len(replaced) == 1),
        more_replaced=strength * (len(replaced) > 1),
        early_replaced=strength * any(at <= _SUBJECT_END for at in replaced),
        late_replaced=strength * any(at > _SUBJECT_END for at in replaced),
        swapped=_swapped(mine, other),
    )


@lru_cache(maxsize=4096)
def _sentences(title: str, content: str) -> tuple[_Sentence, ...]:
    found: dict[Tokens, _Sentence] = {}
    for text in (title, *_SENTENCE_END.split(content)):
        tokens = tuple(token.lower() for token in _TOKEN.findall(text))[:_MOST_WORDS]
        if len(tokens) >= _FEWEST_WORDS:
            found.setdefault(tokens, _Sentence(" ".join(text.split()), tokens, frozenset(tokens)))
    return tuple(found.values())[:_MOST_SENTENCES]


def _common(one: Tokens, two: Tokens) -> list[tuple[int, int]]:
    """The places of the longest run of words that both have in the same order."""
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
    """Where both have something else between the words that they share."""
    places = []
    at = to = 0
    for next_at, next_to in (*steps, (len(one), len(two))):
        gone, come = _telling(one[at:next_at]), _telling(two[to:next_to])
        if gone and come and gone != come:
            places.append(min(at, to))
        at, to = next_at + 1, next_to + 1
    return places


def _telling(words: Tokens) -> set[str]:
    return {canonical(word) for word in words if word not in STOP}


def _swapped(mine: _Sentence, other: _Sentence) -> float:
    """Shared words in another order, as in "from the CRM into the app"; a passive turns them round without a change."""
    if ("by" in mine.bag) != ("by" in other.bag):
        return 0.0
    places = {word: at for at, word in enumerate(other.tokens)}
    shared = [places[word] for word in dict.fromkeys(mine.tokens) if word in places and word not in STOP]
    if shared == sorted(shared):
        return 0.0
    return 2 * len(mine.bag & other.bag) / (len(mine.bag) + len(other.bag))
