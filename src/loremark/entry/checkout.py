"""A local checkout: its files, read without following symbolic links, and its git metadata."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loremark.hook import git
from loremark.memory.codebase.records import Commit
from loremark.memory.codebase.selection.file_selection import ListedFile

MAX_BYTES = 1_048_576
_MAX_FILES = 200_000
_GIT_TIMEOUT_S = 60
_GIT_BYTES = 64 * 1024 * 1024
_SKIPPED_FOLDERS = {
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    ".venv",
    "venv",
    "__pycache__",
    ".tox",
    ".mypy_cache",
    ".loremark",
}
_LOG = ("log", "--no-show-signature", "--format=%s%x00%an%x00%ct", "-z")


@dataclass(frozen=True)
class Checkout:
    """A folder and its files."""

    root: Path
    name: str
    listed: tuple[ListedFile, ...]
    commit: str | None
    commits: tuple[Commit, ...]

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it is not a regular file, or is too large."""
        try:
            fd = _open(self.root, path)
        except (OSError, ValueError):
            return None
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
                return None
            return file.read(MAX_BYTES + 1)


def open_checkout(folder: Path, commits: int) -> Checkout:
    """List the files git tracks or would add; outside a repository, all files in the folder."""
    root = folder.resolve(strict=True)
    if not root.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    names = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = _decoded(names) if names is not None else _walk(root)
    listed = tuple(_listed(root, paths))
    head = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    log = _git(root, *_LOG, f"--max-count={commits}") if head else None
    commit = head.decode().strip() if head else None
    return Checkout(root, _name(root), listed, commit, _commits(log))


def blob_hash(content: bytes, like: str | None) -> str:
    """The git blob hash of this content; SHA-256 if ``like`` is a SHA-256 commit ID."""
    hash_type = hashlib.sha256 if like is not None and len(like) == 64 else hashlib.sha1
    return hash_type(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _git(root: Path, *arguments: str) -> bytes | None:
    """The output of a git command; None on failure. Runs no hooks or programs configured by the repository."""
    try:
        output = git.run(arguments, folder=str(root), max_bytes=_GIT_BYTES, seconds=_GIT_TIMEOUT_S)
    except git.GitError:
        return None
    return output.out if output.is_ok else None


def _name(root: Path) -> str:
    """The repository's name from its origin URL, or the folder's name."""
    origin = (_git(root, "config", "--get", "remote.origin.url") or b"").decode(errors="replace").strip()
    name = origin.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    return name or root.name


def _decoded(names: bytes) -> Iterator[str]:
    for name in dict.fromkeys(names.split(b"\0")):
        if name:
            yield os.fsdecode(name)


def _walk(root: Path) -> Iterator[str]:
    for count, (parent, folders, names) in enumerate(os.walk(root)):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            yield (Path(parent) / name).relative_to(root).as_posix()
        if count > _MAX_FILES:
            return


def _listed(root: Path, paths: Iterable[str]) -> Iterator[ListedFile]:
    """The regular files, skipping symbolic links and everything behind them."""
    inside: dict[str, bool] = {}
    for path in paths:
        folder = os.path.join(root, path.rpartition("/")[0]).rstrip("/")
        if folder not in inside:
            inside[folder] = os.path.realpath(folder) == folder
        size = _size(root / path) if inside[folder] else None
        if size is not None:
            yield ListedFile(path, size)


def _size(path: Path) -> int | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _open(root: Path, path: str) -> int:
    """Open a file one folder at a time, so no symbolic link is followed, even one created in the meantime."""
    *folders, name = path.split("/")
    if not name or {"", ".", ".."} & {name, *folders}:
        raise ValueError("not a path below the root")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            parent, here = here, os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(parent)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
    finally:
        os.close(here)


def _commits(log: bytes | None) -> tuple[Commit, ...]:
    fields = (log or b"").decode(errors="replace").split("\0")
    groups: Sequence[Sequence[str]] = [fields[at : at + 3] for at in range(0, len(fields) - 2, 3)]
    return tuple(
        Commit(subject, author, int(seconds) * 1000) for subject, author, seconds in groups if seconds.isdigit()
    )
