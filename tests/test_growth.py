"""The growth guard accepts linear work and rejects quadratic work. Steps are counted here instead of timed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import growth
from tests.growth import Work, assert_subquadratic


@pytest.fixture(autouse=True)
def count_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(work: Callable[[], int]) -> float:
        return work() / 20_000_000

    monkeypatch.setattr(growth, "_cpu_seconds", seconds)
    monkeypatch.setattr(growth, "_reference_work", lambda: 200_000)


def _linear(size: int, repetition: int) -> Work:
    return lambda: 1_000 * size


def _quadratic(size: int, repetition: int) -> Work:
    return lambda: size * size


def test_linear_work_passes() -> None:
    assert_subquadratic(_linear, 500)


def test_quadratic_work_fails() -> None:
    with pytest.raises(AssertionError, match="four times the input took"):
        assert_subquadratic(_quadratic, 500, day_scale=1)


def test_short_work_passes() -> None:
    assert_subquadratic(_quadratic, 10)
