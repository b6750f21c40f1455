"""Scores of the question's words: in an item, in its neighbors and in its session."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.layout import Floats, Layout, window_sum
from loremark.memory.ranking.similar_words import find_similar_words
from loremark.memory.ranking.terms import MAX_QUESTION_WORDS, QuestionTerms

_AT_ONCE = 65_536
"""Numbers per step: with few items all words are processed together, with many one after the other."""


class TermMatches(NamedTuple):
    """Where a term occurs, in layout order, and how often."""

    places: NDArray[np.int32]
    counts: Floats


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """Shares of the question's word weight, 0 to 1, in layout order.

    ``words``: in the item. ``window`` and ``session``: including neighbors and similar words; None where neighbors are
    unrelated. ``covered``: the share of the question that the corpus contains at all.
    """

    words: Floats
    window: Floats | None
    session: Floats | None
    covered: float


def score_words(corpus: Corpus, question: QuestionTerms) -> LexicalScores:
    """Compute all scores based on words."""
    layout = corpus.layout
    count = len(layout)
    hits = find_terms(corpus, question.words)
    rarities = [_rarity(count, len(places)) for places, _ in hits]
    known = [number for number, (places, _) in enumerate(hits) if len(places)]
    asked = math.fsum(rarities)
    covered = math.fsum(rarities[number] for number in known) / asked if asked else 0.0
    known = sorted(sorted(known, key=lambda number: (-rarities[number], number))[:MAX_QUESTION_WORDS])
    weight = math.fsum(rarities[number] for number in known)
    words = np.zeros(count, dtype=np.float32)
    for number in known:
        places, counts = hits[number]
        share = np.float32(rarities[number] / weight * covered)
        words[places] += share * counts / (counts + layout.damping[places])
    if not layout.trust:
        return LexicalScores(words, None, None, covered)
    spread = _with_near(corpus, question, hits, rarities, known)
    total = weight / covered if covered else asked
    window, session = _around(layout, spread, total)
    return LexicalScores(words, window, session, covered)


def find_terms(corpus: Corpus, terms: tuple[int, ...]) -> list[TermMatches]:
    """The positions of the live items that contain each term."""
    if not terms:
        return []
    keys = np.array(terms, dtype=np.uint64)
    place = corpus.layout.place
    parts: list[list[TermMatches]] = [[] for _ in terms]
    base = 0
    for segment in corpus.segments:
        for number, (rows, counts) in enumerate(segment.find(keys)):
            if len(rows):
                places = place[rows + base]
                living = places >= 0
                if living.all():
                    parts[number].append(TermMatches(places, counts))
                else:
                    parts[number].append(TermMatches(places[living], counts[living]))
        base += len(segment)
    return [_joined(found) for found in parts]


def _joined(found: list[TermMatches]) -> TermMatches:
    if len(found) == 1:
        return found[0]
    if not found:
        return TermMatches(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))
    return TermMatches(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _rarity(count: int, having: int) -> float:
    return math.log(1 + (count - having + 0.5) / (having + 0.5))


@dataclass(frozen=True, slots=True)
class _Spread:
    """A word of the question and its similar words, each with its share of the word's rarity."""

    rarity: float
    parts: tuple[tuple[TermMatches, float], ...]


def _with_near(
    corpus: Corpus, question: QuestionTerms, hits: list[TermMatches], rarities: list[float], known: list[int]
) -> list[_Spread]:
    """The words that count, plus similar words for those the corpus does not contain."""
    count = len(corpus.layout)
    wanted = known if len(hits) > MAX_QUESTION_WORDS else range(len(hits))
    near_of = {
        number: find_similar_words(question.words[number]) if question.spread[number] else () for number in wanted
    }
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
        shares = window_sum(counts, layout.same)
        shares /= shares + layout.window_damping
        shares *= weights
        session_counts = np.add.reduceat(counts, layout.starts, axis=1)
        session_counts /= session_counts + layout.session_damping
        session_counts *= weights
        for row in range(len(some)):  # one by one: the sum must not depend on the batch size
            window += shares[row]
            sessions += session_counts[row]
    return window, sessions[layout.session]
