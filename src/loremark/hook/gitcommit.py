"""Read one commit for a digest: message, author, files and diff, bounded and redacted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from loremark.base import clock
from loremark.base.redaction.redactor import redact
from loremark.hook import git
from loremark.hook.git import GitError
from loremark.hook.gitpatch import IsExcluded, without_files
from loremark.hook.gitrepository import SHA, Repository

DIFF_BYTES = 65_536
_LONG_DIFF_BYTES = 1_048_576
_MESSAGE_BYTES = 32_768
_HEAD_BYTES = 131_072
_LIST_BYTES = 4_194_304
_FILES = 500
_FILES_BYTES = 65_536
_AUTHOR_CHARS = 200
_LAST_SECOND = 253_402_300_799  # end of the year 9999
_FORMAT = "--format=tformat:%H%x00%P%x00%an%x00%at%x00%B"
_LOG = ("log", "--no-walk", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate", "--no-color")
_TREE = ("diff-tree", "-r", "--no-commit-id", "--root", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv")
_LIST = (*_TREE, "--raw", "--numstat", "-z", "--no-abbrev", "-M", "-C")
_NAMES = (*_TREE, "--raw", "-z", "--no-abbrev", "--no-renames")
_PATCH = (*_TREE, "--patch", "-M", "-C", "--no-color", "--unified=3", "--src-prefix=a/", "--dst-prefix=b/")
_STATUSES = {"D": "deleted", "R": "renamed", "C": "copied"}
_SUBMODULE = "160000"
# Control characters carry no meaning and could affect a terminal.
_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
_CHERRY_PICK_LINE = re.compile(r"^\(cherry picked from commit [0-9a-f]{7,64}\)$", re.MULTILINE)


class CommitHeader(NamedTuple):
    """A commit without its change."""

    sha: str
    parents: tuple[str, ...]
    author: str
    date: str
    message: str


class Change(NamedTuple):
    """The difference between two trees. ``fingerprint`` is stable across rebases."""

    files: list[str | dict[str, str]]
    insertions: int
    deletions: int
    diff: str
    is_cut: bool
    fingerprint: str


UNKNOWN_CHANGE = Change([], 0, 0, "", False, "")


def read_header(repository: Repository, sha: str) -> CommitHeader:
    """Return the commit's header."""
    found = git.run(
        [*_LOG, "-z", _FORMAT, "--end-of-options", sha, "--"], gitdir=repository.gitdir, max_bytes=_HEAD_BYTES
    )
    fields = found.out.decode(errors="replace").split("\0")
    full, parents, author, seconds, message = (*fields, *("",) * 5)[:5]
    if not found.is_ok or not SHA.fullmatch(full):
        raise GitError("could not read a commit")
    cut = message.encode()[:_MESSAGE_BYTES].decode(errors="ignore")
    return CommitHeader(
        full, tuple(parents.split()), _clean(author)[:_AUTHOR_CHARS], _date(seconds), _clean(cut).strip("\n")
    )


def read_change(repository: Repository, old: str | None, new: str, is_excluded: IsExcluded | None = None) -> Change:
    """Return the change between two commits, or from the empty tree if ``old`` is None, without excluded files."""
    between = (old, new) if old is not None else (new,)
    listed = git.run([*_LIST, "--end-of-options", *between, "--"], gitdir=repository.gitdir, max_bytes=_LIST_BYTES)
    if not listed.is_ok:  # a partial clone may lack the blobs, but has the names
        listed = git.run([*_NAMES, "--end-of-options", *between, "--"], gitdir=repository.gitdir, max_bytes=_LIST_BYTES)
    files, counts = _parse_list(listed.out if listed.is_ok else b"")
    patch = _read_patch(repository, between, DIFF_BYTES)
    diff, is_cut = _whole_lines(patch), patch.is_cut
    # Of the whole change, so that it stays the same when the exclusions change.
    fingerprint = _fingerprint(counts, "" if is_cut else diff)
    kept = files
    if is_excluded is not None:
        kept = _without_excluded(files, is_excluded)
        counts = [count for count in counts if not is_excluded(count.path.decode(errors="replace"))]
        if is_cut and kept != files:
            patch = _read_patch(repository, between, _LONG_DIFF_BYTES)
            diff, is_cut = _whole_lines(patch), patch.is_cut
        diff = without_files(diff, is_excluded)
        if len(diff) > DIFF_BYTES:
            diff, is_cut = diff[: diff.rfind("\n", 0, DIFF_BYTES) + 1], True
    return Change(
        _limit_files(kept),
        sum(count.insertions for count in counts),
        sum(count.deletions for count in counts),
        diff,
        is_cut,
        fingerprint,
    )


def _read_patch(repository: Repository, between: Sequence[str], max_bytes: int) -> git.Output:
    patch = git.run([*_PATCH, "--end-of-options", *between, "--"], gitdir=repository.gitdir, max_bytes=max_bytes)
    return patch if patch.is_ok else patch._replace(out=b"")


