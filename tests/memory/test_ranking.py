"""Ranking: identifiers match, filters are exact, and every score is explained."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from loremark.memory.ranking.calibration import CALIBRATIONS, FALLBACK, get_calibration
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, TermsFormatError, pack_terms
from loremark.memory.ranking.ranking import Filters, Question, rank
from tests.growth import Work, assert_subquadratic
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(60), deadline=None, database=None)
WIDTH = 16


def entry(
    item_id: str,
    text: str,
    *files: str,
    status: str = "approved",
    type: str = "decision",
    session: str | None = None,
    branch: str | None = None,
    created_at_ms: int = 0,
) -> Entry:
    packed = pack_terms("", text, "root/x", files, ())
    return Entry(item_id, status, type, "root/x", session, branch, created_at_ms, 0.9, packed)


def vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(count, WIDTH))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def found(corpus: Corpus, text: str, filters: Filters | None = None, *, files: tuple[str, ...] = ()) -> list[str]:
    hits = rank(corpus, Question(text, None, files), filters or Filters(), 10)
    return [hit.item_id for hit in hits]


TEXTS = [
    "The importer fails with ERR_1234 when the file is empty.",
    "The importer fails with ERR_1243 when the file is locked.",
    "The importer is run every night and fails loudly when a file is missing or empty, with an error of its own.",
    "retryPolicy is set in src/a/b.py for all clients.",
    "Retries of clients are set in another place, the policy of a proxy.",
    "Money is kept in minor units.",
]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.build(
        [entry(f"i{n}", text) for n, text in enumerate(TEXTS)], np.zeros((len(TEXTS), WIDTH), np.float32)
    )


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("why ERR_1234?", "i0"),
        ("the importer, a file, empty or missing: ERR_1243", "i1"),
        ("what does src/a/b.py do", "i3"),
        ("b.py", "i3"),
        ("who reads retryPolicy", "i3"),
        ("how is money stored", "i5"),
    ],
)
def test_items_with_the_questions_identifiers_rank_first(corpus: Corpus, text: str, first: str) -> None:
    assert found(corpus, text)[0] == first


def test_the_most_similar_item_ranks_first_without_shared_words() -> None:
    rows = vectors(40)
    corpus = Corpus.build([entry(f"i{n:02}", f"word{n}") for n in range(40)], rows)
    for place in (0, 7, 39):
        hit = rank(corpus, Question("quite another thing", rows[place]), Filters(), 1)[0]
        assert hit.item_id == f"i{place:02}"
        assert hit.similarity == 1.0


def test_working_files_are_found_without_words() -> None:
    entries = [
        entry("i0", "One.", "src/pay/refund.py"),
        entry("i1", "Two.", "src/pay/charge.py"),
        entry("i2", "Three.", "src/mail/send.py"),
    ]
    corpus = Corpus.build(entries, np.zeros((3, WIDTH), np.float32))
    assert found(corpus, "", files=("src/pay/refund.py",)) == ["i0", "i1", "i2"]
    assert found(corpus, "", Filters(files=("src/pay/",))) == ["i0", "i1"]
    assert found(corpus, "", Filters(files=("src/mail/send.py", "src/none.py"))) == ["i2"]
    assert found(corpus, "", Filters(files=("src/pay",))) == []


def test_an_answer_is_found_by_the_question_before_it() -> None:
    conversations = [
        ("Ann: Which harbour did the ferry leave from?", "Ben: The northern one, before sunrise."),
        ("Ann: Who feeds the parrots at the weekend?", "Ben: My cousin, she has a spare key."),
        ("Ann: How did the violin exam go?", "Ben: Better than we feared, a merit."),
    ] * 4
    entries, rows = [], []
    topics = vectors(len(conversations), seed=3)
    for number, conversation in enumerate(conversations):
        for turn, text in enumerate(conversation):
            entries.append(
                entry(f"i{number:02}{turn}", text if number < 3 else f"Ann: thing{number}", session=f"s{number}")
            )
            rows.append(topics[number])
    corpus = Corpus.build(entries, np.array(rows))
    assert corpus.layout.trust > 0
    assert found(corpus, "parrots fed at a weekend")[:2] == ["i010", "i011"]
    shuffled = Corpus.build(entries, np.array([rows[(7 * n) % len(rows)] for n in range(len(rows))]))
    assert shuffled.layout.trust < corpus.layout.trust  # neighbors with unrelated vectors are not trusted


@PROPERTY
@given(st.data())
def test_filters_are_exact(data: st.DataObject) -> None:
    sampled = st.sampled_from
    entries = [
        entry(
            f"i{n:03}",
            f"about thing{n % 5}",
            *data.draw(st.lists(sampled(["a/b.py", "a/c.py", "d.py"]), max_size=2, unique=True)),
            status=data.draw(sampled(["approved", "draft"])),
            type=data.draw(sampled(["bug", "todo"])),
            branch=data.draw(sampled([None, "main", "feat"])),
        )
        for n in range(data.draw(st.integers(0, 25)))
    ]
    wanted = data.draw(sampled([(), ("a/b.py",), ("a/",), ("d.py", "a/c.py")]))
    filters = Filters(
        data.draw(sampled(["approved", "draft", "deprecated"])),
        data.draw(sampled([None, "bug", "decision"])),
        wanted,
        data.draw(sampled([None, "feat", "gone"])),
    )
    corpus = Corpus.build(entries, vectors(len(entries)))
    hits = rank(corpus, Question("thing1", vectors(1, seed=9)[0]), filters, 100)
    packed = {file: pack_terms("", "", "", (file,), ()) for file in ("a/b.py", "a/c.py", "d.py")}
    assert packed["a/b.py"] != packed["a/c.py"]
    expected = {
        one.item_id
        for one in entries
        if one.status == filters.status
        and filters.type in (None, one.type)
        and one.branch in (None, filters.branch)
        and (not wanted or one.item_id in {i for file in wanted for i in found_with(entries, file)})
    }
    assert {hit.item_id for hit in hits} == expected


def found_with(entries: list[Entry], file: str) -> set[str]:
    """Pack each item's candidates again: an independent check of which files an entry contains."""
    combinations = [("a/b.py",), ("a/c.py",), ("d.py",), ("a/b.py", "a/c.py"), ("a/b.py", "d.py"), ("a/c.py", "d.py")]
    named = [files for files in combinations if any(one == file or one.startswith(file) for one in files)]
    return {
        one.item_id
        for number, one in enumerate(entries)
        if any(
            one.terms == pack_terms("", f"about thing{number % 5}", "root/x", order, ())
            for files in named
            for order in (files, files[::-1])
        )
    }


