"""The flusher: batches spool records, sends the batches, and resumes after a crash or an outage.

A lock allows only one flusher at a time. It exits when the queue is empty, or when the server has been unavailable for
a few minutes; the next hook starts another one.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any, NamedTuple

from loremark.base import clock, ids, profile
from loremark.hook import (
    batching,
    briefing,
    delivery,
    files,
    outbox,
    reading_settings,
    sessions,
    spool,
    spool_limits,
)
from loremark.hook.spawn import acquire_lock, start_reading

_SETTLE_S = 0.4
_PATIENCE_S = 180.0
_FOREGROUND_PATIENCE_S = 10.0
_FIRST_WAIT_S = 1.0
_MAX_WAIT_S = 30.0
_STATUS_BYTES = 65_536


class Status(NamedTuple):
    """The state of the queue: pending, rejected and dropped records, and the last errors."""

    waiting: int
    records: dict[str, int]
    batches: int
    rejected: int
    rejected_reason: str
    oldest_ms: int | None
    size_bytes: int
    dropped: int
    last_sent_ms: int | None
    last_error: str
    last_error_ms: int | None
    is_running: bool


def run(
    *, include_open_turns: bool = True, retry_rejected: bool = False, seconds: float = _FOREGROUND_PATIENCE_S
) -> bool:
    """Flush in this process. Returns False if another flusher is running."""
    lock = acquire_lock()
    if lock is None:
        return False
    if retry_rejected:
        outbox.retry_rejected()
    flush(lock, include_open_turns=include_open_turns, seconds=seconds)
    return True


def flush(lock: int, *, include_open_turns: bool = False, settle: bool = False, seconds: float = _PATIENCE_S) -> None:
    """Process the queue until it is empty. Takes over the lock and releases it at the end."""
    while True:
        try:
            if settle:
                clock.pause(_SETTLE_S)  # duplicate events arrive at almost the same time
            _work(include_open_turns=include_open_turns, seconds=seconds)
        finally:
            os.close(lock)
        # Hooks that ran while we held the lock did not start a flusher.
        if outbox.list_names() or not any(spool.kind_of(name) in spool.URGENT for name in spool.list_names()):
            return
        again = acquire_lock()
        if again is None:
            return
        lock = again


def _work(*, include_open_turns: bool, seconds: float) -> None:
    deadline = clock.monotonic() + seconds
    wait = _FIRST_WAIT_S
    projects: dict[tuple[str, str], None] = {}
    batching.remove_batched_records()
    while True:
        batching.build_batches(include_open_turns=include_open_turns)
        outcome = delivery.send_all()
        projects |= dict.fromkeys(outcome.projects)
        _save_status(outcome)
        if not outcome.should_retry:
            break
        if outcome.sent:
            wait, deadline = _FIRST_WAIT_S, clock.monotonic() + seconds
        pause = max(outcome.wait_s, wait * (0.5 + ids.fraction()))
        if clock.monotonic() + pause > deadline:
            break
        clock.pause(pause)
        wait = min(2 * wait, _MAX_WAIT_S)
    _enrich_and_refresh(projects)
    spool_limits.trim()


def _enrich_and_refresh(projects: dict[tuple[str, str], None]) -> None:
    """Enrich sessions that have ended, or have an agent read them first, and refresh the cached briefings."""
    waiting = {batch.session for name in outbox.list_names() if (batch := outbox.read(name)) is not None}
    saved_profile = profile.load()
    wanted = saved_profile is not None and saved_profile.enrich
    due = [key for key in sessions.list_due() if key not in waiting] if wanted else []
    if due and reading_settings.load().enabled:
        start_reading()
    else:
        for key in due:
            delivery.enrich(key)
    for url, project in projects:
        briefing.refresh(url, project, seconds=delivery.TIMEOUT_S)


def _save_status(outcome: delivery.Outcome) -> None:
    """Save the outcome for ``loremark doctor``. Failing to save it is not an error."""
    if not outcome.sent and not outcome.error:
        return
    saved = _read_status()
    now_ms = clock.now_ms()
    if outcome.sent:
        saved["last_sent_ms"] = now_ms
    saved["last_error"] = outcome.error
    if outcome.error:
        saved["last_error_ms"] = now_ms
    try:
        files.write_atomic(_status_path(), json.dumps(saved).encode())
    except OSError:
        return


def status() -> Status:
    """Return the state of the queue for ``loremark doctor``."""
    names, batches = spool.list_names(), outbox.list_names()
    saved = _read_status()
    times = [at for name in (*names, *batches) if (at := spool.timestamp_ms(name))]
    lock = _try_lock()
    return Status(
        waiting=len(names) + len(batches),
        records=dict(Counter(map(spool.kind_of, names))),
        batches=len(batches),
        rejected=len(outbox.list_rejected()),
        rejected_reason=outbox.last_reason(),
        oldest_ms=min(times, default=None),
        size_bytes=spool_limits.size_bytes(),
        dropped=spool_limits.dropped_count(),
        last_sent_ms=_number(saved.get("last_sent_ms")),
        last_error=str(saved.get("last_error", "")),
        last_error_ms=_number(saved.get("last_error_ms")),
        is_running=lock is None,
    )


def _try_lock() -> int | None:
    """Return None while a flusher is running, otherwise a closed descriptor."""
    try:
        lock = acquire_lock()
    except OSError:
        return -1
    if lock is not None:
        os.close(lock)
    return lock


def _status_path() -> str:
    return os.path.join(spool.folder(), "status.json")


def _read_status() -> dict[str, Any]:
    data = files.read_bounded(_status_path(), _STATUS_BYTES)
    try:
        saved = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return saved if isinstance(saved, dict) else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None
