"""Read and write agents' files: atomically, following symlinks only within their root."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from loremark.agents.errors import EditError
from loremark.base import clock, ids

MAX_BYTES = 32 * 1024 * 1024
_GIT = ".git"
_TEMPORARY_SUFFIX = ".loremark-part"
_STALE_MS = clock.HOUR_MS


class FileState(NamedTuple):
    """The current state of a file; ``content`` is None if it doesn't exist."""

    target: str
    content: bytes | None
    mode: int | None


def read(path: str, root: str) -> FileState:
    """Read the file that the path resolves to, which must be below ``root``."""
    target = resolve(path, root)
    try:
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except FileNotFoundError:
        return FileState(target, None, None)
    except OSError as error:
        raise EditError(f"it can't be read ({error.strerror})") from None
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_BYTES:
        os.close(handle)
        raise EditError("it is too large" if stat.S_ISREG(info.st_mode) else "it is not a regular file")
    with os.fdopen(handle, "rb") as file:
        return FileState(target, file.read(), stat.S_IMODE(info.st_mode))


def resolve(path: str, root: str) -> str:
    """Resolve symlinks. Raises EditError if the target is outside ``root``."""
    real_root, target = os.path.realpath(root), os.path.realpath(path)
    if target == real_root or os.path.commonpath([real_root, target]) != real_root:
        raise EditError(f"it is a symlink that points outside {root}")
    if _GIT in os.path.relpath(target, real_root).casefold().split(os.sep):
        raise EditError("it is a symlink into the .git folder")
    return target


def write(target: str, content: bytes, mode: int | None, executable: bool = False) -> None:
    """Replace the file atomically, keeping its mode."""
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    _remove_stale_temporaries(folder)
    temporary = os.path.join(folder, f".{os.path.basename(target)[:100]}.{ids.token(9)}{_TEMPORARY_SUFFIX}")
    default_mode = 0o777 if executable else 0o666
    # Private from the start, because a crash may leave the temporary file behind.
    handle = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, default_mode if mode is None else 0o600
    )
    try:
        with os.fdopen(handle, "wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError:
        os.unlink(temporary)
        raise
    _sync(folder)


def _remove_stale_temporaries(folder: str) -> None:
    """Delete temporary files left by a crash."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_part = entry.name.startswith(".") and entry.name.endswith(_TEMPORARY_SUFFIX)
            if is_part and clock.now_ms() - int(entry.stat(follow_symlinks=False).st_mtime * 1_000) > _STALE_MS:
                os.unlink(entry.path)


def delete(target: str) -> None:
    os.unlink(target)
    _sync(os.path.dirname(target))


def missing_folders(target: str) -> list[str]:
    """List the folders that must be created for the file."""
    missing, folder = [], os.path.dirname(target)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def remove_empty(folders: Iterable[str]) -> list[str]:
    """Delete the empty folders and return the others."""
    kept = []
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            continue
        except OSError:
            kept.append(folder)
    return kept


def _sync(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
