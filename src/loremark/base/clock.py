"""The only module that reads the time.

Times are integer milliseconds since the epoch, in names that end in ``_ms``. Only tests replace the source, with
``use``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _system_ms() -> int:
    return time.time_ns() // 1_000_000


_source: Callable[[], int] = _system_ms


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return _source()


def monotonic() -> float:
    """Seconds on a monotonic clock, for measuring durations."""
    return time.perf_counter()


def pause(seconds: float) -> None:
    """Sleep. Blocks the thread, so never call it on the event loop."""
    time.sleep(seconds)


def iso(at_ms: int) -> str:
    """Format for the API: ISO 8601, UTC, milliseconds, ``Z``."""
    seconds, rest = divmod(at_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{rest:03d}Z"


LAST_MS = 253_402_300_799_999
"""The end of the year 9999, the last that can be written."""


def epoch_ms(at: datetime) -> int:
    """Convert to epoch milliseconds. Times before 1970 become 0."""
    return max(0, (at - _EPOCH) // _MILLISECOND)


def rfc2822(at_ms: int) -> str:
    """Format for email headers."""
    at = datetime.fromtimestamp(at_ms // 1000, tz=UTC)
    return f"{_DAYS[at.weekday()]}, {at.day:02d} {_MONTHS[at.month - 1]} {at.year:04d} {at:%H:%M:%S} +0000"


def iso_or_none(at_ms: int | None) -> str | None:
    return None if at_ms is None else iso(at_ms)


@contextmanager
def use(source: Callable[[], int]) -> Iterator[None]:
    """Replace the time source within the block (tests only)."""
    global _source
    before = _source
    _source = source
    try:
        yield
    finally:
        _source = before