def _without_excluded(files: Sequence[str | dict[str, str]], is_excluded: IsExcluded) -> list[str | dict[str, str]]:
    """Return the files, with a rename from or to an excluded path as an added or a deleted file."""
    kept: list[str | dict[str, str]] = []
    for file in files:
        path, old = (file, "") if isinstance(file, str) else (file["path"], file.get("oldPath", ""))
        if not is_excluded(path):
            kept.append(path if old and is_excluded(old) else file)
        elif isinstance(file, dict) and file["status"] == "renamed" and not is_excluded(old):
            kept.append({"path": old, "status": "deleted"})
    return kept


def digest_entry(head: CommitHeader, change: Change, *, with_diff: bool) -> dict[str, Any]:
    """Return the commit as a redacted digest entry."""
    entry: dict[str, Any] = {
        "sha": head.sha,
        "message": redact(head.message)[0],
        "author": redact(head.author)[0],
        "date": head.date,
        "files": [_redact_file(file) for file in change.files],
        "insertions": change.insertions,
        "deletions": change.deletions,
    }
    if len(head.parents) > 1:
        entry["parents"] = list(head.parents)  # which branch was merged, whatever the message says
    if with_diff and change.diff:
        entry["diff"] = redact(change.diff)[0]
        if change.is_cut:
            entry["diffTruncated"] = True
    return entry


def fingerprint(head: CommitHeader, change: Change) -> str:
    """Return a hash of change and message that survives rebases and cherry-picks."""
    words = " ".join(_CHERRY_PICK_LINE.sub("", head.message).split())
    return hashlib.sha256(f"{change.fingerprint}\n{words}".encode()).hexdigest()[:40]


class _Count(NamedTuple):
    path: bytes
    insertions: int
    deletions: int


def _parse_list(listed: bytes) -> tuple[list[str | dict[str, str]], list[_Count]]:
    """Parse the output of ``--raw --numstat -z``, skipping a truncated last entry."""
    files: list[str | dict[str, str]] = []
    counts: list[_Count] = []
    fields = iter(listed.split(b"\0")[:-1])
    for field in fields:
        if field.startswith(b":"):
            modes = field.decode(errors="replace").lstrip(":").split(" ")
            old = next(fields, b"") if modes[-1][:1] in ("R", "C") else b""
            path = next(fields, b"")
            if path and _SUBMODULE not in modes[:2]:
                files.append(_file(modes[-1][:1], old, path))
        else:
            added, removed, path = (*field.split(b"\t", 2), b"", b"")[:3]
            if not path:  # a rename: both names follow
                next(fields, b"")
                path = next(fields, b"")
            counts.append(_Count(path, *(int(text) if text.isdigit() else 0 for text in (added, removed))))
    return files, counts


def _file(letter: str, old: bytes, path: bytes) -> str | dict[str, str]:
    """Return the path, or an object with its status if deleted, renamed or copied."""
    name = path.decode(errors="replace")
    if letter not in _STATUSES:
        return name
    entry = {"path": name, "status": _STATUSES[letter]}
    return {**entry, "oldPath": old.decode(errors="replace")} if old else entry


def _limit_files(files: Sequence[str | dict[str, str]]) -> list[str | dict[str, str]]:
    kept: list[str | dict[str, str]] = []
    room = _FILES_BYTES
    for file in files[:_FILES]:
        room -= sum(len(text.encode()) for text in ([file] if isinstance(file, str) else file.values()))
        if room < 0:
            break
        kept.append(file)
    return kept


def _redact_file(file: str | dict[str, str]) -> str | dict[str, str]:
    if isinstance(file, str):
        return redact(file)[0]
    return {key: redact(text)[0] for key, text in file.items()}


def _fingerprint(counts: Sequence[_Count], diff: str) -> str:
    """Hash added and removed lines and their files, ignoring positions and context."""
    seen = hashlib.sha256()
    for count in sorted(counts):
        seen.update(b"%d %d %s\0" % (count.insertions, count.deletions, count.path))
    for line in diff.split("\n"):
        if line.startswith(("+", "-")):
            seen.update(line.encode() + b"\n")
    return seen.hexdigest()


def _whole_lines(patch: git.Output) -> str:
    kept = patch.out
    if patch.is_cut and b"\n" in kept:
        kept = kept[: kept.rindex(b"\n") + 1]
    lines = kept.decode(errors="replace").split("\n")
    # The length of abbreviated blob hashes depends on the clone.
    return _clean("\n".join(line for line in lines if not line.startswith("index ")))


def _clean(text: str) -> str:
    return text.translate(_CONTROLS)


def _date(seconds: str) -> str:
    """Format a timestamp, clamped because a commit can contain any value."""
    digits = seconds[:20]
    return clock.iso(min(int(digits), _LAST_SECOND) * 1000 if digits.isdigit() and digits.isascii() else 0)
