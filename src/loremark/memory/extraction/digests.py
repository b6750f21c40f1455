"""Parses git digests: the branch and head, merged branches, and file changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from loremark.memory.extraction.commit_merges import find_merged
from loremark.memory.extraction.commit_parser import Commit, parse_sha
from loremark.memory.extraction.facts import branch_name, branches_of
from loremark.memory.extraction.payloads import as_list
from loremark.memory.extraction.results import CommitSummary, Digest, FileChange

_MAX_FILES = 5_000
_MAX_BRANCHES = 100
_MAX_STEPS = 100
_MAX_REPEATED = 1_000
_SUBJECT_CHARS = 300
_BODY_CHARS = 50_000
_STEP = re.compile(r"^[*-] (\S.{2,300})$", re.MULTILINE)


def parse_digest(payload: dict[str, Any], commits: Sequence[Commit]) -> Digest:
    """The state that these commits, oldest first, leave behind."""
    branch, default = branches_of(payload)
    merged: dict[str, None] = {}
    for entry in as_list(payload.get("mergedBranches"))[:_MAX_BRANCHES]:
        name = branch_name({"name": entry} if isinstance(entry, str) else entry, "name", "branch")
        if name is not None:
            merged.setdefault(name)
    for commit in commits:
        merged.update(dict.fromkeys(find_merged(commit.subject, (default, branch))))
    head = parse_sha(payload, "headCommitSha", "head", "headSha") or next(
        (one.sha for one in reversed(commits) if one.sha), ""
    )
    return Digest(
        branch=branch,
        default_branch=default,
        head=head or None,
        commits=tuple(dict.fromkeys(one.sha for one in commits if one.sha)),
        merged_branches=tuple(merged)[:_MAX_BRANCHES],
        summaries=tuple(commit_summary(one) for one in commits if one.sha and one.subject),
        repeated=tuple(dict.fromkeys(_replaced(payload)))[:_MAX_REPEATED],
        merged_heads=tuple(dict.fromkeys(sha for one in commits for sha in one.merged)),
    )


def commit_summary(commit: Commit) -> CommitSummary:
    steps = tuple(found.strip() for found in _STEP.findall(commit.body[:_BODY_CHARS])[:_MAX_STEPS])
    return CommitSummary(commit.sha, commit.subject[:_SUBJECT_CHARS], commit.author, steps)


def _replaced(payload: dict[str, Any]) -> Iterator[str]:
    """Commits that were made again under another hash, by a rebase or a cherry-pick."""
    for field in ("repeated", "rewritten"):
        for entry in as_list(payload.get(field))[:_MAX_REPEATED]:
            old = parse_sha(entry, "old") if isinstance(entry, dict) else ""
            if old:
                yield old


def file_changes(commits: Sequence[Commit]) -> tuple[FileChange, ...]:
    """Each file as its newest commit left it. ``commits``: oldest first."""
    found: dict[str, FileChange] = {}
    for commit in reversed(commits):
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
