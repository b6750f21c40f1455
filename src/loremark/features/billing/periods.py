"""Calendar months, in which usage is counted, and subscription months."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime


def month_of(at_ms: int) -> tuple[int, int]:
    """Start and end of the calendar month, UTC."""
    first = datetime.fromtimestamp(at_ms // 1000, UTC).replace(day=1, hour=0, minute=0, second=0)
    return int(first.timestamp()) * 1000, months_after(int(first.timestamp()) * 1000, 1)


def months_after(at_ms: int, months: int) -> int:
    """The same day and time some months later, or the last day of a shorter month."""
    seconds, rest = divmod(at_ms, 1000)
    at = datetime.fromtimestamp(seconds, UTC)
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    day = min(at.day, calendar.monthrange(year, month + 1)[1])
    return int(at.replace(year=year, month=month + 1, day=day).timestamp()) * 1000 + rest


def period_around(started_at_ms: int, at_ms: int) -> tuple[int, int]:
    """The subscription month that contains ``at_ms``, counted from the start of the subscription."""
    started, at = (datetime.fromtimestamp(ms // 1000, UTC) for ms in (started_at_ms, at_ms))
    passed = max(0, (at.year - started.year) * 12 + at.month - started.month)
    if passed and months_after(started_at_ms, passed) > at_ms:
        passed -= 1
    return months_after(started_at_ms, passed), months_after(started_at_ms, passed + 1)
