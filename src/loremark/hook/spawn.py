"""Start the flusher, or the reading of finished sessions, as a detached background process, one of each at a time."""

from __future__ import annotations

import os

from loremark.base import clock
from loremark.hook import files, spool

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from collections.abc import Callable

# Low-priority records start a flusher only if none has run for this long.
_DETAILS_DELAY_MS = 10 * clock.MINUTE_MS
_MAX_FILE_DESCRIPTORS = 4_096
# A flusher that runs longer is stuck; the next one resumes its work.
_MAX_LIFETIME_S = 900
_MAX_READING_S = 3_600
_FLUSHER_LOCK, _READING_LOCK = "lock", "reading.lock"


def start_flusher(kind: str = spool.TURN_END) -> None:
    """Start a flusher unless one is running or this kind of record can wait. Doesn't block and never raises."""
    try:
        if kind in (spool.TOOL, spool.ANSWER, spool.PROMPT) and not _is_overdue():
            return
        lock = acquire_lock()
        if lock is None:
            return
        try:
            _detach(lock, _flush)
        finally:
            os.close(lock)
    except OSError:
        return


def start_reading() -> None:
    """Start reading finished sessions unless that is running. Doesn't block and never raises."""
    try:
        lock = acquire_lock(_READING_LOCK)
        if lock is None:
            return
        try:
            _detach(lock, _read)
        finally:
            os.close(lock)
    except OSError:
        return


def acquire_lock(name: str = _FLUSHER_LOCK) -> int | None:
    """Return the lock, or None if it is taken. Held while the descriptor is open, in children too."""
    import fcntl  # lazy: most runs of the hook start no flusher

    files.ensure_private_folder(spool.folder())
    lock = os.open(os.path.join(spool.folder(), name), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        write_lock_owner(lock)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:
        os.close(lock)
        raise
    return lock


def write_lock_owner(lock: int) -> None:
    """Write our process ID to the lock file; its mtime records the last run."""
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)


def limit_lifetime(seconds: int = _MAX_LIFETIME_S) -> None:
    """Kill this process after the given time, so a stuck flusher can't hold the lock forever."""
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # may be ignored or blocked by a parent
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))
    signal.alarm(seconds)


def _is_overdue() -> bool:
    try:
        return (
            clock.now_ms() - os.stat(os.path.join(spool.folder(), _FLUSHER_LOCK)).st_mtime_ns // 1_000_000
            > _DETAILS_DELAY_MS
        )
    except FileNotFoundError:
        return True


def _detach(lock: int, work: Callable[[int], None]) -> None:
    """Double-fork into a new session, so the process survives the agent."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            work(_close_all_but(lock))
    finally:
        os._exit(0)


def _close_all_but(lock: int) -> int:
    os.chdir("/")
    os.umask(0o077)
    lock_fd = os.dup2(lock, 3, inheritable=False) if lock != 3 else lock
    devnull = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(devnull, handle)
    os.closerange(4, _MAX_FILE_DESCRIPTORS)
    write_lock_owner(lock_fd)
    return lock_fd


def _flush(lock: int) -> None:
    limit_lifetime()
    from loremark.hook.flush import flush  # lazy: too slow for the hook itself

    flush(lock, settle=True)


def _read(lock: int) -> None:
    limit_lifetime(_MAX_READING_S)
    from loremark.hook.reading import read_due_sessions

    read_due_sessions()
