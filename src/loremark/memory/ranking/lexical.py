"""What the words of a question say: in an item itself, in the items around it, and in its whole session."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.layout import Floats, Layout, windowed
from loremark.memory.ranking.nearby import near
from loremark.memory.ranking.terms import MOST_WORDS, QuestionTerms

_AT_ONCE = 65_536
"""Numbers of one step: for few items all words together, for many one word after the other."""


class Found(NamedTuple):
    """Where a term stands, in the order of the layout, and how often."""

    places: NDArray[np.int32]
    counts: Floats


@dataclass(frozen=True, slots=True)
class Lexical:
    """Each 0 to 1, in the order of the layout: how much of the question's weight in words stands there.

    ``words``: in the item. ``window`` and ``session``: with its neighbours, near words too; None where neighbours have
    nothing to do with each other. ``covered``: the share of the question that the corpus knows at all.
    """

    words: Floats
    window: Floats | None
    session: Floats | None
    covered: float


def read_words(corpus: Corpus, question: QuestionTerms) -> Lexical:
    """All legs that are made of words."""
    layout = corpus.layout
    count = len(layout)
    hits = find_terms(corpus, question.words)
    rarities = [_rarity(count, len(places)) for places, _ in hits]
    known = [number for number, (places, _) in enumerate(hits) if len(places)]
    asked = math.fsum(rarities)
    covered = math.fsum(rarities[number] for number in known) / asked if asked else 0.0
    known = sorted(sorted(known, key=lambda number: (-rarities[number], number))[:MOST_WORDS])
    weight = math.fsum(rarities[number] for number in known)
    words = np.zeros(count, dtype=np.float32)
    for number in known:
        places, counts = hits[number]
        share = np.float32(rarities[number] / weight * covered)
        words[places] += share * counts / (counts + layout.damping[places])
    if not layout.trust:
        return Lexical(words, None, None, covered)
    spread = _with_near(corpus, question, hits, rarities, known)
    total = weight / covered if covered else asked
    window, session = _around(layout, spread, total)
    return Lexical(words, window, session, covered)


def find_terms(corpus: Corpus, terms: tuple[int, ...]) -> list[Found]:
    """For each term the places of the living items it stands in."""
    if not terms:
        return []
    keys = np.array(terms, dtype=np.uint64)
    place = corpus.layout.place
    parts: list[list[Found]] = [[] for _ in terms]
    base = 0
    for segment in corpus.segments:
        for number, (rows, counts) in enumerate(segment.find(keys)):
            if len(rows):
                places = place[rows + base]
                living = places >= 0
                if living.all():
                    parts[number].append(Found(places, counts))
                else:
                    parts[number].append(Found(places[living], counts[living]))
        base += len(segment)
    return [_joined(found) for found in parts]


def _joined(found: list[Found]) -> Found:
    if len(found) == 1:
        return found[0]
    if not found:
        return Found(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))
    return Found(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _rarity(count: int, having: int) -> float:
    return math.log(1 + (count - having + 0.5) / (having + 0.5))


@dataclass(frozen=True, slots=True)
class _Spread:
    """One word of the question with the words near to it, each with its share of the word's rarity."""

    rarity: float
    parts: tuple[tuple[Found, float], ...]


def _with_near(
    corpus: Corpus, question: QuestionTerms, hits: list[Found], rarities: list[float], known: list[int]
) -> list[_Spread]:
    """The words that count, and those the corpus does not know but has near ones of."""
    count = len(corpus.layout)
    wanted = known if len(hits) > MOST_WORDS else range(len(hits))
    near_of = {number: near(question.words[number]) if question.spread[number] else () for number in wanted}
    others = tuple(dict.fromkeys(word for pairs in near_of.values() for word, _ in pairs))
    found = dict(zip(others, find_terms(corpus, others), strict=True))
    spread = []
    for number in wanted:
        parts = [(hits[number], 1.0)] if len(hits[number][0]) else []
        for word, share in near_of[number]:
            having = len(found[word][0])
            if having and word not in question.words:
                parts.append((found[word], share * min(1.0, _rarity(count, having) / rarities[number])))
        if parts:
            spread.append(_Spread(rarities[number], tuple(parts)))
    return spread


def _around(layout: Layout, spread: list[_Spread], total: float) -> tuple[Floats, Floats]:
    count = len(layout)
    window = np.zeros(count, dtype=np.float32)
    sessions = np.zeros(len(layout.starts), dtype=np.float32)
    step = max(1, _AT_ONCE // max(count, 1))
    for start in range(0, len(spread), step):
        some = spread[start : start + step]
        counts = np.zeros((len(some), count), dtype=np.float32)
        for row, word in enumerate(some):
            for (places, said), share in word.parts:
                counts[row, places] = np.maximum(counts[row, places], said * np.float32(share))
        weights = np.array([[word.rarity / total] for word in some], dtype=np.float32)
        shares = windowed(counts, layout.same)
        shares /= shares + layout.window_damping
        shares *= weights
        told = np.add.reduceat(counts, layout.starts, axis=1)
        told /= told + layout.session_damping
        told *= weights
        for row in range(len(some)):  # one after the other: the sum must not hang on how many are taken at once
            window += shares[row]
            sessions += told[row]
    return window, sessions[layout.session]
