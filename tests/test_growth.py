"""The growth guard accepts linear work and rejects quadratic work."""

from __future__ import annotations

import pytest

from tests.growth import Work, assert_subquadratic


def _linear(size: int, repetition: int) -> Work:
    return lambda: sum(range(1_000 * size))


def _quadratic(size: int, repetition: int) -> Work:
    return lambda: sum(1 for _ in range(size) for _ in range(size))


def test_linear_work_passes() -> None:
    assert_subquadratic(_linear, 500)


def test_quadratic_work_fails() -> None:
    with pytest.raises(AssertionError, match="four times the input took"):
        assert_subquadratic(_quadratic, 500, day_scale=1)


def test_short_work_passes() -> None:
    assert_subquadratic(_quadratic, 10)
