"""Limit the size of the spool: drop rejected batches first, then tool records, then old turns. Never drops saves."""

from __future__ import annotations

import os

from loremark.base import clock
from loremark.base.folders import cache_folder
from loremark.hook import files, outbox, private_turns, spool

MAX_BYTES = 256 << 20
_STALE_MS = clock.DAY_MS
_MARKER_RETENTION_MS = 14 * clock.DAY_MS
_COUNT_BYTES = 32


def trim(max_bytes: int = MAX_BYTES) -> int:
    """Delete records beyond the limit and stale temporary files. Returns the number of deleted records."""
    _remove_stale_temporaries()
    _remove_stale_markers()
    size = size_bytes()
    if size <= max_bytes:
        files.remove(full_marker_path())
        return 0
    removed, freed = _trim_rejected(size - max_bytes)
    size -= freed
    for kinds in ({spool.TOOL}, {spool.SESSION_START, spool.ANSWER, spool.PROMPT, *spool.TURN_BOUNDARIES}):
        for name in spool.list_names():
            if size <= max_bytes:
                break
            if spool.kind_of(name) in kinds:
                size -= _size(os.path.join(spool.records_folder(), name))
                files.remove(os.path.join(spool.records_folder(), name))
                removed += 1
    files.write_atomic(_dropped_path(), str(dropped_count() + removed).encode())
    if size > max_bytes:
        files.write_atomic(full_marker_path(), b"")  # tells the hook to skip tool records
    else:
        files.remove(full_marker_path())
    return removed


def _trim_rejected(max_bytes: int) -> tuple[int, int]:
    """Delete the oldest rejected batches. Returns their number and size."""
    removed = freed = 0
    for name in files.list_names(outbox.rejected_folder()):
        if freed >= max_bytes and not name.endswith(".reason"):  # delete the reason with its batch
            break
        path = os.path.join(outbox.rejected_folder(), name)
        freed += _size(path)
        files.remove(path)
        removed += name.endswith(".json")
    return removed, freed


def full_marker_path() -> str:
    return os.path.join(spool.folder(), "full")


def dropped_count() -> int:
    """Return the total number of records dropped so far."""
    count = files.read_bounded(_dropped_path(), _COUNT_BYTES) or b"0"
    return int(count) if count.isdigit() else 0


def size_bytes() -> int:
    """Return the total size of pending and rejected data."""
    where = (spool.records_folder(), outbox.folder(), outbox.rejected_folder())
    return sum(_size(os.path.join(folder, name)) for folder in where for name in files.list_names(folder))


def _remove_stale_temporaries() -> None:
    for folder in (spool.folder(), spool.records_folder(), outbox.folder(), outbox.rejected_folder()):
        try:
            entries = [entry for entry in os.scandir(folder) if entry.name.endswith(files.TEMPORARY_SUFFIX)]
        except OSError:
            continue
        for entry in entries:
            if clock.now_ms() - int(entry.stat(follow_symlinks=False).st_mtime * 1_000) > _STALE_MS:
                files.remove(entry.path)


def _remove_stale_markers() -> None:
    """Delete markers of sessions that were briefed, or had a private turn, long ago, and phrases cached long ago."""
    cached = [os.path.join(cache_folder(), name) for name in ("briefed", "phrases")]
    for folder in (*cached, private_turns.folder()):
        for name in files.list_names(folder):
            path = os.path.join(folder, name)
            if clock.now_ms() - os.stat(path).st_mtime_ns // 1_000_000 > _MARKER_RETENTION_MS:
                files.remove(path)


def _dropped_path() -> str:
    return os.path.join(spool.folder(), "dropped")


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
