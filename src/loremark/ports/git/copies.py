"""The copies of repositories on this machine: which there are, and letting go of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from loremark.base import clock
from loremark.ports.git import disk
from loremark.ports.git.remote import reader_of, tips_of

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


class Copies:
    """All copies in a folder. One is removed only under the lock of its repository, so never while it is in use."""

    def __init__(
        self,
        folder: Path,
        locks: disk.Locks,
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

    def reader_of(self, url: str, token: str | None) -> str:
        """Whoever reads a repository with a token, or without: what the names of their copies begin with."""
        return reader_of(self._owner, url, token)

    async def list_places(self) -> set[str]:
        """The repositories of which something is here, by the names of their folders."""
        return {name[:32] for name in await asyncio.to_thread(_folders, self._folder)}

    async def keep(self, place: str, readers: Collection[str]) -> bool:
        """Of our copies of a repository keep only those of these readers. False if others are still in use."""

        def is_doomed(path: Path) -> bool:
            if path.name == _HISTORY or not path.name.endswith(".git"):
                return True  # left by a crash: whoever needs it removes it before they give the lock back
            return path.name.startswith(f"{self._owner}-") and path.name.split(".")[0] not in readers

        done = [await self._remove(self._folder / name, is_doomed) for name in (place, tips_of(place))]
        return all(done)

    async def prune(self) -> bool:
        """Remove what nobody has used for long, then the longest unused until the rest fits. False if some is in use.

        Also what belongs to other installations: the disk is the same.
        """
        found = await asyncio.to_thread(_copies, self._folder)
        chosen = {copy.path: copy.used_ms for copy in self._too_many(found)}

        def is_doomed(path: Path) -> bool:
            return path in chosen and _used_ms(path) == chosen[path]  # not used again since we looked

        done = [await self._remove(folder, is_doomed) for folder in {path.parent for path in chosen}]
        return all(done)

    def _too_many(self, found: Iterable[_Copy]) -> list[_Copy]:
        """The oldest, from the first that does not fit beside all that were used after it."""
        earliest_ms, room = clock.now_ms() - self._kept_ms, self._max_bytes
        doomed = []
        for copy in sorted(found, key=lambda copy: copy.used_ms, reverse=True):
            room -= copy.size_bytes
            if room < 0 or copy.used_ms < earliest_ms:
                doomed.append(copy)
        return doomed

    async def _remove(self, folder: Path, is_doomed: Doomed) -> bool:
        """Whether nothing is left of what was to go; whoever uses the folder is not waited for for long."""
        if not await asyncio.to_thread(_holds, folder, is_doomed):
            return True
        try:
            async with asyncio.timeout(_PATIENCE_S), self._locks.hold(folder.name):
                await disk.undisturbed(lambda within: self._clear(within, is_doomed), folder)
        except TimeoutError:
            return False
        return True

    def _clear(self, folder: Path, is_doomed: Doomed) -> None:
        """Remove copies, and the folder with its lock if there are no others."""
        for path in _within(folder):
            if is_doomed(path):
                disk.remove(path)
        if not _within(folder):
            with suppress(FileNotFoundError):
                folder.rmdir()
            self._locks.forget(folder.name)


def _folders(folder: Path) -> list[str]:
    return [path.name for path in _within(folder) if _PLACE.fullmatch(path.name)]


def _copies(folder: Path) -> list[_Copy]:
    paths = [path for name in _folders(folder) for path in _within(folder / name)]
    return [_Copy(path, _used_ms(path), disk.size_bytes(path)) for path in paths]


def _used_ms(path: Path) -> int:
    """Whoever has used a copy says so by the time of its folder."""
    with suppress(FileNotFoundError):
        return path.stat().st_mtime_ns // 1_000_000
    return 0


def _holds(folder: Path, is_doomed: Doomed) -> bool:
    """Whether there is something to do: a copy to remove, or a folder without any."""
    within = _within(folder)
    return any(is_doomed(path) for path in within) or (not within and folder.exists())


def _within(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []
