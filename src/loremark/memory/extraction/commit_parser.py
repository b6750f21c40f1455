"""Parses the commits of a digest, whichever fields hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loremark.memory.extraction.facts import MAX_FILES
from loremark.memory.extraction.payloads import as_list, as_text, first_text
from loremark.memory.paths import MAX_PATH_CHARS, normalize_path, parse_diff

_MAX_COMMITS = 200
_MAX_PARENTS = 20
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class CommitFile:
    path: str
    deleted: bool


@dataclass(frozen=True)
class Commit:
    """A parsed commit."""

    sha: str
    subject: str
    body: str
    files: tuple[CommitFile, ...]
    author: str = ""
    merged: tuple[str, ...] = ()
    """The last commits of the branches that it merged."""


def parse_commits(payload: dict[str, Any], roots: Sequence[str] = (), *, with_files: bool = True) -> list[Commit]:
    """Parse the commits of a digest: a list of them, or the payload itself."""
    listed = as_list(payload.get("commits"))
    if not listed and (as_text(payload.get("message")) or as_text(payload.get("subject"))):
        listed = [payload]
    found = []
    for entry in listed[:_MAX_COMMITS]:
        if isinstance(entry, str):
            entry = {"message": entry}
        if isinstance(entry, dict):
            found.append(_commit_of(entry, _files_of(entry, roots) if with_files else ()))
    return found


def _commit_of(entry: dict[str, Any], files: tuple[CommitFile, ...]) -> Commit:
    message = first_text(entry, "message", "subject", "title")
    subject, _, body = message.strip().partition("\n")
    if not body and (rest := as_text(entry.get("body"))):
        body = f"\n{rest}"  # as in a message, after a blank line
    return Commit(
        parse_sha(entry, "sha", "commit", "hash", "id"),
        CONTROL.split(subject.strip(), maxsplit=1)[0].strip(),
        body,
        files,
        _author_of(entry),
        tuple(_merged_by(entry)),
    )


def _merged_by(entry: dict[str, Any]) -> Iterator[str]:
    """The parents of a merge commit other than the first."""
    for parent in as_list(entry.get("parents"))[1:_MAX_PARENTS]:
        sha = parse_sha(parent if isinstance(parent, dict) else {"sha": parent}, "sha")
        if sha:
            yield sha


def _author_of(entry: dict[str, Any]) -> str:
    author = entry.get("author")
    return first_text(author, "name", "login", "email") if isinstance(author, dict) else as_text(author)


def parse_sha(holder: dict[str, Any], *fields: str) -> str:
    sha = first_text(holder, *fields).strip()
    return sha if re.fullmatch(r"[0-9A-Za-z._-]{4,64}", sha) else ""


def _files_of(entry: dict[str, Any], roots: Sequence[str]) -> tuple[CommitFile, ...]:
    """Whatever git lists is a file, whatever its name."""
    found: dict[str, bool] = {}
    for listed in as_list(entry.get("files"))[: 10 * MAX_FILES]:
        path, old, status = listed, "", ""
        if isinstance(listed, dict):
            path = first_text(listed, "path", "filename", "file", "newPath", "name")
            old = first_text(listed, "oldPath", "previousPath", "previous_filename", "from")
            status = first_text(listed, "status", "change", "changeType").strip().lower()
        gone = status in ("deleted", "removed", "d", "delete")
        if isinstance(path, str) and len(path) <= MAX_PATH_CHARS and (known := normalize_path(path, roots)) is not None:
            found[known] = gone
        if (
            old
            and old != path
            and status not in ("copied", "c", "copy")
            and (known := normalize_path(old, roots)) is not None
        ):
            found[known] = True
    diff = entry.get("diff")
    diff = (
        first_text(diff, "text", "diff", "patch")
        if isinstance(diff, dict)
        else as_text(diff) or as_text(entry.get("patch"))
    )
    for touched in parse_diff(diff):
        found[touched.path] = touched.deleted or found.get(touched.path, False)
    return tuple(CommitFile(path, gone) for path, gone in found.items())
