"""Reads commits, files and snapshots of project repositories."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from loremark.base import clock
from loremark.ports.git import filesystem
from loremark.ports.git.changes import ChangedFile, CommitDetail, read_commits
from loremark.ports.git.failures import MirrorTooLarge, RepositoryFailed, bounded
from loremark.ports.git.mirror import Mirror
from loremark.ports.git.mirror_cache import MirrorCache
from loremark.ports.git.process import Git
from loremark.ports.git.remote import mirror_name, resolve_remote, snapshots_name
from loremark.ports.git.shallow_clone import FILE_BYTES, Bounds, BranchTip, ShallowClones
from loremark.ports.git.snapshot import PastCommit, Snapshot, TreeEntry, checked_commit
from loremark.ports.outbound.guard import Guard

__all__ = ["ChangedFile", "CommitDetail", "PastCommit", "Repositories", "RepositoryFailed", "Snapshot", "TreeEntry"]

_GIB = 1024**3
_SNAPSHOT_S = 600.0
_ASKED_BY_NAME = 16
_SHA = re.compile(r"[0-9a-f]{7,64}")
_FULL_LENGTHS = (40, 64)
_BRANCH = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]{1,255}")


class Repositories:
    """Reads repositories through local mirrors, created and fetched on demand."""

    def __init__(
        self,
        folder: Path,
        guard: Guard,
        *,
        owner: str = "loremark",
        ca_file: str = "",
        timeout_s: float = 120.0,
        max_mirror_bytes: int = _GIB,
    ) -> None:
        """``owner`` is the installation: others may share the directory but not its mirrors."""
        self._folder = folder
        self._guard = guard
        self._ca_file = ca_file
        self._timeout_s = timeout_s
        self._max_mirror_bytes = max_mirror_bytes
        self._git = Git(folder / "home", max_mirror_bytes)
        self._locks = filesystem.Locks(folder)
        self._ca_bundle: str | None = None
        self.mirrors = MirrorCache(folder, self._locks, owner)

    async def commits(
        self, url: str, token: str | None, shas: Sequence[str], *, max_diff_bytes: int = 65_536
    ) -> list[CommitDetail]:
        """Return the commits with these full or abbreviated names, in order. Unknown ones are omitted."""
        named = [sha for sha in dict.fromkeys(sha.lower() for sha in shas) if _SHA.fullmatch(sha)]
        if not named:
            return []
        async with self._open(url, token) as (mirror, begun_ms):
            found = [full for full in await _resolve(mirror, named, begun_ms) if full is not None]
            return await read_commits(mirror, list(dict.fromkeys(found)), max_diff_bytes)

    async def read_file(
        self, url: str, token: str | None, sha: str, path: str, *, max_bytes: int = FILE_BYTES
    ) -> bytes | None:
        """Return a text file, or None if it is missing, a symlink, binary or too large."""
        name = _checked_path(path)
        if not _SHA.fullmatch(sha.lower()):
            raise RepositoryFailed("A commit hash must have 7 to 64 hexadecimal digits.")
        async with self._open(url, token) as (mirror, begun_ms):
            [commit] = await _resolve(mirror, [sha.lower()], begun_ms)
            blob = None if commit is None else await _blob_at(mirror, commit, name)
            if blob is None:
                return None
            try:
                await mirror.fetch_blobs([blob])
            except MirrorTooLarge:
                return None
            [known] = await mirror.find([blob])
            if known is None or known.size_bytes > max_bytes:
                return None
            content = (await mirror.read(["cat-file", "blob", blob], max_bytes=max_bytes)).out
        return None if b"\0" in content else content

    @asynccontextmanager
    async def snapshot(
        self,
        url: str,
        token: str | None,
        *,
        branch: str | None = None,
        commit: str | None = None,
        timeout_s: float = _SNAPSHOT_S,
    ) -> AsyncIterator[Snapshot]:
        """Open the tip of a branch, the host's HEAD, or a given commit, fetched without history.

        The timeout applies to fetching it, and again to each call on the snapshot.
        """
        if branch is not None:
            _check_branch(branch)
        named = None if commit is None else checked_commit(commit)
        folder = self._folder / snapshots_name(mirror_name(url))
        async with bounded(timeout_s):
            await self._prepare()
            remote = await resolve_remote(url, token, self._guard, self._ca_bundle or "")
            reader = self.mirrors.reader_name(url, token)
            bounds = Bounds(self._max_mirror_bytes, timeout_s)
            tips = ShallowClones(self._git, self._locks, folder, reader, remote, bounds)
            tip = await tips.ask(branch) if named is None else BranchTip(named, branch)
            await tips.bring(tip.commit, has_asked=named is None)
        yield Snapshot(tips, tip.commit, tip.branch)

    @asynccontextmanager
    async def _open(self, url: str, token: str | None) -> AsyncIterator[tuple[Mirror, int]]:
        """Lock and refresh the mirror of a repository, within one timeout."""
        begun_ms = clock.now_ms()
        place = mirror_name(url)
        async with bounded(self._timeout_s):
            await self._prepare()
            remote = await resolve_remote(url, token, self._guard, self._ca_bundle or "")
            async with self._locks.hold(place) as lock:
                path = self._folder / place / f"{self.mirrors.reader_name(url, token)}.git"
                mirror = Mirror(self._git, path, remote, self._max_mirror_bytes, lock)
                await mirror.refresh()
                yield mirror, begun_ms
                await mirror.reset_if_full()
                with suppress(FileNotFoundError):
                    os.utime(path)

    async def _prepare(self) -> None:
        await self._git.prepare()
        if self._ca_bundle is None and self._ca_file:
            self._ca_bundle = await asyncio.to_thread(filesystem.write_ca_bundle, self._ca_file, self._folder)


async def _resolve(mirror: Mirror, names: list[str], begun_ms: int) -> list[str | None]:
    """Return the full names of commits, fetching missing ones from the host."""
    found = await _known(mirror, names)
    if None in found:
        await mirror.refresh(since_ms=begun_ms)
        found = await _known(mirror, names)
    missing = [name for name, full in zip(names, found, strict=True) if full is None and _is_full(name)]
    if [name for name in missing[:_ASKED_BY_NAME] if await mirror.fetch_commit(name)]:
        found = await _known(mirror, names)
    return found


async def _known(mirror: Mirror, names: list[str]) -> list[str | None]:
    commits = await mirror.find([f"{name}^{{commit}}" if _SHA.fullmatch(name) else "-" for name in names])
    # An abbreviation can also be a branch name, which git would prefer.
    return [
        known.id if known and known.id.startswith(name) else None for name, known in zip(names, commits, strict=True)
    ]


def _is_full(name: str) -> bool:
    return len(name) in _FULL_LENGTHS and _SHA.fullmatch(name) is not None


async def _blob_at(mirror: Mirror, commit: str, path: bytes) -> str | None:
    output = await mirror.read(["ls-tree", "-z", "--full-tree", commit, "--", path], max_bytes=FILE_BYTES)
    for entry in output.out.split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        mode, _, blob = about.decode().split(" ")
        if name == path and mode.startswith("10"):
            return blob
    return None


def _checked_path(path: str) -> bytes:
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise RepositoryFailed("A path must be relative to the repository root, without empty, . or .. segments.")
    return path.encode(errors="replace")


def _check_branch(ref: str) -> None:
    if (
        not _BRANCH.fullmatch(ref)
        or ref.startswith(("-", "/"))
        or ref.endswith(("/", "."))
        or ".." in ref
        or "@{" in ref
    ):
        raise RepositoryFailed("Invalid branch name or commit hash.")
