"""Identifiers are unique and sort by creation order, even when the clock jumps."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremark.base import clock, ids

TIMES_MS = st.integers(min_value=0, max_value=4_102_444_800_000)  # until the year 2100
PREFIXES = st.sampled_from(["prj", "usr", "team", "req"])


@pytest.fixture(autouse=True)
def _reset_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests that move the clock from affecting the identifiers of later tests."""
    monkeypatch.setattr(ids, "_last", 0)


@given(times_ms=st.lists(TIMES_MS, min_size=2, max_size=40), prefix=PREFIXES)
def test_ids_increase_even_when_the_clock_goes_back(times_ms: list[int], prefix: str) -> None:
    readings = iter(times_ms)
    with clock.use(lambda: next(readings)):
        created = [ids.new(prefix) for _ in times_ms]
    assert created == sorted(created)
    assert len(set(created)) == len(created)
    assert all(ids.looks_valid(one, prefix) for one in created)


@given(first=TIMES_MS, second=TIMES_MS)
def test_ids_sort_by_time_across_processes(first: int, second: int) -> None:
    def new_id_in_another_process(at_ms: int) -> str:
        with pytest.MonkeyPatch.context() as patch, clock.use(lambda: at_ms):
            patch.setattr(ids, "_last", 0)
            return ids.new("prj")

    if first != second:
        assert (new_id_in_another_process(first) < new_id_in_another_process(second)) == (first < second)


def test_ids_within_a_millisecond_are_ordered_and_unpredictable() -> None:
    with clock.use(lambda: 1_800_000_000_000):
        created = [ids.new("prj") for _ in range(5_000)]
    assert created == sorted(set(created))
    numbers = [_number(one) for one in created]
    steps = [later - earlier for earlier, later in itertools.pairwise(numbers)]
    assert len(set(steps)) == len(steps)
    assert min(steps) > 1


def _number(identifier: str) -> int:
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    number = 0
    for character in identifier.partition("_")[2]:
        number = number * 32 + alphabet.index(character)
    return number


def test_id_encodes_the_millisecond() -> None:
    with clock.use(lambda: 1_800_000_000_123):
        assert _number(ids.new("prj")) >> 80 == 1_800_000_000_123


def test_threads_never_create_duplicate_ids() -> None:
    created: list[list[str]] = [[] for _ in range(4)]

    def work(mine: list[str]) -> None:
        mine.extend(ids.new("evt") for _ in range(2_000))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in created]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(mine == sorted(mine) for mine in created)
    assert len({one for mine in created for one in mine}) == 8_000


def _malformed(valid: str) -> Iterator[tuple[str, str]]:
    yield "empty", ""
    yield "one character short", valid[:-1]
    yield "one character long", valid + "0"
    yield "upper case", valid.upper()
    yield "a letter that is left out of the alphabet", valid[:-1] + "l"
    yield "no prefix", valid.partition("_")[2]
    yield "a line break after it", valid + "\n"
    yield "NUL after it", valid + "\0"
    yield "a digit of another script", valid[:-1] + "٣"


@pytest.mark.parametrize(("why", "text"), [pytest.param(*case, id=case[0]) for case in _malformed("prj_" + "0" * 26)])
def test_looks_valid_rejects_malformed_ids(why: str, text: str) -> None:
    assert not ids.looks_valid(text), why
    assert not ids.looks_valid(text, "prj"), why


def test_looks_valid_checks_the_prefix() -> None:
    assert ids.looks_valid(ids.new("prj"))
    assert not ids.looks_valid(ids.new("prj"), "usr")
    assert not ids.looks_valid(ids.new("prj"), "pr")


def test_tokens_are_long_random_and_url_safe() -> None:
    tokens = {ids.token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(len(token) >= 43 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)
    assert len({ids.token_bytes(12) for _ in range(200)}) == 200
    assert all(0 <= ids.fraction() < 1 for _ in range(200))
