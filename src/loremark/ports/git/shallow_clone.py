"""Shallow clones of single commits, for reading a whole tree. The most recent ones are kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from loremark.base import clock
from loremark.ports.git import filesystem
from loremark.ports.git.failures import RepositoryFailed, Unreadable, bounded, failure
from loremark.ports.git.mirror import Mirror, is_whole
from loremark.ports.git.process import Git, Output
from loremark.ports.git.remote import Remote

FILE_BYTES = 262_144
CONTENT_BYTES = 1_048_576
"""Larger files are not fetched for a snapshot. Lock files are often larger than sources."""
_FRESH_MS = clock.MINUTE_MS
_KEPT = 4
_HISTORY_BYTES = 64 * 1024 * 1024
_HISTORY_S = 60.0
_LONGEST_BRANCH = 255
_TIP = "refs/loremark/tip"
_HEADS = "refs/heads/"

T = TypeVar("T")


@dataclass(frozen=True)
class BranchTip:
    """The latest commit of a branch. ``branch`` is None if the host's HEAD is detached."""

    commit: str
    branch: str | None


@dataclass(frozen=True)
class Bounds:
    """Limits on a clone's size and on the duration of each use."""

    size_bytes: int
    time_s: float


class ShallowClones:
    """The shallow clones of one repository for one reader, under their own lock because fetching may take long."""

    def __init__(
        self,
        git: Git,
        locks: filesystem.Locks,
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

    async def ask(self, branch: str | None) -> BranchTip:
        """Ask the host for the tip of a branch, or of HEAD."""
        wanted = "HEAD" if branch is None else _HEADS + branch
        refs, links = _refs(await self._ask("--symref", "origin", wanted))
        if wanted in refs:
            return BranchTip(refs[wanted], branch or _branch(links.get(wanted, "")))
        others = await self._ask("--heads", "origin", may_be_cut=True)
        if not others.out:
            raise RepositoryFailed("The repository is empty: it has no commits yet.")
        if branch is None:
            raise RepositoryFailed("The repository's default branch has no commits; name another branch.")
        raise RepositoryFailed(
            f"The repository has no branch named `{branch}`."
            if branch.isprintable()
            else "The repository has no branch with that name."
        )

    async def bring(self, commit: str, *, has_asked: bool) -> None:
        """Make sure there is a clone. The host must have granted access within the last minute."""
        if not has_asked:
            checked_ms, now_ms = await self.use(commit, _checked_ms), clock.now_ms()
            if now_ms - _FRESH_MS <= checked_ms <= now_ms:
                return
            await self._ask("origin", "HEAD")
        await self.use(commit, _mark_checked)

    async def use(self, commit: str, work: Callable[[Mirror], Awaitable[T]]) -> T:
        """Run ``work`` on the locked clone of a commit, fetching it if it is missing or damaged."""
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
        """Run ``work`` on a temporary clone without trees, removed because a host may send more than requested."""
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
                raise RepositoryFailed("The repository has no commit with that hash.")
            mirror.mark_fetched(clock.now_ms())
        finally:
            if mirror.fetched_ms() is None:
                await mirror.remove()
        os.utime(path)
        await filesystem.run_to_completion(_forget, self._folder)

    async def _ask(self, *arguments: str, may_be_cut: bool = False) -> Output:
        nowhere = self._folder / "none.git"  # otherwise git would search for a repository in its home
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
    """Parse `ls-remote --symref`: commits by ref, and targets of symbolic refs."""
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
    """Remove the least recently used clones and leftovers of crashes."""
    whole = [path for path in folder.iterdir() if path.name.endswith(".git") and is_whole(path)]
    kept = sorted(whole, key=lambda path: path.stat().st_mtime_ns, reverse=True)[:_KEPT]
    for path in set(folder.iterdir()).difference(kept):
        if path.name.endswith(".git"):
            filesystem.remove(path)
        else:
            shutil.rmtree(path)
