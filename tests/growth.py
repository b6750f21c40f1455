"""Guards against superlinear running time that hold on a slow or busy machine.

A limit in seconds fails when the machine is loaded and passes when it is fast enough to hide the problem. These
guards compare a function with itself: the same work at one, two and four times the size, in the same process. Linear
work takes about 4 times as long at four times the size, quadratic work about 16 times.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from tests.support.selection import NIGHTLY

Work = Callable[[], object]

FACTORS = (1, 2, 4)
MAX_RATIO = 10.0
"""Between linear (4) and quadratic (16), with room for noise on both sides."""
DAY_SCALE = 3
"""In ``make test`` the sizes are this many times smaller than in ``make nightly``."""
_REFERENCE_STEPS = 200_000
"""About 10 ms on a current machine. A run shorter than the reference counts as long as the reference: it is mostly
noise. So work that takes less than ten times the reference at four times the size passes on any machine."""
_MAX_ROUNDS = 8


def assert_subquadratic(
    prepare: Callable[[int, int], Work], size: int, *, max_ratio: float = MAX_RATIO, day_scale: int = DAY_SCALE
) -> None:
    """Assert that the work at ``4 * size`` takes less than ``max_ratio`` times as long as the work at ``size``.

    ``prepare(size, repetition)`` builds the input and returns the work to time. Use ``repetition`` to make each input
    unique where the code under test caches by content; otherwise only the first round measures anything.

    The three sizes run in turn, and the fastest time of each counts: interruptions only ever add time. Only the CPU
    time of this thread is measured. One round is enough if it shows less than half of the limit; otherwise up to eight
    follow, until the ratio is small enough.
    """
    if not NIGHTLY:
        size = max(1, size // day_scale)
    fastest = dict.fromkeys(FACTORS, float("inf"))
    reference = float("inf")
    for repetition in range(_MAX_ROUNDS):
        reference = min(reference, _cpu_seconds(_reference_work))
        for factor in FACTORS:
            fastest[factor] = min(fastest[factor], _cpu_seconds(prepare(factor * size, repetition)))
        ratio = fastest[FACTORS[-1]] / max(fastest[FACTORS[0]], reference)
        if ratio < (max_ratio if repetition else max_ratio / 2):
            return
    times = ", ".join(f"{factor * size}: {fastest[factor] * 1000:.1f} ms" for factor in FACTORS)
    raise AssertionError(f"four times the input took {ratio:.1f} times as long, limit {max_ratio} ({times})")


def assert_subquadratic_on(text: str, work: Callable[[str], object], *, max_ratio: float = MAX_RATIO) -> None:
    """Assert the same for the first quarter, the first half and all of a text. The work must not cache by content."""

    def prepare(size: int, repetition: int) -> Work:
        return lambda: work(text[:size])

    assert_subquadratic(prepare, max(1, len(text) // FACTORS[-1]), max_ratio=max_ratio)


def _reference_work() -> int:
    return sum(step & 7 for step in range(_REFERENCE_STEPS))


def _cpu_seconds(work: Work) -> float:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        started = time.thread_time()
        work()
        return time.thread_time() - started
    finally:
        if was_enabled:
            gc.enable()
