"""Starting the flusher: apart from the agent, one at a time, and not for every tool that ran."""

from __future__ import annotations

import fcntl
import os

from loremark.base import clock
from loremark.hook import files, spool

# Details alone start a flusher only when none has run for so long.
_QUIET_MS = 10 * clock.MINUTE_MS
_MOST_HANDLES = 4_096
# A flusher that lives longer hangs somewhere: the next one goes on where it was.
_LIFE_SECONDS = 900


def start(kind: str = spool.TURN_END) -> None:
    """Start a flusher unless one is at work, or the kind of record can wait. Returns at once; never raises."""
    try:
        if kind in (spool.TOOL, spool.ANSWER, spool.PROMPT) and not _is_long_ago():
            return
        lock = take_lock()
        if lock is None:
            return
        try:
            _detach(lock)
        finally:
            os.close(lock)
    except OSError:
        return


def take_lock() -> int | None:
    """The flusher's lock, held as long as the handle is open, also by a child; None while another holds it."""
    files.private_folder(spool.folder())
    lock = os.open(_lock_path(), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        note_holder(lock)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:
        os.close(lock)
        raise
    return lock


def note_holder(lock: int) -> None:
    """Say in the lock's file which process holds it; that also marks the time."""
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)


def limit_life(seconds: int = _LIFE_SECONDS) -> None:
    """End this process after so long, whatever it waits for: nobody else could take its lock."""
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # whoever started the agent may have had it ignored or held back
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))
    signal.alarm(seconds)


def _lock_path() -> str:
    return os.path.join(spool.folder(), "lock")


def _is_long_ago() -> bool:
    try:
        return clock.now_ms() - os.stat(_lock_path()).st_mtime_ns // 1_000_000 > _QUIET_MS
    except FileNotFoundError:
        return True


def _detach(lock: int) -> None:
    """Twice a child, the second in a session of its own, so that nothing that ends the agent ends it."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _run(lock)
    finally:
        os._exit(0)


def _run(lock: int) -> None:
    os.chdir("/")
    os.umask(0o077)
    kept = os.dup2(lock, 3, inheritable=False) if lock != 3 else lock
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(nothing, handle)
    os.closerange(4, _MOST_HANDLES)
    note_holder(kept)
    limit_life()
    from loremark.hook.flush import flush  # here, in the child: the hook itself has no time to load it

    flush(kept, settle=True)
