"""Files that are whole or not there: written beside their place, synced, moved there. Private to their owner."""

from __future__ import annotations

import os
import stat

_FILE_MODE = 0o600
_FOLDER_MODE = 0o700
PART = ".part"


def private_folder(path: str) -> str:
    """The folder, made with its parents where it is missing, each for its owner only."""
    missing: list[str] = []
    above = path
    while above and not os.path.isdir(above):
        missing.append(above)
        above = os.path.dirname(above.rstrip(os.sep))
    for folder in reversed(missing):
        try:
            os.mkdir(folder, _FOLDER_MODE)
        except FileExistsError:  # somebody else has made it meanwhile; or it is a file
            if not os.path.isdir(folder):
                raise
    return path


def write_whole(path: str, data: bytes, mode: int = _FILE_MODE) -> None:
    """Durable when it returns; a crash before that leaves what was there, and perhaps a part that nobody reads."""
    folder, name = os.path.split(path)
    part = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}{PART}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        try:
            _write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(part, path)
    except OSError:
        remove(part)
        raise
    sync_folder(folder)


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sync_folder(path: str) -> None:
    """Make what was moved, made or removed in it outlast a loss of power."""
    handle = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_bounded(path: str, most_bytes: int, *, owner: bool = False) -> bytes | None:
    """What a plain file holds; None where there is none, where it is a link or a pipe, or larger than that.

    With ``owner`` also None where it belongs to another person, who could have laid it there.
    """
    handle = _open_plain(path)
    if handle is None:
        return None
    try:
        about = os.fstat(handle)
        if about.st_size > most_bytes:
            return None
        if owner and about.st_uid not in (os.geteuid(), 0) and os.geteuid() != 0:
            return None
        return _read_all(handle, most_bytes)
    except OSError:
        return None
    finally:
        os.close(handle)


def read_tail(path: str, most_bytes: int) -> bytes | None:
    """The end of what a plain file holds; None where there is none, where it is a link or a pipe."""
    handle = _open_plain(path)
    if handle is None:
        return None
    try:
        return os.pread(handle, most_bytes, max(0, os.fstat(handle).st_size - most_bytes))
    except OSError:
        return None
    finally:
        os.close(handle)


def _open_plain(path: str) -> int | None:
    """A file to be read; None for what is no plain one. Waits for nobody: a pipe would hold us up for ever."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


def _read_all(handle: int, most_bytes: int) -> bytes | None:
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(handle, 1 << 20):
        size += len(piece)
        if size > most_bytes:
            return None
        pieces.append(piece)
    return b"".join(pieces)


def remove(path: str) -> None:
    """Gone afterwards, whether it was there or not."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def list_names(folder: str) -> list[str]:
    """The whole files in a folder, in order of their names; what is still being written begins with a dot."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []
