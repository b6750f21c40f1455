"""Citation checks: valid citations stay, unsupported sentences are marked."""

from __future__ import annotations

import pytest

from loremark.memory.answering.citation_check import NOT_IN_MEMORY_MARK, check_citations
from loremark.memory.answering.records import Passage

POOL = Passage(
    "pool",
    "implementation",
    "Booking database pool",
    "booking opens at most 18 connections per task with a 2 s acquire timeout. POOL_MAX changes it. Ilse owns it.",
    "root/booking",
    ("services/booking/src/db.ts",),
    0.9,
    0.8,
)
LOCK = Passage("lock", "decision", "Advisory locks", "Slots are locked per vet and day.", "root/booking", (), 0.9, 0.7)


def test_supported_citations_are_unchanged() -> None:
    answer = "Booking opens at most 18 connections per task [1]. Slots are locked per vet and day. [2]"
    checked = check_citations(answer, [POOL, LOCK])
    assert checked.text == answer
    assert checked.used == ("pool", "lock")
    assert checked.unsupported == ()


def test_citations_of_unknown_passages_are_removed() -> None:
    checked = check_citations("Slots are locked per vet [2][7]. The pool has 18 connections [1, 9].", [POOL, LOCK])
    assert checked.text == "Slots are locked per vet [2]. The pool has 18 connections [1]."
    assert checked.used == ("lock", "pool")


@pytest.mark.parametrize(
    "false",
    [
        "Booking opens at most 25 connections per task. [1]",
        "Booking opens twenty connections per task. [1]",
        "Set `POOL_MIN` to change the connections of booking. [1]",
        "The pool of booking is set in services/claims/src/db.ts. [1]",
        "The pool of booking connections is owned by Joris. [1]",
        "Unicorns graze peacefully beyond distant rainbow mountains. [1]",
    ],
)
def test_unsupported_sentences_are_marked(false: str) -> None:
    checked = check_citations(f"Booking opens at most 18 connections [1]. {false}", [POOL, LOCK])
    assert checked.text.endswith(f"{false} {NOT_IN_MEMORY_MARK}")
    assert checked.unsupported == (false.removesuffix(" [1]"),)
    assert checked.used == ("pool",)


def test_a_fact_must_be_in_the_cited_passage() -> None:
    assert check_citations("The acquire timeout is 2 s. [2]", [POOL, LOCK]).unsupported == (
        "The acquire timeout is 2 s.",
    )
    assert check_citations("The acquire timeout is 2 s.", [POOL, LOCK]).unsupported == ()


def test_number_words_match_digits() -> None:
    assert check_citations("The acquire timeout is two seconds. [1]", [POOL]).unsupported == ()


def test_saying_that_memory_does_not_cover_it_needs_no_support() -> None:
    answer = "The passages do not say how large the replica is."
    assert check_citations(answer, [POOL]).text == answer
    assert check_citations("Nothing in memory covers this.", []).unsupported == ()


def test_lists_and_lines_keep_their_layout() -> None:
    answer = "Two things:\n\n- 18 connections per task [1]\n- locked per vet and day [2]\n"
    assert check_citations(answer, [POOL, LOCK]).text == answer


def test_images_and_links_cannot_leak_words() -> None:
    checked = check_citations(
        "![x](https://evil.example/?q=18) 18 connections, see [this](https://evil.example/a). [1]", [POOL]
    )
    assert "](" not in checked.text
    assert checked.unsupported


def test_empty_answers_stay_empty() -> None:
    assert check_citations("", [POOL]).text == ""
    assert check_citations("", []).used == ()
