"""A local mirror of a repository: a bare, blobless partial clone that is never checked out.

Commits and trees are fetched completely, blobs on demand in batches. Reads run offline, because git would otherwise
fetch missing blobs one by one and without our limits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loremark.base import clock
from loremark.ports.git import filesystem
from loremark.ports.git.failures import MirrorTooLarge, RepositoryFailed, Unreadable, failure
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
    """Metadata of a Git object."""

    id: str
    kind: str
    size_bytes: int


class Mirror:
    """A mirror. Only the holder of its lock may use it."""

    def __init__(self, git: Git, path: Path, remote: Remote, max_bytes: int, lock: int) -> None:
        self._git = git
        self._path = path
        self._remote = remote
        self._max_bytes = max_bytes
        self._lock = lock
        self._hit_size_limit = False

    async def refresh(self, since_ms: int | None = None) -> None:
        """Fetch, unless that was done since ``since_ms`` or, by default, in the last minute.

        Fetches even if everything is local, so the host can check that the token still has access.
        """
        fetched_ms, now_ms = self.fetched_ms(), clock.now_ms()
        if fetched_ms is not None:
            earliest_ms = now_ms - _FRESH_MS if since_ms is None else since_ms
            if earliest_ms <= fetched_ms <= now_ms:
                return
            if await asyncio.to_thread(filesystem.pack_count, self._path) < _MANY_PACKS:
                try:
                    await self._fetch_all(now_ms)
                except (MirrorTooLarge, Unreadable):
                    await self.remove()  # full of old blobs, or damaged
                else:
                    return
        try:
            await self._begin(now_ms)
        except MirrorTooLarge:
            raise RepositoryFailed("The repository is too large.") from None
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
        """Replace the mirror by an empty repository."""
        await self.remove()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        arguments = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}")
        made = await self._git.run([*arguments, str(self._path)])
        if made.code != 0:
            raise RepositoryFailed("The local mirror of the repository cannot be created.")

    async def _fetch_all(self, now_ms: int) -> None:
        await self.fetch(["+refs/heads/*:refs/heads/*"], "--prune", "--filter=blob:none")
        self.mark_fetched(now_ms)

    def mark_fetched(self, now_ms: int) -> None:
        """Record a complete fetch and that the host granted access at this time."""
        (self._path / _FETCHED).write_text(str(now_ms))

    def fetched_ms(self) -> int | None:
        """Return the time of the last fetch, or None if the mirror is missing or incomplete."""
        try:
            return int((self._path / _FETCHED).read_text())
        except (FileNotFoundError, ValueError):
            return None

    async def find(self, names: Sequence[str]) -> list[Object | None]:
        """Return the objects with these names, in order."""
        if not names:
            return []
        asked = "".join(f"{name}\n" for name in names).encode(errors="replace")
        output = await self.read(["cat-file", "--batch-check"], stdin=asked, max_bytes=len(names) * _LINE_BYTES)
        return [_object(line) for line in output.out.decode(errors="replace").split("\n")[: len(names)]]

    async def fetch_commit(self, commit: str) -> bool:
        """Fetch a commit that is on no branch; the host may still have it after a rebase. Return whether it did."""
        try:
            await self.fetch([commit], "--filter=blob:none")
        except (RepositoryFailed, MirrorTooLarge):
            return False
        return True

    async def fetch_blobs(self, blobs: Sequence[str]) -> None:
        """Fetch the missing blobs in one call."""
        found = await self.find(blobs)
        missing = [blob for blob, known in zip(blobs, found, strict=True) if known is None]
        if missing:
            await self.fetch(missing, "--filter=blob:none", ("fetch.negotiationAlgorithm", "noop"))

    async def read(self, arguments: Sequence[str | bytes], *, stdin: bytes = b"", max_bytes: int) -> Output:
        """Run a git command on the mirror, offline."""
        run = self._git.run
        output = await run(arguments, repository=self._path, stdin=stdin, max_bytes=max_bytes, keep_open=(self._lock,))
        if output.code != 0 and not output.cut:
            await self.remove()
            raise Unreadable
        return output

    async def remove(self) -> None:
        await filesystem.run_to_completion(filesystem.remove, self._path)

    async def reset_if_full(self) -> None:
        """Remove the mirror if it hit its size limit because of old blobs; the next use starts fresh."""
        if self._hit_size_limit and await asyncio.to_thread(filesystem.size_bytes, self._path) > self._max_bytes // 2:
            await self.remove()

    async def fetch(self, wanted: Sequence[str], *options: str | tuple[str, str]) -> None:
        """Fetch while watching the size limit. Refs are passed by stdin, because there may be many."""
        await filesystem.run_to_completion(filesystem.tidy, self._path)  # an earlier process may have crashed
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
            await self._check_size()  # also after a failure: git fails when a pack hits the file size limit
            self._check(running.result())
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait({running})
            await filesystem.run_to_completion(filesystem.tidy, self._path)

    def _check(self, output: Output) -> None:
        if output.code != 0 and "mismatched algorithms" in output.said:
            raise _OtherHash
        if output.code != 0:
            raise failure(output.said, with_token=self._remote.with_token)

    async def _check_size(self) -> None:
        if await asyncio.to_thread(filesystem.size_bytes, self._path) > self._max_bytes:
            self._hit_size_limit = True
            raise MirrorTooLarge


class _OtherHash(Unreadable):
    """The repository uses SHA-256 object names."""


def is_whole(path: Path) -> bool:
    """Return whether the directory holds a completely fetched mirror."""
    return (path / _FETCHED).exists()


def _object(line: str) -> Object | None:
    """Parse a line of `cat-file --batch-check`; missing and ambiguous objects have no size."""
    parts = line.split(" ")
    if len(parts) == 3 and parts[2].isdigit():
        return Object(parts[0], parts[1], int(parts[2]))
    return None
