"""The flusher: makes batches of the spool, sends them, and goes on with what a crash or an absent server left.

Only one works at a time, by a lock that it holds while it lives. It ends when nothing is left to do, or when the
server has been away for some minutes; the next hook starts another.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any, NamedTuple

from loremark.base import clock, ids, profile
from loremark.hook import briefing, files, gathering, outbox, sending, sessions, spool, trimming
from loremark.hook.starting import start, take_lock

__all__ = ["Status", "flush", "run", "start", "status"]

_SETTLE = 0.4
_PATIENCE = 180.0
_PATIENCE_HERE = 10.0
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 30.0
_STATUS_BYTES = 65_536


class Status(NamedTuple):
    """What waits: records, batches and their oldest moment; what was refused or let go; what went wrong last."""

    waiting: int
    records: dict[str, int]
    batches: int
    refused: int
    oldest_ms: int | None
    size_bytes: int
    dropped: int
    last_sent_ms: int | None
    last_error: str
    last_error_ms: int | None
    is_running: bool


def run(*, everything: bool = True, seconds: float = _PATIENCE_HERE) -> bool:
    """Flush here and now, and wait for it; False while another flusher is at work."""
    lock = take_lock()
    if lock is None:
        return False
    flush(lock, everything=everything, seconds=seconds)
    return True


def flush(lock: int, *, everything: bool = False, settle: bool = False, seconds: float = _PATIENCE) -> None:
    """Work until nothing is left, with the lock that is given; it is let go at the end."""
    while True:
        try:
            if settle:
                clock.pause(_SETTLE)  # agents that tell things twice do so at once
            _work(everything=everything, seconds=seconds)
        finally:
            os.close(lock)
        # What was put while the lock was held found it taken and left it to us.
        if outbox.list_names() or not any(spool.kind_of(name) in spool.URGENT for name in spool.list_names()):
            return
        again = take_lock()
        if again is None:
            return
        lock = again


def _work(*, everything: bool, seconds: float) -> None:
    stop = clock.monotonic() + seconds
    wait = _FIRST_WAIT
    touched: dict[tuple[str, str], None] = {}
    gathering.finish_begun()
    while True:
        gathering.gather(everything=everything)
        outcome = sending.send_all()
        touched |= dict.fromkeys(outcome.projects)
        _note(outcome)
        if not outcome.again:
            break
        if outcome.sent:
            wait, stop = _FIRST_WAIT, clock.monotonic() + seconds
        pause = max(outcome.wait, wait * (0.5 + ids.fraction()))
        if clock.monotonic() + pause > stop:
            break
        clock.pause(pause)
        wait = min(2 * wait, _LONGEST_WAIT)
    _finish(touched)
    trimming.trim()


def _finish(touched: dict[tuple[str, str], None]) -> None:
    """Sessions that ended become memory, and the briefing is fetched for the next session."""
    waiting = {batch.session for name in outbox.list_names() if (batch := outbox.read(name)) is not None}
    person = profile.load()
    for key in sessions.list_due() if person is not None and person.enrich else ():
        if key not in waiting:
            sending.enrich(key)
    for url, project in touched:
        briefing.refresh(url, project, seconds=sending.SECONDS)


def _note(outcome: sending.Outcome) -> None:
    """Leave word for the doctor; that it cannot be left is no fault."""
    if not outcome.sent and not outcome.error:
        return
    known = _read_note()
    now_ms = clock.now_ms()
    if outcome.sent:
        known["last_sent_ms"] = now_ms
    known["last_error"] = outcome.error
    if outcome.error:
        known["last_error_ms"] = now_ms
    try:
        files.write_whole(_note_path(), json.dumps(known).encode())
    except OSError:
        return


def status() -> Status:
    """What ``loremark doctor`` tells."""
    names, batches = spool.list_names(), outbox.list_names()
    note = _read_note()
    times = [at for name in (*names, *batches) if (at := spool.time_of(name))]
    lock = _try_lock()
    return Status(
        waiting=len(names) + len(batches),
        records=dict(Counter(map(spool.kind_of, names))),
        batches=len(batches),
        refused=sum(name.endswith(".json") for name in files.list_names(outbox.refused_folder())),
        oldest_ms=min(times, default=None),
        size_bytes=trimming.size_bytes(),
        dropped=trimming.dropped(),
        last_sent_ms=_number(note.get("last_sent_ms")),
        last_error=str(note.get("last_error", "")),
        last_error_ms=_number(note.get("last_error_ms")),
        is_running=lock is None,
    )


def _try_lock() -> int | None:
    """None while a flusher works; else a handle that is closed already."""
    try:
        lock = take_lock()
    except OSError:
        return -1
    if lock is not None:
        os.close(lock)
    return lock


def _note_path() -> str:
    return os.path.join(spool.folder(), "status.json")


def _read_note() -> dict[str, Any]:
    data = files.read_bounded(_note_path(), _STATUS_BYTES)
    try:
        note = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None
