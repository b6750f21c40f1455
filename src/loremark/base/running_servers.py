"""The servers that this user runs on this machine. Each records itself, so that commands can find and restart it.

A server holds a lock on its record while it runs. The record stays when it stops.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from loremark.base import clock
from loremark.base.server_lock import folder, is_locked, record_path

_MAX_BYTES = 65_536
_LOCK_ATTEMPTS, _LOCK_DELAY_S = 10, 0.02


class ServerRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A server of this user. ``environment`` are the settings to start it again, or to open its data."""

    url: str
    """The address for programs on this machine."""
    base_url: str
    """The address in links."""
    port: int
    pid: int
    version: str
    data_dir: str
    environment: dict[str, str]
    started_at_ms: int
    on_sqlite: bool = True
    log_file: str = ""
    """Where it writes its log; empty if it runs in a terminal or under a service manager."""
    is_running: bool = False


@contextmanager
def recorded(server: ServerRecord) -> Iterator[None]:
    """Record the server while the block runs. Without a writable home folder, it only cannot be found."""
    number = _open_locked(record_path(server.port))
    if number is None:
        yield
        return
    try:
        os.ftruncate(number, 0)
        os.pwrite(number, msgspec.json.encode(server), 0)
        yield
    finally:
        os.close(number)


def list_running() -> list[ServerRecord]:
    """The servers that are running, the one started last first."""
    return [server for server in list_known() if server.is_running]


def find_running(url: str | None = None) -> ServerRecord | None:
    """The running server with this address, or without one the server that was started last."""
    return next((server for server in list_running() if url in (None, server.url, server.base_url)), None)


def list_known() -> list[ServerRecord]:
    """The servers whose data is still there, running or not, the one started last first."""
    try:
        names = [name for name in os.listdir(folder()) if name.endswith(".json")]
    except OSError:
        return []
    found = (_read(os.path.join(folder(), name)) for name in names)
    known = [server for server in found if server is not None and os.path.isdir(server.data_dir)]
    return sorted(known, key=lambda server: server.started_at_ms, reverse=True)


def _open_locked(path: str) -> int | None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    for _ in range(_LOCK_ATTEMPTS):  # somebody may be looking whether it is locked
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            clock.pause(_LOCK_DELAY_S)
        else:
            return number
    os.close(number)
    return None


def _read(path: str) -> ServerRecord | None:
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        server = msgspec.json.decode(os.pread(number, _MAX_BYTES, 0), type=ServerRecord)
        return msgspec.structs.replace(server, is_running=is_locked(number))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    finally:
        os.close(number)
