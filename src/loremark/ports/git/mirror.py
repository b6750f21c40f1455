"""The local copy of a repository: bare, without file contents at first, never checked out.

Commits and folders are fetched whole; contents only when they are asked for, several in one call. Reading is done
offline: git would fetch what is missing by itself, one by one, and without our bounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loremark.base import clock
from loremark.ports.git import disk
from loremark.ports.git.failures import Outgrown, RepositoryFailed, Unreadable, failure
from loremark.ports.git.process import Git, Output
from loremark.ports.git.remote import Remote

_FRESH_MS = clock.MINUTE_MS
_WATCH_S = 0.2
_MANY_PACKS = 500
_LINE_BYTES = 4_096
_FETCHED = "loremark-fetched"
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")


@dataclass(frozen=True)
class Object:
    """What the copy knows of an object."""

    id: str
    kind: str
    size_bytes: int


class Mirror:
    """One copy, used by whoever holds its lock."""

    def __init__(self, git: Git, path: Path, remote: Remote, max_bytes: int, lock: int) -> None:
        self._git = git
        self._path = path
        self._remote = remote
        self._max_bytes = max_bytes
        self._lock = lock
        self._has_outgrown = False

    async def refresh(self, since_ms: int | None = None) -> None:
        """Fetch unless that was done after the given moment, or without one, a short time ago.

        Also when all that is wanted is here: the host then says whether the token may still read it.
        """
        fetched_ms, now_ms = self.fetched_ms(), clock.now_ms()
        if fetched_ms is not None:
            earliest_ms = now_ms - _FRESH_MS if since_ms is None else since_ms
            if earliest_ms <= fetched_ms <= now_ms:
                return
            if await asyncio.to_thread(disk.pack_count, self._path) < _MANY_PACKS:
                try:
                    await self._fetch_all(now_ms)
                except (Outgrown, Unreadable):
                    await self.remove()  # it may be full of contents fetched over time, or damaged
                else:
                    return
        try:
            await self._begin(now_ms)
        except Outgrown:
            raise RepositoryFailed("The repository is too large to be read.") from None
        finally:
            if self.fetched_ms() is None:
                await self.remove()

    async def _begin(self, now_ms: int) -> None:
        await self.create("sha1")
        try:
            await self._fetch_all(now_ms)
        except _OtherHash:
            await self.create("sha256")
            await self._fetch_all(now_ms)

    async def create(self, object_format: str) -> None:
        """An empty copy, in the place of whatever was there."""
        await self.remove()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        arguments = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}")
        made = await self._git.run([*arguments, str(self._path)])
        if made.code != 0:
            raise RepositoryFailed("The local copy of the repository cannot be made.")

    async def _fetch_all(self, now_ms: int) -> None:
        await self.fetch(["+refs/heads/*:refs/heads/*"], "--prune", "--filter=blob:none")
        self.mark_fetched(now_ms)

    def mark_fetched(self, now_ms: int) -> None:
        """All that is wanted is here, and the host has let us in at this moment."""
        (self._path / _FETCHED).write_text(str(now_ms))

    def fetched_ms(self) -> int | None:
        """When it was last fetched; none if there is no copy, or only half of one."""
        try:
            return int((self._path / _FETCHED).read_text())
        except (FileNotFoundError, ValueError):
            return None

    async def find(self, names: Sequence[str]) -> list[Object | None]:
        """The objects of these names, in their order."""
        if not names:
            return []
        asked = "".join(f"{name}\n" for name in names).encode(errors="replace")
        output = await self.read(["cat-file", "--batch-check"], stdin=asked, max_bytes=len(names) * _LINE_BYTES)
        return [_object(line) for line in output.out.decode(errors="replace").split("\n")[: len(names)]]

    async def bring_commit(self, commit: str) -> bool:
        """Ask the host for a commit that no branch has; after a rebase it may still know it."""
        try:
            await self.fetch([commit], "--filter=blob:none")
        except (RepositoryFailed, Outgrown):
            return False
        return True

    async def bring_contents(self, blobs: Sequence[str]) -> None:
        """Fetch those of these contents that are not here, all in one call."""
        found = await self.find(blobs)
        missing = [blob for blob, known in zip(blobs, found, strict=True) if known is None]
        if missing:
            await self.fetch(missing, "--filter=blob:none", ("fetch.negotiationAlgorithm", "noop"))

    async def read(self, arguments: Sequence[str | bytes], *, stdin: bytes = b"", max_bytes: int) -> Output:
        """Ask git about the copy, offline."""
        run = self._git.run
        output = await run(arguments, repository=self._path, stdin=stdin, max_bytes=max_bytes, keep_open=(self._lock,))
        if output.code != 0 and not output.cut:
            await self.remove()
            raise Unreadable
        return output

    async def remove(self) -> None:
        await disk.undisturbed(disk.remove, self._path)

    async def make_room(self) -> None:
        """If there was no room for something, and earlier contents take much of it, begin anew next time."""
        if self._has_outgrown and await asyncio.to_thread(disk.size_bytes, self._path) > self._max_bytes // 2:
            await self.remove()

    async def fetch(self, wanted: Sequence[str], *options: str | tuple[str, str]) -> None:
        """Fetch while the copy stays within its size. What is wanted goes by stdin: there may be much of it."""
        await disk.undisturbed(disk.tidy, self._path)  # we may have died ourselves, the last time
        config = self._remote.config + tuple(option for option in options if isinstance(option, tuple))
        flags = [option for option in options if isinstance(option, str)]
        running = asyncio.create_task(
            self._git.run(
                [*_FETCH, *flags, "--stdin", "origin"],
                repository=self._path,
                config=config,
                online=True,
                stdin="".join(f"{one}\n" for one in wanted).encode(),
                keep_open=(self._lock,),
            )
        )
        try:
            while not (await asyncio.wait({running}, timeout=_WATCH_S))[0]:
                await self._check_size()
            await self._check_size()  # also after a failure: a pack ends at the bound of a single file
            self._check(running.result())
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait({running})
            await disk.undisturbed(disk.tidy, self._path)

    def _check(self, output: Output) -> None:
        if output.code != 0 and "mismatched algorithms" in output.said:
            raise _OtherHash
        if output.code != 0:
            raise failure(output.said, with_token=self._remote.with_token)

    async def _check_size(self) -> None:
        if await asyncio.to_thread(disk.size_bytes, self._path) > self._max_bytes:
            self._has_outgrown = True
            raise Outgrown


class _OtherHash(Unreadable):
    """The repository names its objects by SHA-256."""


def is_whole(path: Path) -> bool:
    """Whether a folder holds a copy that was fetched to its end."""
    return (path / _FETCHED).exists()


def _object(line: str) -> Object | None:
    """A line as `cat-file --batch-check` writes it; what is missing or ambiguous has a word instead of a size."""
    parts = line.split(" ")
    if len(parts) == 3 and parts[2].isdigit():
        return Object(parts[0], parts[1], int(parts[2]))
    return None
