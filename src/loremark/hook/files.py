"""Atomic, durable writes (temporary file, fsync, rename) and bounded reads. Files are private to the user."""

from __future__ import annotations

import os
import stat

_FILE_MODE = 0o600
_FOLDER_MODE = 0o700
TEMPORARY_SUFFIX = ".part"


def ensure_private_folder(path: str) -> str:
    """Create the folder and missing parents with mode 0700, and return the path."""
    missing: list[str] = []
    parent = path
    while parent and not os.path.isdir(parent):
        missing.append(parent)
        parent = os.path.dirname(parent.rstrip(os.sep))
    for folder in reversed(missing):
        try:
            os.mkdir(folder, _FOLDER_MODE)
        except FileExistsError:  # created concurrently, or it is a file
            if not os.path.isdir(folder):
                raise
    return path


def write_atomic(path: str, data: bytes, mode: int = _FILE_MODE) -> None:
    """Write durably. A crash leaves the old content, and possibly a temporary file."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}{TEMPORARY_SUFFIX}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        try:
            _write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(temporary, path)
    except OSError:
        remove(temporary)
        raise
    sync_folder(folder)


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sync_folder(path: str) -> None:
    """Make creations, renames and deletions in the folder durable."""
    handle = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_bounded(path: str, max_bytes: int, *, owner: bool = False) -> bytes | None:
    """Return the content of a regular file, or None if it is missing, a symlink, a pipe or too large.

    With ``owner``, also None if the file belongs to another user.
    """
    handle = _open_regular(path)
    if handle is None:
        return None
    try:
        info = os.fstat(handle)
        if info.st_size > max_bytes:
            return None
        if owner and info.st_uid not in (os.geteuid(), 0) and os.geteuid() != 0:
            return None
        return _read_all(handle, max_bytes)
    except OSError:
        return None
    finally:
        os.close(handle)


def read_tail(path: str, max_bytes: int) -> bytes | None:
    """Return the end of a regular file, or None if it is missing, a symlink or a pipe."""
    handle = _open_regular(path)
    if handle is None:
        return None
    try:
        return os.pread(handle, max_bytes, max(0, os.fstat(handle).st_size - max_bytes))
    except OSError:
        return None
    finally:
        os.close(handle)


def _open_regular(path: str) -> int | None:
    """Open a regular file for reading, or return None. Non-blocking, because a pipe could block forever."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


def _read_all(handle: int, max_bytes: int) -> bytes | None:
    chunks: list[bytes] = []
    size = 0
    while chunk := os.read(handle, 1 << 20):
        size += len(chunk)
        if size > max_bytes:
            return None
        chunks.append(chunk)
    return b"".join(chunks)


def remove(path: str) -> None:
    """Delete the file if it exists."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def list_names(folder: str) -> list[str]:
    """List the complete files in a folder by name. Files still being written start with a dot."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []
