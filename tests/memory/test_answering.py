"""The built-in answer: the sentences that answer the question, or a statement that there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremark.memory.answering.extractive_answer import CLOSEST_TITLE, NO_ANSWER, UNCERTAIN, compose_answer
from loremark.memory.answering.follow_ups import resolve_follow_up
from loremark.memory.answering.passage_selection import (
    CITATION_MARGIN,
    MAX_CITED,
    NO_ANSWER_BELOW,
    NO_MATCH_BELOW,
    UNCERTAIN_BELOW,
    rate_passages,
    select_passages,
)
from loremark.memory.answering.records import Passage, Turn


def _passage(
    key: str, title: str, content: str, *files: str, type: str = "implementation", similarity: float = 0.7
) -> Passage:
    return Passage(key, type, title, content, "root/shop", files, 0.9, similarity)


WEBHOOKS = _passage(
    "webhooks",
    "Webhooks are retried for a day",
    "A failed delivery is tried seven times over 24 hours. The worker sleeps between tries. Signatures use Ed25519.",
    "src/hooks/deliver.py",
)
MAILS = _passage(
    "mails",
    "E-mail is retried twice",
    "A mail that the relay refuses is tried again after 10 and 60 minutes. Then the address is marked as dead.",
    "src/mails/send.py",
    similarity=0.6,
)
LEDGER = _passage(
    "ledger",
    "The ledger is double entry",
    "Every booking writes two rows into ledger_entries. Sums are checked each night.",
    "src/ledger/book.py",
    "src/ledger/check.py",
    type="codemap",
    similarity=0.55,
)
SURE, UNRELATED = UNCERTAIN_BELOW + 1, NO_MATCH_BELOW - 1
QUESTION = "how many times is a failed webhook delivery tried?"


def _sentences(text: str) -> str:
    return text.split("Sources:")[0]


def test_a_short_passage_is_quoted_in_full_with_its_source() -> None:
    answer = compose_answer(QUESTION, [LEDGER, WEBHOOKS], [UNRELATED, SURE])
    assert answer.used == ("webhooks",)
    assert answer.text == (
        "A failed delivery is tried seven times over 24 hours. [2] The worker sleeps between tries. [2] Signatures use"
        " Ed25519. [2]\n\nSources:\n- [2] Webhooks are retried for a day (`src/hooks/deliver.py`)"
    )


def test_of_a_long_passage_the_sentences_about_the_question_are_quoted() -> None:
    long = replace(WEBHOOKS, content=f"Clients poll. {WEBHOOKS.content} Logs are kept. The queue is in Redis.")
    quoted = _sentences(compose_answer(QUESTION, [long], [SURE]).text)
    assert "A failed delivery is tried seven times over 24 hours. [1]" in quoted
    assert "Ed25519" not in quoted
    assert "Redis" not in quoted


def test_uncovered_questions_get_no_answer() -> None:
    assert compose_answer("what is the capital of mongolia?", [LEDGER], [UNRELATED]).text == NO_ANSWER
    nothing = compose_answer("who won?", [], [])
    assert (nothing.text, nothing.used) == (NO_ANSWER, ())


def test_a_close_match_is_named_but_not_cited() -> None:
    answer = compose_answer("how long does the forklift charge?", [LEDGER, WEBHOOKS], [UNRELATED, NO_MATCH_BELOW])
    assert answer.used == ()
    assert answer.text == f"{CLOSEST_TITLE} {WEBHOOKS.title}"
    untitled = replace(WEBHOOKS, title=" ")
    assert compose_answer("how long?", [untitled], [NO_MATCH_BELOW]).text == NO_ANSWER


def test_an_uncertain_answer_says_so() -> None:
    answer = compose_answer(QUESTION, [WEBHOOKS, LEDGER], [NO_ANSWER_BELOW, NO_ANSWER_BELOW - CITATION_MARGIN - 0.1])
    assert answer.used == ("webhooks",)
    assert answer.text.startswith(f"{UNCERTAIN}\n\nA failed delivery")
    assert UNCERTAIN not in compose_answer(QUESTION, [WEBHOOKS], [UNCERTAIN_BELOW]).text


def test_only_passages_close_to_the_best_are_cited() -> None:
    answer = compose_answer(
        QUESTION, [MAILS, WEBHOOKS, LEDGER], [SURE, SURE + CITATION_MARGIN, SURE - CITATION_MARGIN - 0.1]
    )
    assert answer.used == ("webhooks", "mails")
    assert "[3]" not in answer.text
    assert len(select_passages([SURE] * 9).places) == MAX_CITED


def _rate(similarity: float, answers: float | None) -> float:
    return rate_passages("how often?", ["Seven times."], [similarity], None if answers is None else [answers])[0]


def test_the_reader_decides_and_the_similarity_counts_too() -> None:
    assert _rate(0.5, 0.9) > _rate(0.5, 0.2)
    assert _rate(0.8, 0.5) > _rate(0.4, 0.5)
    assert select_passages([_rate(0.6, 1.0)]).places == (0,)
    assert select_passages([_rate(1.0, 0.0)]).places == ()


def test_without_the_reader_the_similarity_decides() -> None:
    assert select_passages([_rate(0.55, None), _rate(0.9, None)]).places == (1,)
    assert select_passages([_rate(0.5, None)]).uncertain
    assert select_passages([_rate(0.49, None)]).places == ()
    assert select_passages([_rate(0.1, None)]).nearest is None


@pytest.mark.parametrize("answers", [None, [0.9]])
@pytest.mark.parametrize(
    ("question", "is_about_it"),
    [
        ("SHP-4102", True),
        ("shp-4102, what now?", True),
        ("what does SHP4102 mean", True),
        ("is SHP-4102 the same as SHP-4109?", True),
        ("what about my basket?", True),
        ("SHP-4109", False),
        ("what does SHP-4109 mean?", False),
        ("how do i get rid of shp4109", False),
    ],
)
def test_a_passage_about_another_code_is_never_cited(
    question: str, is_about_it: bool, answers: list[float] | None
) -> None:
    rated = rate_passages(question, ["SHP-4102 means that the basket is stale."], [0.8], answers)
    assert bool(select_passages(rated).places) == is_about_it
    assert select_passages(rated).nearest is None


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("and why?", "how do we lock a slot and why?"),
        ("what about refunds", "how do we lock a slot what about refunds"),
        ("can i change that?", "how do we lock a slot can i change that?"),
        ("how long does a nightly backup of the ledger take", "how long does a nightly backup of the ledger take"),
    ],
)
def test_follow_ups_are_resolved(question: str, standalone: str) -> None:
    assert resolve_follow_up(question, [Turn("how do we lock a slot", "With an advisory lock.")]) == standalone


def test_the_topic_is_the_last_question_that_was_not_a_follow_up() -> None:
    history = [
        Turn("where are invoices rendered", "In src/invoices."),
        Turn("how often is a webhook retried", "Seven times."),
        Turn("and mails?", "Twice."),
    ]
    assert resolve_follow_up("and push?", history) == "how often is a webhook retried and push?"
    assert resolve_follow_up("and push?", []) == "and push?"
    assert resolve_follow_up("and push?", [Turn("and mails?", "Twice.")]) == "and mails? and push?"


def test_a_reversed_passage_comes_after_the_newer_one() -> None:
    """Ids sort by creation time. Without a reversal the better passage stays first."""
    original = _passage(
        "itm_1",
        "Basket rows are locked in Redis",
        "Basket rows are locked in Redis instead of Postgres, which was slow.",
        similarity=0.8,
    )
    reversal = _passage(
        "itm_2",
        "Basket rows are locked in Postgres again",
        "Basket rows are locked in Postgres instead of Redis, which lost locks.",
        similarity=0.78,
    )
    for passages in ([original, reversal], [reversal, original]):
        rated = [SURE + (passage is original) for passage in passages]
        assert compose_answer("Where are basket rows locked?", passages, rated).used == ("itm_2", "itm_1")
    later = replace(LEDGER, item_id="zzz")
    assert compose_answer("How often are webhooks retried?", [WEBHOOKS, later], [SURE + 1, SURE]).used[0] == "webhooks"
