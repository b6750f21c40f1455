"""The one ranking: nearness in meaning, shared words, what stands around an item, names and files, added up.

All legs are on one absolute scale, that of the cosine, so nothing depends on what else happens to be found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.calibration import DEFAULT, Calibration
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import path_hash
from loremark.memory.ranking.layout import Floats
from loremark.memory.ranking.legs import Leg, legs_of, nearness
from loremark.memory.ranking.segment import NOTHING

_NEVER = -(2**31)
"""The code of a word that no item has."""

_DOUBT = 1e-5
"""Scores are added up in float32: so near to the last place, an item is looked at again."""


@dataclass(frozen=True)
class Question:
    """What is asked: words, their vector (None: none could be made) and the files at hand. Text may be empty.

    ``calibration``: that of the embedder of the vectors (``calibration_of(name)``).
    """

    text: str
    vector: NDArray[np.float32] | None
    files: tuple[str, ...] = ()
    calibration: Calibration = DEFAULT


@dataclass(frozen=True)
class Filters:
    """What may be found at all. ``branch`` None: only what is on no branch; a name: that branch's as well.

    ``files``: items that name one of these paths; a path that ends in a slash is a folder.
    """

    status: str = "approved"
    type: str | None = None
    files: tuple[str, ...] = ()
    branch: str | None = None


@dataclass(frozen=True)
class Reason:
    """One part of a score: ``leg`` names it, ``told`` says it in words; all ``points`` add up to the score."""

    leg: str
    told: str
    points: float


@dataclass(frozen=True)
class Hit:
    """A found item. ``score`` orders the hits of one question; ``similarity`` compares between questions, 0 to 1.

    ``reasons`` are there where they were asked for.
    """

    item_id: str
    score: float
    similarity: float
    reasons: tuple[Reason, ...] = ()


def rank(corpus: Corpus, question: Question, filters: Filters, limit: int, *, explain: bool = False) -> list[Hit]:
    """The best items, best first; equals by item id. To explain them takes longer."""
    allowed = _allowed(corpus, filters)
    if limit < 1 or not allowed.any():
        return []
    cosines = nearness(corpus, question.vector)
    legs = legs_of(corpus, question.text, question.files, filters.branch, cosines)
    scores = np.zeros(len(corpus.layout), dtype=np.float32)
    for leg in legs:
        scores += leg.points
    places = _best(np.where(allowed, scores, np.float32(-np.inf)), min(limit, int(np.count_nonzero(allowed))))
    hits = _hits(corpus, question, legs, cosines, places, explain=explain)
    return sorted(hits, key=lambda hit: (-hit.score, hit.item_id))[:limit]


def _allowed(corpus: Corpus, filters: Filters) -> NDArray[np.bool_]:
    columns = corpus.layout.columns

    def has(name: str, word: str) -> NDArray[np.bool_]:
        return np.asarray(columns[name] == corpus.codes.get(word, _NEVER))

    allowed = has("status", filters.status)
    branch = columns["branch"] == NOTHING
    if filters.branch is not None:
        branch |= has("branch", filters.branch)
    allowed &= branch
    if filters.type is not None:
        allowed &= has("type", filters.type)
    if filters.files:
        named = np.zeros(len(allowed), dtype=np.bool_)
        for file in filters.files:
            named[corpus.find_file(path_hash(file))] = True
        allowed &= named
    return allowed


def _best(scores: Floats, limit: int) -> NDArray[np.int64]:
    """The places of the best, with all that are as good as the last of them."""
    if limit < len(scores):
        last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    else:
        last = scores[np.isfinite(scores)].min()
    return np.flatnonzero(scores >= last - np.float32(_DOUBT))


def _hits(
    corpus: Corpus,
    question: Question,
    legs: Sequence[Leg],
    cosines: Floats,
    places: NDArray[np.int64],
    *,
    explain: bool,
) -> list[Hit]:
    points = np.stack([leg.points[places] for leg in legs], axis=1).astype(np.float64).round(6).tolist()
    rows = corpus.layout.order[places].tolist()
    hits = []
    for place, row, cosine, each in zip(places.tolist(), rows, cosines[places].tolist(), points, strict=True):
        hits.append(
            Hit(
                item_id=corpus.item_id(row),
                score=round(sum(each), 6),
                similarity=round(question.calibration.similarity(cosine), 4),
                reasons=_reasons(legs, place, each) if explain else (),
            )
        )
    return hits


def _reasons(legs: Sequence[Leg], place: int, points: Sequence[float]) -> tuple[Reason, ...]:
    return tuple(Reason(leg.name, leg.told(place), of) for leg, of in zip(legs, points, strict=True) if of)
