"""Turn commits into digest events. Each change is reported once, and events respect the server's limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from loremark.base.redaction.redactor import redact
from loremark.hook import githistory, gitrepository
from loremark.hook.git import GitError
from loremark.hook.gitcommit import (
    UNKNOWN_CHANGE,
    Change,
    CommitHeader,
    digest_entry,
    fingerprint,
    read_change,
    read_header,
)
from loremark.hook.gitledger import Ledger
from loremark.hook.gitpatch import IsExcluded
from loremark.hook.gitrecords import MOST_RECORDS, changed_records
from loremark.hook.gitrepository import Repository

COMMITS_PER_EVENT = 50
_BYTES_PER_EVENT = 1_048_576
_DIFF_CHARS_PER_EVENT = 72_000  # the server reads this much of all diffs in an event,
_DIFF_CHARS_PER_COMMIT = 20_000  # and this much of each one
_MAX_SQUASHED = 20

Pairs = Sequence[tuple[str, str]]


class Digest(NamedTuple):
    """One event (None if everything was reported before), and the commits it covers with their fingerprints."""

    payload: dict[str, Any] | None
    reported: dict[str, str]


class HistoryChanges(NamedTuple):
    """Rewritten commits (old, new) and merged branches."""

    rewritten: Pairs = ()
    merged: Sequence[str] = ()


NO_CHANGES = HistoryChanges()


def build_digests(
    repository: Repository,
    branch: str,
    head: str,
    shas: Sequence[str],
    ledger: Ledger,
    changes: HistoryChanges = NO_CHANGES,
    side_commits: Mapping[str, Sequence[str]] = MappingProxyType({}),
    is_excluded: IsExcluded | None = None,
) -> Iterator[Digest]:
    """Yield the events for these commits, oldest first. Depends only on the history and the ledger.

    ``side_commits``: commits to report before a given one without a diff, which the given one already contains.
    ``is_excluded``: whether a path in the repository must not be reported.
    """
    common = _repository_fields(repository, branch)
    commit_filter = _CommitFilter(repository, ledger, changes.rewritten, is_excluded)
    first = githistory.depth(repository, shas[0]) - 1 if len(shas) > 1 else 0
    event = _Event()
    for number, sha in enumerate(shas, first):
        side = side_commits.get(sha, ())
        base = read_header(repository, sha).parents[0] if side else None
        for position, one in enumerate((*side, sha)):
            entry, records = commit_filter.digest(one, with_diff=one == sha)
            if (position == 0 and number % COMMITS_PER_EVENT == 0) or not event.has_room(entry):
                # Events break at fixed positions in the history, so a second backfill produces the same events.
                if event.commits:
                    yield Digest({**common, **event.fields()}, commit_filter.take_reported())
                event = _Event()
            if entry is not None:
                event.add(commit_filter.parent if one == sha else base, entry, records)
    extra = _history_fields(commit_filter, changes)
    if event.commits or extra:
        fields = event.fields() if event.commits else {"headCommitSha": head, "commits": []}
        yield Digest({**common, **fields, **extra}, commit_filter.take_reported())
    else:
        yield Digest(None, commit_filter.take_reported())


def _repository_fields(repository: Repository, branch: str) -> dict[str, Any]:
    identity = gitrepository.identity(repository)
    default, remote = gitrepository.default_branch(repository), gitrepository.remote_url(repository)
    fields: dict[str, Any] = {"source": f"git:{identity}", "repo": {"root": identity}}
    if branch:
        fields["branch"] = redact(branch)[0]
    if default:
        fields["defaultBranch"] = redact(default)[0]
    if remote:
        fields["repo"]["remote"] = redact(remote)[0]
    return fields


def _history_fields(commit_filter: _CommitFilter, changes: HistoryChanges) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    rewritten = [{"old": old, "new": new} for old, new in changes.rewritten if old in commit_filter.ledger.reported]
    if rewritten:
        fields["rewritten"] = rewritten
    if commit_filter.repeated:
        fields["repeated"] = [{"old": old, "new": new} for old, new in commit_filter.repeated]
    if changes.merged:
        fields["mergedBranches"] = [redact(name)[0] for name in changes.merged]
    return fields


class _Event:
    """The commits of one event."""

    def __init__(self) -> None:
        self.commits: list[dict[str, Any]] = []
        self._records: dict[str, dict[str, Any]] = {}
        self._base: str | None = None
        self._bytes = self._diff_chars = 0

    def has_room(self, more: dict[str, Any] | None) -> bool:
        if more is None or not self.commits:
            return True
        return (
            len(self.commits) < COMMITS_PER_EVENT
            and self._bytes + _size(more) <= _BYTES_PER_EVENT
            and self._diff_chars + _diff_chars(more) <= _DIFF_CHARS_PER_EVENT
        )

    def add(self, parent: str | None, commit: dict[str, Any], records: Sequence[dict[str, Any]]) -> None:
        if not self.commits:
            self._base = parent
        self.commits.append(commit)
        self._bytes += _size(commit)
        self._diff_chars += _diff_chars(commit)
        self._records |= {record["path"]: record for record in records}

    def fields(self) -> dict[str, Any]:
        fields = {"headCommitSha": self.commits[-1]["sha"], "baseCommitSha": self._base, "commits": self.commits}
        records = list(self._records.values())[-MOST_RECORDS:]
        return fields | ({"decisionRecords": records} if records else {})


def _size(commit: dict[str, Any]) -> int:
    return len(json.dumps(commit))


def _diff_chars(commit: dict[str, Any]) -> int:
    return min(len(commit.get("diff", "")), _DIFF_CHARS_PER_COMMIT)


class _CommitFilter:
    """Decides what to report for each commit."""

    def __init__(
        self, repository: Repository, ledger: Ledger, rewritten: Pairs, is_excluded: IsExcluded | None
    ) -> None:
        self.ledger = ledger
        self.repeated: list[tuple[str, str]] = []
        self.parent: str | None = None
        self._repository = repository
        self._is_excluded = is_excluded
        self._by_change = ledger.by_change
        self._shallow = gitrepository.shallow_commits(repository)
        self._replaced: dict[str, list[str]] = {}
        for old, new in rewritten:
            self._replaced.setdefault(new, []).append(old)
        self._reported: dict[str, str] = {}

    def take_reported(self) -> dict[str, str]:
        """Return the commits processed since the last call."""
        taken, self._reported = self._reported, {}
        return taken

    def digest(self, sha: str, *, with_diff: bool = True) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """Return the digest entry of a commit, None if it was reported before, and the decision records it changed."""
        head = read_header(self._repository, sha)
        self.parent = head.parents[0] if head.parents else None
        if sha in self.ledger.reported:
            return None, []
        # At the boundary of a shallow clone, the change is unknown.
        is_known = sha not in self._shallow
        change = read_change(self._repository, self.parent, sha, self._is_excluded) if is_known else UNKNOWN_CHANGE
        self._reported[sha] = fingerprint(head, change)
        before = self._by_change.get(self._reported[sha])
        if before is not None and not self._is_ancestor(before, sha):
            if sha not in self._replaced:
                self.repeated.append((before, sha))
            return None, []
        is_message_covered, is_change_covered = self._covered(head, change)
        if is_message_covered and is_change_covered:
            return None, []
        is_new = not is_change_covered and not self._is_known_merge(head)
        entry = digest_entry(head, change, with_diff=with_diff and is_new)
        return entry, list(changed_records(self._repository, sha, change)) if is_new else []

    def _is_ancestor(self, old: str, new: str) -> bool:
        """Return whether old is an ancestor of new: then the same change was made twice, and both count."""
        existing = githistory.list_existing(self._repository, [old])
        return bool(existing) and githistory.merge_base(self._repository, old, new) == old

    def _covered(self, head: CommitHeader, change: Change) -> tuple[bool, bool]:
        """Return whether the replaced commits already covered this commit's message and its change."""
        replaced = self._replaced.get(head.sha, [])
        if not replaced or len(replaced) > _MAX_SQUASHED or not all(old in self.ledger.reported for old in replaced):
            return False, False
        try:
            heads = [read_header(self._repository, old) for old in replaced]
            parent = heads[0].parents[0] if heads[0].parents else None
            joined = read_change(self._repository, parent, replaced[-1])
        except GitError:  # already garbage-collected
            return False, False
        known = {line.strip() for old in heads for line in old.message.split("\n")} | {""}
        is_message_covered = all(line.strip() in known for line in head.message.split("\n"))
        return is_message_covered, joined.fingerprint == change.fingerprint

    def _is_known_merge(self, head: CommitHeader) -> bool:
        """Return whether all commits of a merge were reported, so its diff would repeat them."""
        if len(head.parents) < 2:
            return False
        side = githistory.list_reachable(self._repository, head.sha, head.parents[:1]) - {head.sha}
        return all(sha in self.ledger.reported for sha in side)
