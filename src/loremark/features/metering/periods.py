"""The periods in which usage is counted."""

from __future__ import annotations

from loremark.base import clock

ALL_TIME = "all-time"
"""The period of counters that do not reset each month."""


def period(at_ms: int | None = None) -> str:
    """The month as ``YYYY-MM``: the current one, or that of a given time."""
    return clock.iso(clock.now_ms() if at_ms is None else at_ms)[:7]


def month_start_ms(at_ms: int) -> int:
    """The start of the month of a given time."""
    iso = clock.iso(at_ms)
    day_ms = int(iso[11:13]) * clock.HOUR_MS + int(iso[14:16]) * clock.MINUTE_MS
    day_ms += int(iso[17:19]) * clock.SECOND_MS + int(iso[20:23])
    return at_ms - (int(iso[8:10]) - 1) * clock.DAY_MS - day_ms
