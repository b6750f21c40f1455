"""Reading and writing an agent's files: through links but not out of their place, whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from loremark.agents.refusal import Refused
from loremark.base import clock, ids

LARGEST_BYTES = 32 * 1024 * 1024
_GIT = ".git"
_PART = ".loremark-part"
_STALE_MS = clock.HOUR_MS


class Found(NamedTuple):
    """A file as it is now; ``content`` is None where there is none."""

    target: str
    content: bytes | None
    mode: int | None


def find(path: str, root: str) -> Found:
    """The file at the end of all links, which must lie below ``root``."""
    target = resolve(path, root)
    try:
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except FileNotFoundError:
        return Found(target, None, None)
    except OSError as error:
        raise Refused(f"it cannot be read ({error.strerror})") from None
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST_BYTES:
        os.close(handle)
        raise Refused("it is too large" if stat.S_ISREG(about.st_mode) else "it is not a regular file")
    with os.fdopen(handle, "rb") as file:
        return Found(target, file.read(), stat.S_IMODE(about.st_mode))


def resolve(path: str, root: str) -> str:
    """Where the path really leads; refused if that is outside of ``root``."""
    real_root, target = os.path.realpath(root), os.path.realpath(path)
    if target == real_root or os.path.commonpath([real_root, target]) != real_root:
        raise Refused(f"it is a link that leads out of {root}")
    if _GIT in os.path.relpath(target, real_root).casefold().split(os.sep):
        raise Refused("it is a link into git's own folder")
    return target


def write(target: str, content: bytes, mode: int | None, executable: bool = False) -> None:
    """Replace the file at once, keeping its mode."""
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    _sweep(folder)
    part = os.path.join(folder, f".{os.path.basename(target)[:100]}.{ids.token(9)}{_PART}")
    made = 0o777 if executable else 0o666
    # What was private is private from its first byte on: a crash may leave the part behind.
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, made if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError:
        os.unlink(part)
        raise
    _sync(folder)


def _sweep(folder: str) -> None:
    """Without the parts that a crash has left."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_part = entry.name.startswith(".") and entry.name.endswith(_PART)
            if is_part and clock.now_ms() - int(entry.stat(follow_symlinks=False).st_mtime * 1_000) > _STALE_MS:
                os.unlink(entry.path)


def delete(target: str) -> None:
    os.unlink(target)
    _sync(os.path.dirname(target))


def missing_folders(target: str) -> list[str]:
    """The folders that have to be made for the file."""
    missing, folder = [], os.path.dirname(target)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def remove_empty(folders: Iterable[str]) -> list[str]:
    """Without the folders in which nothing is; answers those in which something is."""
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
