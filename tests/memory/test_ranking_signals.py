"""Ranking signals: vector search is exact, and any words can be packed and found."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.memory.ranking.ranking import Filters, Hit, Question, rank
from loremark.memory.ranking.segment import GRID

WIDTH = 384
DEPTH = 10


def entry(item_id: str, title: str, content: str, session: str | None = None) -> Entry:
    return Entry(item_id, "approved", "decision", "", session, None, 0, 0.9, pack_terms(title, content, "", (), ()))


def unit(count: int, seed: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(count, WIDTH))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def on_grid(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.rint(vectors.astype(np.float64) * GRID) / GRID


def points(hit: Hit, signal: str) -> float:
    return sum(reason.points for reason in hit.reasons if reason.signal == signal)


def test_the_nearest_ten_match_an_exact_search() -> None:
    """Recall at ten is 1.0 against all cosines in double precision of the rounded vectors.

    Compared with the vectors before rounding, only ties may swap.
    """
    rows, queries = unit(3000, seed=5), unit(100, seed=6)
    entries = [entry(f"i{number:05}", "", f"w{number}") for number in range(len(rows))]
    corpus = Corpus.build(entries[:2000], rows[:2000]).changed(entries[2000:], rows[2000:], ())
    rounded = on_grid(queries) @ on_grid(rows).T
    exact = queries.astype(np.float64) @ rows.astype(np.float64).T
    shared = 0
    for place, vector in enumerate(queries):
        hits = rank(corpus, Question("", vector), Filters(), DEPTH, explain=True)
        found = [int(hit.item_id[1:]) for hit in hits]
        shared += len(set(found) & set(np.argsort(-rounded[place], kind="stable")[:DEPTH].tolist()))
        assert [points(hit, "meaning") for hit in hits] == pytest.approx(rounded[place][found], abs=1e-6)
        assert exact[place][found].min() > np.sort(exact[place])[-DEPTH] - 1e-3
    assert shared / (DEPTH * len(queries)) == 1.0


@pytest.mark.parametrize("title", ["", "x" * 50_000, "word " * 20_000, '"""', "\0\n", "'''" * 9000])
def test_any_title_can_be_packed_and_found(title: str) -> None:
    packed = entry("i0", title, f"{title} and word")
    corpus = Corpus.build([packed], unit(1, seed=1))
    assert [hit.item_id for hit in rank(corpus, Question("word", None), Filters(), 3)] == ["i0"]


def test_very_frequent_words_are_capped() -> None:
    entries = [entry("i0", "", "Opening line. " + "ledger " * 400), entry("i1", "", "Opening line. " + "other " * 400)]
    hits = rank(Corpus.build(entries, unit(2, seed=1)), Question("ledger", None), Filters(), 2, explain=True)
    assert [points(hit, "words") > 0 for hit in hits] == [True, False]
