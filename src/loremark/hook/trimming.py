"""Bounds of the spool: when it is full, what was refused goes first, then details of tools, then old turns; the oldest
of each. Saves never."""

from __future__ import annotations

import os

from loremark.base import clock
from loremark.base.folders import cache_folder
from loremark.hook import files, outbox, spool

MOST_BYTES = 256 << 20
_STALE_MS = clock.DAY_MS
_BRIEFED_MS = 14 * clock.DAY_MS
_COUNT_BYTES = 32


def trim(most_bytes: int = MOST_BYTES) -> int:
    """Remove what there is no room for, and parts of files that nobody writes any more; how many records went."""
    _sweep_parts()
    _sweep_briefed()
    size = size_bytes()
    if size <= most_bytes:
        files.remove(full_path())
        return 0
    gone, freed = _trim_refused(size - most_bytes)
    size -= freed
    for wanted in ({spool.TOOL}, {spool.SESSION_START, spool.ANSWER, spool.PROMPT, *spool.ENDS}):
        for name in spool.list_names():
            if size <= most_bytes:
                break
            if spool.kind_of(name) in wanted:
                size -= _size(os.path.join(spool.records_folder(), name))
                files.remove(os.path.join(spool.records_folder(), name))
                gone += 1
    files.write_whole(_dropped_path(), str(dropped() + gone).encode())
    if size > most_bytes:
        files.write_whole(full_path(), b"")  # the hook then leaves details out
    else:
        files.remove(full_path())
    return gone


def _trim_refused(most_bytes: int) -> tuple[int, int]:
    """Let the oldest batches go that no server wanted; how many, and the bytes that makes."""
    gone = freed = 0
    for name in files.list_names(outbox.refused_folder()):
        if freed >= most_bytes and not name.endswith(".reason"):  # a reason goes with its batch
            break
        path = os.path.join(outbox.refused_folder(), name)
        freed += _size(path)
        files.remove(path)
        gone += name.endswith(".json")
    return gone, freed


def full_path() -> str:
    return os.path.join(spool.folder(), "full")


def dropped() -> int:
    """How many records were let go for want of room, ever."""
    told = files.read_bounded(_dropped_path(), _COUNT_BYTES) or b"0"
    return int(told) if told.isdigit() else 0


def size_bytes() -> int:
    """What waits and what was refused, in bytes."""
    where = (spool.records_folder(), outbox.folder(), outbox.refused_folder())
    return sum(_size(os.path.join(folder, name)) for folder in where for name in files.list_names(folder))


def _sweep_parts() -> None:
    for folder in (spool.folder(), spool.records_folder(), outbox.folder(), outbox.refused_folder()):
        try:
            entries = [entry for entry in os.scandir(folder) if entry.name.endswith(files.PART)]
        except OSError:
            continue
        for entry in entries:
            if clock.now_ms() - int(entry.stat(follow_symlinks=False).st_mtime * 1_000) > _STALE_MS:
                files.remove(entry.path)


def _sweep_briefed() -> None:
    """Which sessions were briefed is of no use when they are over."""
    folder = os.path.join(cache_folder(), "briefed")
    for name in files.list_names(folder):
        path = os.path.join(folder, name)
        if clock.now_ms() - os.stat(path).st_mtime_ns // 1_000_000 > _BRIEFED_MS:
            files.remove(path)


def _dropped_path() -> str:
    return os.path.join(spool.folder(), "dropped")


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
