"""Timestamp formats used by the API and in mail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremark.base import clock

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MS = 253_402_300_799_999  # the end of the year 9999


@pytest.mark.parametrize(
    ("at_ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (999, "1970-01-01T00:00:00.999Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (1_794_757_859_005, "2026-11-15T15:50:59.005Z"),
        (LAST_MS, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_iso(at_ms: int, text: str) -> None:
    assert clock.iso(at_ms) == text


@given(at_ms=st.integers(min_value=0, max_value=LAST_MS))
def test_iso_keeps_milliseconds(at_ms: int) -> None:
    text = clock.iso(at_ms)
    assert len(text) == 24
    assert datetime.fromisoformat(text) - EPOCH == timedelta(milliseconds=at_ms)


@given(first=st.integers(0, LAST_MS), second=st.integers(0, LAST_MS))
def test_iso_strings_sort_chronologically(first: int, second: int) -> None:
    assert (clock.iso(first) < clock.iso(second)) == (first < second)


@given(at_ms=st.integers(min_value=0, max_value=LAST_MS))
def test_rfc2822_round_trips_to_the_second(at_ms: int) -> None:
    parsed = parsedate_to_datetime(clock.rfc2822(at_ms))
    assert parsed - EPOCH == timedelta(seconds=at_ms // 1000)


def test_iso_or_none_passes_none_through() -> None:
    assert clock.iso_or_none(None) is None
    assert clock.iso_or_none(0) == "1970-01-01T00:00:00.000Z"


def test_use_replaces_the_clock_only_inside_the_block() -> None:
    with clock.use(lambda: 5):
        assert clock.now_ms() == 5
        with clock.use(lambda: 7):
            assert clock.now_ms() == 7
        assert clock.now_ms() == 5
    assert abs(clock.now_ms() - datetime.now(UTC).timestamp() * 1000) < 5_000


def test_use_restores_the_clock_when_the_block_raises() -> None:
    with pytest.raises(ZeroDivisionError), clock.use(lambda: 5):
        raise ZeroDivisionError
    assert clock.now_ms() > 1_700_000_000_000
