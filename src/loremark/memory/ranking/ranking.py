"""The ranking: a weighted sum of similarity, shared words, context, names and files.

All signals are on the absolute scale of the cosine, so a score does not depend on the other results.
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
from loremark.memory.ranking.segment import NO_CODE
from loremark.memory.ranking.signals import Signal, compute_signals, cosine_similarities

_UNKNOWN_CODE = -(2**31)
"""The code of a word that no item has."""

_ROUNDING = 1e-5
"""Scores are summed in float32: items this close to the last one are included."""


@dataclass(frozen=True)
class Question:
    """The query text, its vector (None if there is none) and the working files. The text may be empty.

    ``calibration``: that of the vectors' embedding model (``get_calibration(name)``).
    """

    text: str
    vector: NDArray[np.float32] | None
    files: tuple[str, ...] = ()
    calibration: Calibration = DEFAULT


@dataclass(frozen=True)
class Filters:
    """What may be found. ``branch`` None: only items on no branch; a name: also those of that branch.

    ``files``: items that name one of these paths; a path with a trailing slash is a folder.
    """

    status: str = "approved"
    type: str | None = None
    files: tuple[str, ...] = ()
    branch: str | None = None


@dataclass(frozen=True)
class Reason:
    """One signal's contribution to a score: its name, a description and its points, which add up to the score."""

    signal: str
    text: str
    points: float


@dataclass(frozen=True)
class Hit:
    """A search hit. ``score`` orders the hits of one question; ``similarity`` is 0 to 1 and comparable between
    questions.

    ``reasons`` are filled only if requested.
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
    cosines = cosine_similarities(corpus, question.vector)
    signals = compute_signals(corpus, question.text, question.files, filters.branch, cosines)
    scores = np.zeros(len(corpus.layout), dtype=np.float32)
    for signal in signals:
        scores += signal.points
    places = _best(np.where(allowed, scores, np.float32(-np.inf)), min(limit, int(np.count_nonzero(allowed))))
    hits = _hits(corpus, question, signals, cosines, places, explain=explain)
    return sorted(hits, key=lambda hit: (-hit.score, hit.item_id))[:limit]


def _allowed(corpus: Corpus, filters: Filters) -> NDArray[np.bool_]:
    columns = corpus.layout.columns

    def has(name: str, word: str) -> NDArray[np.bool_]:
        return np.asarray(columns[name] == corpus.codes.get(word, _UNKNOWN_CODE))

    allowed = has("status", filters.status)
    branch = columns["branch"] == NO_CODE
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
    """The positions of the best items, including all that tie with the last one."""
    if limit < len(scores):
        last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    else:
        last = scores[np.isfinite(scores)].min()
    return np.flatnonzero(scores >= last - np.float32(_ROUNDING))


def _hits(
    corpus: Corpus,
    question: Question,
    signals: Sequence[Signal],
    cosines: Floats,
    places: NDArray[np.int64],
    *,
    explain: bool,
) -> list[Hit]:
    points = np.stack([signal.points[places] for signal in signals], axis=1).astype(np.float64).round(6).tolist()
    rows = corpus.layout.order[places].tolist()
    hits = []
    for place, row, cosine, each in zip(places.tolist(), rows, cosines[places].tolist(), points, strict=True):
        hits.append(
            Hit(
                item_id=corpus.item_id(row),
                score=round(sum(each), 6),
                similarity=round(question.calibration.similarity(cosine), 4),
                reasons=_reasons(signals, place, each) if explain else (),
            )
        )
    return hits


def _reasons(signals: Sequence[Signal], place: int, points: Sequence[float]) -> tuple[Reason, ...]:
    return tuple(
        Reason(signal.name, signal.describe(place), of) for signal, of in zip(signals, points, strict=True) if of
    )
