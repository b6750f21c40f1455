"""A corpus that grew by changes ranks exactly like one built from scratch."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.memory.ranking.ranking import Filters, Question, rank
from tests.memory.test_ranking import vectors
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(60), deadline=None, database=None)
WORDS = ["cache", "queue", "retry", "ferry", "parrot", "violin", "ERR_7", "src/a.py", "Ann:", "yesterday", "why?"]
QUESTIONS = ["why does the cache retry", "ERR_7 in src/a.py", "when did Ann see the parrot", ""]
POOL = vectors(24, seed=5)


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[list[Entry], list[int], list[str]]]:
    steps = []
    for step in range(draw(st.integers(1, 6))):
        ids = draw(st.lists(st.integers(0, 120), max_size=40, unique=True))
        entries = []
        for number in ids:
            text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)))
            session = draw(st.sampled_from([None, "s1", "s2", "s3"]))
            packed = pack_terms("", text, "root", ("src/a.py",) if number % 3 == 0 else (), ())
            branch = "feat" if number % 7 == 0 else None
            entries.append(Entry(f"i{number:03}", "approved", "bug", "root", session, branch, step, 0.9, packed))
        removed = [f"i{number:03}" for number in draw(st.lists(st.integers(0, 130), max_size=20))]
        steps.append((entries, [draw(st.integers(0, len(POOL) - 1)) for _ in entries], removed))
    return steps


@PROPERTY
@given(changes())
def test_changed_ranks_exactly_like_built(steps: list[tuple[list[Entry], list[int], list[str]]]) -> None:
    corpus = Corpus.build([], vectors(0))
    current: dict[str, tuple[Entry, int]] = {}
    for entries, rows, removed in steps:
        before = [rank(corpus, Question(text, POOL[0]), Filters(), 9, explain=True) for text in QUESTIONS]
        after = corpus.changed(entries, POOL[rows] if rows else vectors(0), removed)
        assert before == [rank(corpus, Question(text, POOL[0]), Filters(), 9, explain=True) for text in QUESTIONS]
        corpus = after
        for item_id in removed:
            current.pop(item_id, None)
        current |= {entry.item_id: (entry, row) for entry, row in zip(entries, rows, strict=True)}
    # The insertion order must not matter either.
    shuffled = [current[item_id] for item_id in sorted(current, key=lambda item_id: (int(item_id[1:]) * 37) % 131)]
    fresh = Corpus.build(
        [entry for entry, _ in shuffled], POOL[[row for _, row in shuffled]] if shuffled else vectors(0)
    )
    assert len(corpus) == len(fresh) == len(current)
    for text in QUESTIONS:
        for vector in (POOL[1], None):
            question = Question(text, vector, ("src/a.py",))
            for filters in (Filters(), Filters(branch="feat")):
                assert rank(corpus, question, filters, 12, explain=True) == rank(
                    fresh, question, filters, 12, explain=True
                )


def test_thousands_of_single_changes_keep_few_segments() -> None:
    rows = vectors(50)
    corpus = Corpus.build([], vectors(0))
    for number in range(1500):
        packed = pack_terms("", f"thing {number % 40}", "root", (), ())
        one = Entry(f"i{number % 600:04}", "approved", "bug", "root", None, None, number, 0.9, packed)
        corpus = corpus.changed([one], rows[number % 50 : number % 50 + 1], ())
    assert len(corpus) == 600
    assert len(corpus.segments) <= 8
    assert sum(len(segment) for segment in corpus.segments) <= 600 + max(256, 600 // 4) + 200
    emptied = corpus.changed([], np.empty((0, rows.shape[1]), np.float32), [f"i{number:04}" for number in range(600)])
    assert len(emptied) == 0
    assert rank(emptied, Question("thing 3", rows[0]), Filters(), 5) == []
