"""Identifiers: unique, and in the order they were made, whatever the clock does."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremark.base import clock, ids

MOMENTS = st.integers(min_value=0, max_value=4_102_444_800_000)  # until the year 2100
PREFIXES = st.sampled_from(["prj", "usr", "team", "req"])


@pytest.fixture(autouse=True)
def _own_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that travels in time leaves no trace in the identifiers of later ones."""
    monkeypatch.setattr(ids, "_last", 0)


@given(moments=st.lists(MOMENTS, min_size=2, max_size=40), prefix=PREFIXES)
def test_later_is_greater_even_when_the_clock_goes_back(moments: list[int], prefix: str) -> None:
    readings = iter(moments)
    with clock.use(lambda: next(readings)):
        made = [ids.new(prefix) for _ in moments]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(ids.looks_valid(one, prefix) for one in made)


@given(first=MOMENTS, second=MOMENTS)
def test_the_time_is_in_front_so_that_processes_agree_on_the_order(first: int, second: int) -> None:
    def made_by_another_process(at_ms: int) -> str:
        with pytest.MonkeyPatch.context() as patch, clock.use(lambda: at_ms):
            patch.setattr(ids, "_last", 0)
            return ids.new("prj")

    if first != second:
        assert (made_by_another_process(first) < made_by_another_process(second)) == (first < second)


def test_many_in_one_millisecond_are_in_order_and_cannot_be_guessed_from_each_other() -> None:
    with clock.use(lambda: 1_800_000_000_000):
        made = [ids.new("prj") for _ in range(5_000)]
    assert made == sorted(set(made))
    numbers = [_number(one) for one in made]
    steps = [later - earlier for earlier, later in itertools.pairwise(numbers)]
    assert len(set(steps)) == len(steps)
    assert min(steps) > 1


def _number(made: str) -> int:
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    number = 0
    for character in made.partition("_")[2]:
        number = number * 32 + alphabet.index(character)
    return number


def test_the_number_holds_the_millisecond() -> None:
    with clock.use(lambda: 1_800_000_000_123):
        assert _number(ids.new("prj")) >> 80 == 1_800_000_000_123


def test_threads_never_make_the_same_one() -> None:
    made: list[list[str]] = [[] for _ in range(4)]

    def work(mine: list[str]) -> None:
        mine.extend(ids.new("evt") for _ in range(2_000))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(mine == sorted(mine) for mine in made)
    assert len({one for mine in made for one in mine}) == 8_000


def _altered(valid: str) -> Iterator[tuple[str, str]]:
    yield "empty", ""
    yield "one character short", valid[:-1]
    yield "one character long", valid + "0"
    yield "upper case", valid.upper()
    yield "a letter that is left out of the alphabet", valid[:-1] + "l"
    yield "no prefix", valid.partition("_")[2]
    yield "a line break after it", valid + "\n"
    yield "NUL after it", valid + "\0"
    yield "a digit of another script", valid[:-1] + "٣"


@pytest.mark.parametrize(("why", "text"), [pytest.param(*case, id=case[0]) for case in _altered("prj_" + "0" * 26)])
def test_what_does_not_look_like_an_identifier(why: str, text: str) -> None:
    assert not ids.looks_valid(text), why
    assert not ids.looks_valid(text, "prj"), why


def test_an_identifier_of_another_kind_is_told_apart() -> None:
    assert ids.looks_valid(ids.new("prj"))
    assert not ids.looks_valid(ids.new("prj"), "usr")
    assert not ids.looks_valid(ids.new("prj"), "pr")


def test_tokens_are_long_random_and_safe_in_addresses() -> None:
    tokens = {ids.token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(len(token) >= 43 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)
    assert len({ids.token_bytes(12) for _ in range(200)}) == 200
    assert all(0 <= ids.fraction() < 1 for _ in range(200))
