"""Waiting for another process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from loremark.base import clock

Found = TypeVar("Found")


def until(ask: Callable[[], Found], seconds: float = 60.0) -> Found:
    """Ask until the answer is true and return it; fail with the last answer after the time limit."""
    stop = time.monotonic() + seconds
    while not (found := ask()):
        assert time.monotonic() < stop, found
        clock.pause(0.05)
    return found
