"""Parses git digests: the branch and head, merged branches, and file changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from loremark.memory.extraction.commit_parser import Commit, parse_sha
from loremark.memory.extraction.facts import branch_name, branches_of
from loremark.memory.extraction.payloads import as_list
from loremark.memory.extraction.results import Digest, FileChange

_MAX_FILES = 5_000
_MAX_BRANCHES = 100
_MERGED = (
    re.compile(r"^Merge (?:remote-tracking )?branch(?:es)? '([^'\n]{1,200})'"),
    re.compile(r"^Merge pull request #\d{1,9} from [^/\s]{1,100}/(\S{1,200})"),
    re.compile(r"^Merged in (\S{1,200}) \(pull request #\d{1,9}\)"),
    re.compile(r"^Merge branch \"?([^\s'\"]{1,200})\"? into "),
)


def parse_digest(payload: dict[str, Any], commits: Sequence[Commit]) -> Digest:
    branch, default = branches_of(payload)
    merged: dict[str, None] = {}
    for entry in as_list(payload.get("mergedBranches"))[:_MAX_BRANCHES]:
        name = branch_name({"name": entry} if isinstance(entry, str) else entry, "name", "branch")
        if name is not None:
            merged.setdefault(name)
    for commit in commits:
        found = next((match.group(1) for form in _MERGED if (match := form.match(commit.subject))), None)
        name = branch_name({"name": found}, "name") if found else None
        if name is not None:
            merged.setdefault(name.removeprefix("origin/"))
    head = parse_sha(payload, "headCommitSha", "head", "headSha") or next((one.sha for one in commits if one.sha), "")
    return Digest(
        branch=branch,
        default_branch=default,
        head=head or None,
        commits=tuple(dict.fromkeys(one.sha for one in commits if one.sha)),
        merged_branches=tuple(merged)[:_MAX_BRANCHES],
    )


def file_changes(commits: Sequence[Commit], *, newest_first: bool = True) -> tuple[FileChange, ...]:
    """Each file as its newest commit left it."""
    found: dict[str, FileChange] = {}
    for commit in commits if newest_first else reversed(commits):
        fingerprint = f"git:{commit.sha}" if commit.sha else None
        for file in commit.files:
            if len(found) < _MAX_FILES:
                found.setdefault(file.path, FileChange(file.path, file.deleted, None if file.deleted else fingerprint))
    return tuple(found.values())


def is_newest_first(payload: dict[str, Any], commits: Sequence[Commit]) -> bool:
    """Git lists the newest commit first; the head's position or the dates show if the list is reversed."""
    if len(commits) < 2:
        return True
    head = parse_sha(payload, "headCommitSha", "head", "headSha")
    if head and commits[0].sha != commits[-1].sha and head in (commits[0].sha, commits[-1].sha):
        return head == commits[0].sha
    listed = [entry for entry in as_list(payload.get("commits")) if isinstance(entry, dict)]
    first, last = (listed[0].get("date"), listed[-1].get("date")) if listed else (None, None)
    if isinstance(first, str) and isinstance(last, str) and first[:10] != last[:10]:
        return first > last
    return True
