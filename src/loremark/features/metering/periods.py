"""The months in which plans are counted."""

from __future__ import annotations

from loremark.base import clock

FOR_EVER = "for ever"
"""The period of what is not counted anew each month."""


def period(at_ms: int | None = None) -> str:
    """The month, in which a plan's allowance is counted: this one, or the one of a moment."""
    return clock.iso(clock.now_ms() if at_ms is None else at_ms)[:7]


def month_start_ms(at_ms: int) -> int:
    """When the month of a moment began."""
    told = clock.iso(at_ms)
    day_ms = int(told[11:13]) * clock.HOUR_MS + int(told[14:16]) * clock.MINUTE_MS
    day_ms += int(told[17:19]) * clock.SECOND_MS + int(told[20:23])
    return at_ms - (int(told[8:10]) - 1) * clock.DAY_MS - day_ms
