"""Copies of single commits, without their history: for who reads a whole tree. The newest few are kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from loremark.base import clock
from loremark.ports.git import disk
from loremark.ports.git.failures import RepositoryFailed, Unreadable, bounded, failure
from loremark.ports.git.mirror import Mirror, is_whole
from loremark.ports.git.process import Git, Output
from loremark.ports.git.remote import Remote

FILE_BYTES = 262_144
CONTENT_BYTES = 1_048_576
"""Of a whole tree, larger files are not fetched; lock files are often larger than sources."""
_FRESH_MS = clock.MINUTE_MS
_KEPT = 4
_HISTORY_BYTES = 64 * 1024 * 1024
_HISTORY_S = 60.0
_LONGEST_BRANCH = 255
_TIP = "refs/loremark/tip"
_HEADS = "refs/heads/"

T = TypeVar("T")


@dataclass(frozen=True)
class Tip:
    """The newest commit of a branch; the branch is unknown if the host's HEAD is on none."""

    commit: str
    branch: str | None


@dataclass(frozen=True)
class Bounds:
    """Of a copy's size, and of the time that each use of it may take."""

    size_bytes: int
    time_s: float


class Tips:
    """The copies of one repository for one reader, under one lock of their own: making one may take long."""

    def __init__(
        self,
        git: Git,
        locks: disk.Locks,
        folder: Path,
        reader: str,
        remote: Remote,
        bounds: Bounds,
    ) -> None:
        self._git = git
        self._locks = locks
        self._folder = folder
        self._reader = reader
        self._remote = remote
        self._bounds = bounds

    async def ask(self, branch: str | None) -> Tip:
        """What the host says is the tip of a branch, or without a name, of its HEAD."""
        wanted = "HEAD" if branch is None else _HEADS + branch
        refs, links = _refs(await self._ask("--symref", "origin", wanted))
        if wanted in refs:
            return Tip(refs[wanted], branch or _branch(links.get(wanted, "")))
        others = await self._ask("--heads", "origin", may_be_cut=True)
        if not others.out:
            raise RepositoryFailed("The repository is empty: it has no commits yet.")
        if branch is None:
            raise RepositoryFailed("The repository's default branch has no commits; name another branch.")
        raise RepositoryFailed(
            f"The repository has no branch named `{branch}`."
            if branch.isprintable()
            else "The repository has no branch of that name."
        )

    async def bring(self, commit: str, *, has_asked: bool) -> None:
        """Have a copy of it. The host must let us in now, or have done so a short time ago."""
        if not has_asked:
            checked_ms, now_ms = await self.use(commit, _checked_ms), clock.now_ms()
            if now_ms - _FRESH_MS <= checked_ms <= now_ms:
                return
            await self._ask("origin", "HEAD")
        await self.use(commit, _mark_checked)

    async def use(self, commit: str, work: Callable[[Mirror], Awaitable[T]]) -> T:
        """Do it with the copy of a commit, alone. One that is not here is fetched, and one that is damaged again."""
        async with bounded(self._bounds.time_s), self._locks.hold(self._folder.name) as lock:
            path = self._folder / f"{self._reader}.{commit}.git"
            mirror = Mirror(self._git, path, self._remote, self._bounds.size_bytes, lock)
            if mirror.fetched_ms() is None:
                await self._bring(mirror, path, commit)
            try:
                done = await work(mirror)
            except Unreadable:
                await self._bring(mirror, path, commit)
                done = await work(mirror)
            os.utime(path)
            return done

    async def use_history(self, commit: str, depth: int, work: Callable[[Mirror], Awaitable[T]]) -> T:
        """Do it with a copy of nothing but commits, which is gone afterwards: a host may send more than was asked."""
        async with bounded(min(self._bounds.time_s, _HISTORY_S)), self._locks.hold(self._folder.name) as lock:
            path = self._folder / "history.git"
            mirror = Mirror(self._git, path, self._remote, min(self._bounds.size_bytes, _HISTORY_BYTES), lock)
            try:
                await _fetch(mirror, commit, depth, "tree:0")
                return await work(mirror)
            finally:
                await mirror.remove()

    async def _bring(self, mirror: Mirror, path: Path, commit: str) -> None:
        try:
            await _fetch(mirror, commit, 1, f"blob:limit={CONTENT_BYTES + 1}")
            [known] = await mirror.find([f"{commit}^{{commit}}"])
            if known is None or known.id != commit:
                raise RepositoryFailed("The repository has no commit of that name.")
            mirror.mark_fetched(clock.now_ms())
        finally:
            if mirror.fetched_ms() is None:
                await mirror.remove()
        os.utime(path)
        await disk.undisturbed(_forget, self._folder)

    async def _ask(self, *arguments: str, may_be_cut: bool = False) -> Output:
        nowhere = self._folder / "none.git"  # else git would look for a repository around its home
        config = self._remote.config
        answer = await self._git.run(["ls-remote", *arguments], repository=nowhere, config=config, online=True)
        if answer.cut and not may_be_cut:
            raise Unreadable
        if answer.code != 0 and not answer.cut:
            raise failure(answer.said, with_token=self._remote.with_token)
        return answer


async def _fetch(mirror: Mirror, commit: str, depth: int, what: str) -> None:
    await mirror.create("sha256" if len(commit) == 64 else "sha1")
    await mirror.fetch([f"+{commit}:{_TIP}"], f"--depth={depth}", f"--filter={what}")


async def _checked_ms(mirror: Mirror) -> int:
    return mirror.fetched_ms() or 0


async def _mark_checked(mirror: Mirror) -> None:
    mirror.mark_fetched(clock.now_ms())


def _refs(answer: Output) -> tuple[dict[str, str], dict[str, str]]:
    """The commits of references, and the references of those that are links, as `ls-remote --symref` writes them."""
    refs, links = {}, {}
    for line in answer.out.decode(errors="replace").split("\n"):
        value, _, name = line.partition("\t")
        if value.startswith("ref: "):
            links[name] = value.removeprefix("ref: ")
        elif name:
            refs[name] = value
    return refs, links


def _branch(ref: str) -> str | None:
    name = ref.removeprefix(_HEADS)
    return name if ref.startswith(_HEADS) and name.isprintable() and len(name) <= _LONGEST_BRANCH else None


def _forget(folder: Path) -> None:
    """Remove the copies that were used longest ago, and what a crash has left behind."""
    whole = [path for path in folder.iterdir() if path.name.endswith(".git") and is_whole(path)]
    kept = sorted(whole, key=lambda path: path.stat().st_mtime_ns, reverse=True)[:_KEPT]
    for path in set(folder.iterdir()).difference(kept):
        if path.name.endswith(".git"):
            disk.remove(path)
        else:
            shutil.rmtree(path)
