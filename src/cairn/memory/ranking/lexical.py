"""What the words of a question say: in an item itself, in the items around it, and in its whole session."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cairn.memory.ranking.corpus import Corpus
from cairn.memory.ranking.layout import Floats, Layout, windowed
from cairn.memory.ranking.nearby import near
from cairn.memory.ranking.terms import MOST_WORDS, QuestionTerms

_AT_ONCE = 65_536
"""Numbers of one step: for few items all words together, for many one word after the other."""

_USUAL_RARITY = 0.7
"""What a word of a heading weighs on average, of the most that a word can weigh."""


class Found(NamedTuple):
    """Where a term stands, in the order of the layout: how often, and whether in an item's heading."""

    places: NDArray[np.int32]
    counts: Floats
    in_heading: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Lexical:
    """Each 0 to 1, in the order of the layout: how much of the question's weight in words stands there.

    ``words``: in the item. ``heading``: how alike the question is to the item's title and first sentence (roughly the
    cosine of their words). ``window`` and ``session``: with its neighbours, near words too; None where neighbours have
    nothing to do with each other. ``covered``: the share of the question that the corpus knows at all.
    """

    words: Floats
    heading: Floats
    window: Floats | None
    session: Floats | None
    covered: float


def read_words(corpus: Corpus, question: QuestionTerms) -> Lexical:
    """All legs that are made of words."""
    layout = corpus.layout
    count = len(layout)
    hits = find_terms(corpus, question.words)
    rarities = [_rarity(count, len(places)) for places, _, _ in hits]
    known = [number for number, (places, _, _) in enumerate(hits) if len(places)]
    asked = math.fsum(rarities)
    covered = math.fsum(rarities[number] for number in known) / asked if asked else 0.0
    known = sorted(sorted(known, key=lambda number: (-rarities[number], number))[:MOST_WORDS])
    weight = math.fsum(rarities[number] for number in known)
    words = np.zeros(count, dtype=np.float32)
    for number in known:
        places, counts, _ = hits[number]
        share = np.float32(rarities[number] / weight * covered)
        words[places] += share * counts / (counts + layout.damping[places])
    heading = _headings(layout, [hits[number] for number in known], [rarities[number] for number in known], rarities)
    if not layout.trust:
        return Lexical(words, heading, None, None, covered)
    spread = _with_near(corpus, question, hits, rarities, known)
    total = weight / covered if covered else asked
    window, session = _around(layout, spread, total)
    return Lexical(words, heading, window, session, covered)


def find_terms(corpus: Corpus, terms: tuple[int, ...]) -> list[Found]:
    """For each term the places of the living items it stands in."""
    if not terms:
        return []
    keys = np.array(terms, dtype=np.uint64)
    place = corpus.layout.place
    parts: list[list[Found]] = [[] for _ in terms]
    base = 0
    for segment in corpus.segments:
        for number, (rows, counts, in_heading) in enumerate(segment.find(keys)):
            if len(rows):
                places = place[rows + base]
                living = places >= 0
                if living.all():
                    parts[number].append(Found(places, counts, in_heading))
                else:
                    parts[number].append(Found(places[living], counts[living], in_heading[living]))
        base += len(segment)
    return [_joined(found) for found in parts]


def _joined(found: list[Found]) -> Found:
    if len(found) == 1:
        return found[0]
    if not found:
        return Found(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32), np.empty(0, dtype=np.bool_))
    return Found(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _headings(layout: Layout, known: list[Found], known_rarities: list[float], rarities: list[float]) -> Floats:
    """A heading's length is taken from the number of its words: from their rarities, any new item would change it."""
    heading = np.zeros(len(layout), dtype=np.float32)
    size = math.sqrt(math.fsum(rarity * rarity for rarity in rarities)) * _USUAL_RARITY * _rarity(len(layout), 0)
    for (places, _, in_heading), rarity in zip(known, known_rarities, strict=True):
        named = places[in_heading]
        heading[named] += np.float32(rarity * rarity / size)
    heading /= layout.heading
    return np.minimum(heading, np.float32(1), out=heading)


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
            for (places, said, _), share in word.parts:
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
