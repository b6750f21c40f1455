"""Reads a commit's changed files and its diff, within limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from loremark.ports.git.failures import MirrorTooLarge
from loremark.ports.git.mirror import Mirror

Status = Literal["added", "modified", "deleted", "renamed"]

_MESSAGE_BYTES = 65_536
_LIST_BYTES = 4 * 1024 * 1024
_MAX_FILES = 2_000
_MAX_COMPARED = 300
_LAST_SECOND = 253_402_300_799  # of the year 9999
_FORMAT = "--format=tformat:%H%x00%P%x00%an%x00%at%x00%B"
_LIST = ("diff-tree", "--raw", "-r", "-z", "--no-abbrev", "--no-commit-id", "--root")
_PATCH = ("diff-tree", "--patch", "-r", "--no-commit-id", "--root", "--no-ext-diff", "--no-textconv", "--no-color")
_STATUSES: dict[str, Status] = {"A": "added", "D": "deleted", "R": "renamed"}


@dataclass(frozen=True)
class ChangedFile:
    """A file changed by a commit; ``blob`` is its content after the change."""

    path: str
    status: Status
    old_path: str | None
    blob: str | None


@dataclass(frozen=True)
class CommitDetail:
    """A commit with its changes against its first parent."""

    sha: str
    message: str
    author: str
    date_ms: int
    files: tuple[ChangedFile, ...]
    diff: str
    truncated: bool


@dataclass(frozen=True)
class _Change:
    letter: str
    old_mode: str
    mode: str
    old_blob: str
    blob: str
    old_path: bytes | None
    path: bytes


@dataclass(frozen=True)
class _Head:
    """A commit without its changes. ``between`` are git's arguments for the trees to compare."""

    sha: str
    between: tuple[str, ...]
    message: str
    author: str
    date_ms: int
    cut: bool


@dataclass(frozen=True)
class _Plan:
    """The changes to diff: all of them, unless there are too many."""

    head: _Head
    compared: tuple[_Change, ...]
    is_whole: bool

    @property
    def blobs(self) -> list[str]:
        sides = ((change.old_mode, change.old_blob) for change in self.compared)
        others = ((change.mode, change.blob) for change in self.compared)
        return [blob for pair in zip(sides, others, strict=True) for mode, blob in pair if _is_content(mode)]


async def read_commits(mirror: Mirror, shas: list[str], max_diff_bytes: int) -> list[CommitDetail]:
    """Return the commits in order. Blobs are fetched for all commits together, or one by one if that is too large."""
    plans = [await _plan(mirror, sha) for sha in shas]
    everything = list(dict.fromkeys(blob for plan in plans for blob in plan.blobs))
    at_once = await _bring(mirror, everything)
    details = []
    for plan in plans:
        is_here = at_once or await _bring(mirror, plan.blobs)
        details.append(await _detail(mirror, plan, is_here, max_diff_bytes))
    return details


async def _bring(mirror: Mirror, blobs: list[str]) -> bool:
    try:
        await mirror.fetch_blobs(blobs)
    except MirrorTooLarge:
        return False
    return True


async def _plan(mirror: Mirror, sha: str) -> _Plan:
    head = await _head(mirror, sha)
    changes, cut = await _changes(mirror, head, "--no-renames")
    return _Plan(head, tuple(changes[:_MAX_COMPARED]), not cut and len(changes) <= _MAX_COMPARED)


async def _detail(mirror: Mirror, plan: _Plan, is_here: bool, max_diff_bytes: int) -> CommitDetail:
    head = plan.head
    whole = plan.is_whole and is_here
    # Without blobs only exact renames can be detected.
    changes, cut = await _changes(mirror, head, "-M" if whole else "-M100%")
    diff, diff_cut = await _diff(mirror, plan, max_diff_bytes) if is_here else ("", True)
    return CommitDetail(
        head.sha,
        head.message,
        head.author,
        head.date_ms,
        tuple(_shown(change) for change in changes[:_MAX_FILES]),
        diff,
        head.cut or cut or diff_cut or not whole or len(changes) > _MAX_FILES,
    )


async def _head(mirror: Mirror, sha: str) -> _Head:
    asked = ["log", "--no-walk", "-z", "--no-notes", "--no-mailmap", "--no-decorate", _FORMAT, sha, "--"]
    output = await mirror.read(asked, max_bytes=_MESSAGE_BYTES)
    fields = output.out.decode(errors="replace").split("\0")
    full, parents, author, seconds, message = (*fields, *("",) * 5)[:5]
    first = parents.split(" ")[0]
    between = (first, full) if first else (full,)
    return _Head(full, between, message.strip("\n"), author, _milliseconds(seconds), output.cut)


def _milliseconds(seconds: str) -> int:
    """Convert a commit date, which can be anything."""
    digits = seconds[:20]
    return min(int(digits), _LAST_SECOND) * 1000 if digits.isdigit() else 0


async def _changes(mirror: Mirror, head: _Head, renames: str) -> tuple[list[_Change], bool]:
    output = await mirror.read([*_LIST, renames, *head.between, "--"], max_bytes=_LIST_BYTES)
    return list(_parsed(output.out)), output.cut


def _parsed(listed: bytes) -> Iterator[_Change]:
    """Parse the output of ``--raw -z``; a truncated entry is dropped."""
    fields = iter(listed.split(b"\0")[:-1])
    for entry in fields:
        old_mode, mode, old_blob, blob, letter = entry.decode().lstrip(":").split(" ")
        old_path = next(fields, None) if letter[0] == "R" else None
        path = next(fields, None)
        if path is not None:
            yield _Change(letter[0], old_mode, mode, old_blob, blob, old_path, path)


async def _diff(mirror: Mirror, plan: _Plan, max_bytes: int) -> tuple[str, bool]:
    """Return the diff, truncated to whole lines within the limit, and whether it was truncated."""
    if plan.is_whole:
        asked: list[str | bytes] = [*_PATCH, "-M", *plan.head.between, "--"]
    else:
        asked = [*_PATCH, "--no-renames", *plan.head.between, "--", *(change.path for change in plan.compared)]
    output = await mirror.read(asked, max_bytes=max_bytes)
    kept = output.out
    if output.cut and b"\n" in kept:
        kept = kept[: kept.rindex(b"\n") + 1]
    return kept.decode(errors="replace"), output.cut


def _shown(change: _Change) -> ChangedFile:
    return ChangedFile(
        change.path.decode(errors="replace"),
        _STATUSES.get(change.letter, "modified"),
        None if change.old_path is None else change.old_path.decode(errors="replace"),
        change.blob if _is_content(change.mode) else None,
    )


def _is_content(mode: str) -> bool:
    """Return whether the mode is a file or a symlink, not absent (000000) or a submodule (160000)."""
    return mode.startswith(("10", "12"))