HOSTILE = [
    "",
    " ",
    "?",
    "the of and",
    "x" * 4000,
    "a " * 2000,
    "ü" * 500,
    "日本語 の 質問",
    "🙂🙂",
    "'; DROP --",
    "a/" * 900,
    "=" * 99,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_questions_are_answered(corpus: Corpus, text: str) -> None:
    assert len(found(corpus, text)) == len(TEXTS)
    assert rank(Corpus.build([], vectors(0)), Question(text, vectors(1)[0]), Filters(), 5) == []


@PROPERTY
@given(st.text(alphabet=st.characters(exclude_characters="\0"), max_size=400), st.integers(-1, 9))
def test_ranking_is_deterministic(text: str, limit: int) -> None:
    rows = vectors(len(TEXTS))
    corpus = Corpus.build([entry(f"i{n}", one, session="s") for n, one in enumerate(TEXTS)], rows)
    question = Question(text, rows[2])
    hits = rank(corpus, question, Filters(), limit, explain=True)
    assert hits == rank(corpus, question, Filters(), limit, explain=True)
    assert [replace(hit, reasons=()) for hit in hits] == rank(corpus, question, Filters(), limit)
    assert len(hits) == max(0, min(limit, len(TEXTS)))
    assert all(math.isclose(sum(reason.points for reason in hit.reasons), hit.score, abs_tol=1e-6) for hit in hits)
    assert all(0 <= hit.similarity <= 1 for hit in hits)
    assert [(-hit.score, hit.item_id) for hit in hits] == sorted((-hit.score, hit.item_id) for hit in hits)


def test_a_vector_of_another_embedder_is_ignored(corpus: Corpus) -> None:
    for vector in (np.ones(3, np.float32), np.full(WIDTH, np.nan, np.float32)):
        assert rank(corpus, Question("money", vector), Filters(), 3) == rank(
            corpus, Question("money", None), Filters(), 3
        )


def test_outdated_and_incomplete_terms_are_rejected() -> None:
    """One item's terms must never be read as the next one's."""
    complete = entry("i0", "text").terms
    for terms in (b"\x01" + complete[1:], complete[:-1], complete + b"\0", b""):
        broken = Entry("i0", "approved", "bug", "", None, None, 0, 1.0, terms)
        with pytest.raises(TermsFormatError):
            Corpus.build([broken, entry("i1", "another text")], vectors(2))


@pytest.mark.parametrize("name", [*CALIBRATIONS, "never-measured"])
def test_similarity_increases_with_the_cosine(name: str) -> None:
    calibration = get_calibration(name)
    similarities = [calibration.similarity(cosine / 100) for cosine in range(-100, 101)]
    assert similarities == sorted(similarities)
    assert (similarities[0], similarities[-1]) == (0.0, 1.0)
    assert calibration.similarity(calibration.even) == pytest.approx(0.5)
    assert get_calibration("never-measured") is FALLBACK


def test_ranking_a_large_corpus_stays_subquadratic() -> None:
    corpora = {}

    def prepare(size: int, repetition: int) -> Work:
        rows = np.resize(np.tile(vectors(500), (1, 24)), (size, 24 * vectors(1).shape[1]))
        if size not in corpora:
            entries = [entry(f"i{n:05}", TEXTS[n % len(TEXTS)], session=f"s{n // 10}") for n in range(size)]
            corpora[size] = Corpus.build(entries, rows)
        question = Question("why does the importer fail with ERR_1234?", rows[0])
        return lambda: rank(corpora[size], question, Filters(), 10)

    assert_subquadratic(prepare, 5_000)
