"""Tell a server of this user, which holds a lock on its record while it runs, from another program on its port.

Clients ask before they connect, so that whoever takes the port of a stopped server gets no key. The hook imports this,
so it uses only the standard library.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os

from loremark.base.folders import state_folder

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_MAX_BYTES = 65_536


def folder() -> str:
    """The folder with the records."""
    return os.path.join(state_folder(), "servers")


def record_path(port: int) -> str:
    return os.path.join(folder(), f"{port}.json")


def refuse_stopped(host: str, port: int) -> None:
    """Raise ConnectionRefusedError if this user's server at this address has stopped, whoever listens there now."""
    if host not in _LOOPBACK:
        return
    path = record_path(port)
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        is_stopped = not is_locked(number) and _has_data(os.pread(number, _MAX_BYTES, 0))
    except OSError:
        return
    finally:
        os.close(number)
    if is_stopped:
        raise ConnectionRefusedError(errno.ECONNREFUSED, f"your server there has stopped ({path})")


def is_locked(number: int) -> bool:
    """Whether a server holds the lock on this open record."""
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _has_data(record: bytes) -> bool:
    """Whether the server could be started again."""
    try:
        data_dir = json.loads(record)["dataDir"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(data_dir, str) and os.path.isdir(data_dir)
