"""Start the flusher as a detached background process, one at a time and not for every tool call."""

from __future__ import annotations

import os

from loremark.base import clock
from loremark.hook import files, spool

# Low-priority records start a flusher only if none has run for this long.
_DETAILS_DELAY_MS = 10 * clock.MINUTE_MS
_MAX_FILE_DESCRIPTORS = 4_096
# A flusher that runs longer is stuck; the next one resumes its work.
_MAX_LIFETIME_S = 900


def start_flusher(kind: str = spool.TURN_END) -> None:
    """Start a flusher unless one is running or this kind of record can wait. Doesn't block and never raises."""
    try:
        if kind in (spool.TOOL, spool.ANSWER, spool.PROMPT) and not _is_overdue():
            return
        lock = acquire_lock()
        if lock is None:
            return
        try:
            _detach(lock)
        finally:
            os.close(lock)
    except OSError:
        return


def acquire_lock() -> int | None:
    """Return the flusher's lock, or None if it is taken. Held while the descriptor is open, in children too."""
    import fcntl  # lazy: most runs of the hook start no flusher

    files.ensure_private_folder(spool.folder())
    lock = os.open(_lock_path(), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
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


def _lock_path() -> str:
    return os.path.join(spool.folder(), "lock")


def _is_overdue() -> bool:
    try:
        return clock.now_ms() - os.stat(_lock_path()).st_mtime_ns // 1_000_000 > _DETAILS_DELAY_MS
    except FileNotFoundError:
        return True


def _detach(lock: int) -> None:
    """Double-fork into a new session, so the flusher survives the agent."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _run_flusher(lock)
    finally:
        os._exit(0)


def _run_flusher(lock: int) -> None:
    os.chdir("/")
    os.umask(0o077)
    lock_fd = os.dup2(lock, 3, inheritable=False) if lock != 3 else lock
    devnull = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(devnull, handle)
    os.closerange(4, _MAX_FILE_DESCRIPTORS)
    write_lock_owner(lock_fd)
    limit_lifetime()
    from loremark.hook.flush import flush  # lazy: too slow for the hook itself

    flush(lock_fd, settle=True)
