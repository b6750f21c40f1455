"""Lists and removes the local mirrors of repositories."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from loremark.base import clock
from loremark.ports.git import filesystem
from loremark.ports.git.remote import reader_name, snapshots_name

_KEPT_MS = 7 * clock.DAY_MS
_MAX_BYTES = 20 * 1024**3
_PATIENCE_S = 2.0
_PLACE = re.compile(r"([0-9a-f]{32})(?:-tips)?")
_HISTORY = "history.git"

Doomed = Callable[[Path], bool]


@dataclass(frozen=True)
class _Copy:
    path: Path
    used_ms: int
    size_bytes: int


class MirrorCache:
    """The mirrors in a directory. A mirror is removed only under its repository's lock, never while in use."""

    def __init__(
        self,
        folder: Path,
        locks: filesystem.Locks,
        owner: str,
        *,
        kept_ms: int = _KEPT_MS,
        max_bytes: int = _MAX_BYTES,
    ) -> None:
        self._folder = folder
        self._locks = locks
        self._owner = owner
        self._kept_ms = kept_ms
        self._max_bytes = max_bytes

    def reader_name(self, url: str, token: str | None) -> str:
        """Return the prefix of the mirror names for this token."""
        return reader_name(self._owner, url, token)

    async def list_mirrors(self) -> set[str]:
        """Return the names of the repositories that have mirrors."""
        return {name[:32] for name in await asyncio.to_thread(_folders, self._folder)}

    async def keep(self, place: str, readers: Collection[str]) -> bool:
        """Remove our mirrors of a repository except those of these readers. Return False if some are in use."""

        def is_doomed(path: Path) -> bool:
            if path.name == _HISTORY or not path.name.endswith(".git"):
                return True  # left by a crash
            return path.name.startswith(f"{self._owner}-") and path.name.split(".")[0] not in readers

        done = [await self._remove(self._folder / name, is_doomed) for name in (place, snapshots_name(place))]
        return all(done)

    async def prune(self) -> bool:
        """Remove expired mirrors, then the least recently used until the rest fits. Return False if some are in use.

        Includes mirrors of other installations, because they share the disk.
        """
        found = await asyncio.to_thread(_copies, self._folder)
        chosen = {copy.path: copy.used_ms for copy in self._too_many(found)}

        def is_doomed(path: Path) -> bool:
            return path in chosen and _used_ms(path) == chosen[path]  # not used since it was listed

        done = [await self._remove(folder, is_doomed) for folder in {path.parent for path in chosen}]
        return all(done)

    def _too_many(self, found: Iterable[_Copy]) -> list[_Copy]:
        """Return the mirrors that are expired or exceed the size limit."""
        earliest_ms, room = clock.now_ms() - self._kept_ms, self._max_bytes
        doomed = []
        for copy in sorted(found, key=lambda copy: copy.used_ms, reverse=True):
            room -= copy.size_bytes
            if room < 0 or copy.used_ms < earliest_ms:
                doomed.append(copy)
        return doomed

    async def _remove(self, folder: Path, is_doomed: Doomed) -> bool:
        """Remove the matching mirrors. Return False if the directory stays locked."""
        if not await asyncio.to_thread(_holds, folder, is_doomed):
            return True
        try:
            async with asyncio.timeout(_PATIENCE_S), self._locks.hold(folder.name):
                await filesystem.run_to_completion(lambda within: self._clear(within, is_doomed), folder)
        except TimeoutError:
            return False
        return True

    def _clear(self, folder: Path, is_doomed: Doomed) -> None:
        """Remove the matching mirrors, and the directory and its lock if nothing is left."""
        for path in _within(folder):
            if is_doomed(path):
                filesystem.remove(path)
        if not _within(folder):
            with suppress(FileNotFoundError):
                folder.rmdir()
            self._locks.forget(folder.name)


def _folders(folder: Path) -> list[str]:
    return [path.name for path in _within(folder) if _PLACE.fullmatch(path.name)]


def _copies(folder: Path) -> list[_Copy]:
    paths = [path for name in _folders(folder) for path in _within(folder / name)]
    return [_Copy(path, _used_ms(path), filesystem.size_bytes(path)) for path in paths]


def _used_ms(path: Path) -> int:
    """Return when the mirror was last used: the directory's mtime."""
    with suppress(FileNotFoundError):
        return path.stat().st_mtime_ns // 1_000_000
    return 0


def _holds(folder: Path, is_doomed: Doomed) -> bool:
    """Return whether there is a mirror to remove, or an empty directory."""
    within = _within(folder)
    return any(is_doomed(path) for path in within) or (not within and folder.exists())


def _within(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []
