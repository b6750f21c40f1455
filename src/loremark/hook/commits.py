"""Capture commits with git hooks and report them to the server as digests.

A git hook only records the repository's state in the spool. The flusher works out later which commits are new.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from loremark.hook import (
    capture_settings,
    githistory,
    gitledger,
    gitmerges,
    gitpaths,
    gitrepository,
    link,
    pausing,
    spawn,
    spool,
)
from loremark.hook.git import GitError
from loremark.hook.gitdigest import Digest, HistoryChanges, build_digests
from loremark.hook.gitledger import Ledger
from loremark.hook.gitpatch import IsExcluded
from loremark.hook.gitrepository import SHA, Repository

AGENT = "git"
EVENT = "git_digest"
EVENTS = ("post-commit", "post-rewrite", "post-merge")
MAX_COMMITS = 200
_NEW_REPOSITORY_COMMITS = 20
_DEFAULT_BRANCHES = ("main", "master", "trunk")
_MAX_PAIRS = 1_000
_STDIN_BYTES = 1_048_576


class CommitReport(NamedTuple):
    """The events for one git hook call, and what ``mark_reported`` saves once they are stored."""

    payloads: list[dict[str, Any]]
    ledger: str = ""
    branch: str = ""
    head: str = ""
    reported: dict[str, str] = {}  # noqa: RUF012


def record_git_hook(event: str, arguments: list[str], folder: str) -> None:
    """Record the repository's state after a git hook, for the flusher."""
    linked = _find_link(folder) if event in EVENTS else None
    if linked is None:
        return
    try:
        state = snapshot(event, arguments, folder, _stdin() if event == "post-rewrite" else b"")
    except GitError:
        return
    if state is not None:
        if pausing.is_repository_paused(linked.folder):
            state["paused"] = True
        spool.put(state, clean=True)  # only hashes, names and paths, which must not be altered
        spawn.start_flusher()


def _find_link(folder: str) -> link.Link | None:
    found, reason = link.resolve_link(folder)
    if found is None and reason == link.UNRESOLVED:
        link.resolve_repository(folder)  # runs git, which is fine here: git hooks run in the background
        found = link.find_link(folder)
    return found


def start_tracking(folder: str) -> None:
    """Report commits from now on. Existing history is left to ``backfill``."""
    repository = gitrepository.discover(folder)
    if repository.head:
        tips = githistory.list_branches(repository)
        if not repository.branch:
            tips[""] = repository.head
        gitledger.add(gitledger.ledger_name(gitrepository.identity(repository), ""), {}, tips)


def snapshot(event: str, arguments: list[str], folder: str, stdin: bytes = b"") -> dict[str, Any] | None:
    """Return the record for a git hook call; None during a rebase or amend, which end with their own hook."""
    path = os.path.abspath(folder)
    given = os.environ.get("GIT_DIR")  # only set if the user set it
    repository = gitrepository.open_repository(os.path.join(path, given)) if given else gitrepository.discover(path)
    head, branch = _head_and_branch(repository)
    before, action = gitrepository.last_head_move(repository, head)
    is_amending = event == "post-commit" and action.startswith("commit (amend)")
    is_rebasing = action.startswith("rebase") or gitrepository.is_rebasing(repository)
    if not head or is_amending or (is_rebasing and not (event == "post-rewrite" and arguments[:1] == ["rebase"])):
        return None
    state: dict[str, Any] = {
        "agent": AGENT,
        "kind": event,
        "folder": path,
        "gitdir": os.path.abspath(repository.gitdir),
        "head": head,
        "branch": branch,
    }
    if event == "post-merge" and before:
        state["before"] = before
    if pairs := _parse_pairs(stdin):
        state["rewritten"] = pairs
    return state


def _head_and_branch(repository: Repository) -> tuple[str, str]:
    """Return HEAD as the hook script saw it, since it may have moved by now."""
    head, _, name = os.environ.get("LOREMARK_GIT_HEAD", "").partition("\n")
    if not SHA.fullmatch(head):
        return repository.head, repository.branch
    return head, gitrepository.branch_name(name)


def build_report(state: dict[str, Any], project: str) -> CommitReport:
    """Return the ``git_digest`` payloads for a git hook record. Deterministic, so it can be repeated."""
    try:
        return _build_report(state, project)
    except GitError:  # nothing is lost: the next commit also reports earlier ones
        return CommitReport([])


def mark_reported(report: CommitReport) -> None:
    """Save what was reported. Call it only after the events are stored."""
    if report.ledger:
        gitledger.add(report.ledger, report.reported, {report.branch: report.head})


def digest(
    folder: str, since: str | None = None, until: str | None = None, limit: int = MAX_COMMITS
) -> list[dict[str, Any]]:
    """Return the payloads for a range of commits, including ones reported before."""
    digests = backfill(folder, "", since, until, limit).digests
    return [each.payload for each in digests if each.payload is not None]


class Backfill(NamedTuple):
    """A range of commits: their number, how many of them are not reported yet, and a lazy iterator of their events."""

    ledger: str
    branch: str
    head: str
    commits: int
    unreported: int
    digests: Iterator[Digest]


def backfill(folder: str, project: str, since: str | None, until: str | None, limit: int) -> Backfill:
    """Return history up to a commit (default: HEAD), oldest first, without what this project already has."""
    repository = gitrepository.discover(folder)
    head = _resolve_commit(repository, until) if until else repository.head
    if not head:
        raise GitError("this repository has no commits yet")
    start = _resolve_commit(repository, since) if since else None
    name = gitledger.ledger_name(gitrepository.identity(repository), project) if project else ""
    ledger = gitledger.load(name) if name else Ledger({}, {})
    excluded = [start] if start else []
    first_parents = githistory.list_first_parent(repository, head, excluded, limit)
    shas = githistory.group_side_commits(repository, first_parents, excluded, limit)
    branch = repository.branch if head == repository.head else ""
    excluded_here = _exclusions(folder)
    digests = (
        build_digests(repository, branch, head, list(shas), ledger, side_commits=shas, is_excluded=excluded_here)
        if shas
        else iter(())
    )
    listed = [one for sha, side in shas.items() for one in (*side, sha)]
    return Backfill(name, branch, head, len(listed), sum(one not in ledger.reported for one in listed), digests)


def _exclusions(folder: str) -> IsExcluded | None:
    """Return a function that tells whether a path in the folder's repository is excluded; None if no path is."""
    folder = os.path.realpath(folder)
    found = gitpaths.find_repository(folder)
    top = found.top if found is not None else folder
    exclusions = capture_settings.exclusions(folder)
    return None if exclusions.is_empty else lambda path: exclusions.covers(os.path.normpath(os.path.join(top, path)))


def _resolve_commit(repository: Repository, name: str) -> str:
    found = gitrepository.resolve(repository.gitdir, name)
    if found is None:
        raise GitError(f"commit {name!r} not found")
    return found


def _build_report(state: dict[str, Any], project: str) -> CommitReport:
    head, branch, kind = str(state.get("head")), str(state.get("branch") or ""), state.get("kind")
    repository = gitrepository.open_repository(str(state.get("gitdir")))
    pairs = _valid_pairs(state.get("rewritten"))
    identity = gitrepository.identity(repository)
    name = gitledger.ledger_name(identity, project)
    baseline = gitledger.load(gitledger.ledger_name(identity, ""))
    ledger = gitledger.load(name)
    ledger = Ledger({**baseline.tips, **ledger.tips}, ledger.reported)
    if not githistory.list_existing(repository, [head]):
        raise GitError("the commit no longer exists")
    before = state.get("before")
    start = _find_boundary(repository, head, branch, ledger, before if isinstance(before, str) else None, pairs)
    shas = githistory.list_first_parent(repository, head, start, MAX_COMMITS)
    merged = _merged_branches(repository, head, branch, ledger, start) if kind == "post-merge" else []
    if branch in (gitrepository.default_branch(repository), *_DEFAULT_BRANCHES):
        others = {name: tip for name, tip in ledger.tips.items() if name not in ("", branch, *merged)}
        merged = sorted([*merged, *gitmerges.squashed_branches(repository, head, others, shas)])
    changes = HistoryChanges(pairs, merged)
    is_excluded = _exclusions(str(state.get("folder")))
    digests = list(build_digests(repository, branch, head, shas, ledger, changes, is_excluded=is_excluded))
    reported = {sha: change for each in digests for sha, change in each.reported.items()}
    tip = head if shas else _reported_tip(repository, ledger.tips.get(branch), head)
    return CommitReport([each.payload for each in digests if each.payload is not None], name, branch, tip, reported)


def _reported_tip(repository: Repository, own: str | None, head: str) -> str:
    """Return the newest reported commit of a branch. Hooks run concurrently, so a later one may be ahead."""
    known = githistory.list_existing(repository, [own]) if own else []
    return known[0] if known and githistory.merge_base(repository, known[0], head) == head else head


def _find_boundary(
    repository: Repository, head: str, branch: str, ledger: Ledger, before: str | None, pairs: list[tuple[str, str]]
) -> list[str]:
    """Return the commits whose history is excluded: reported branch tips, and the start of the new work."""
    tips = githistory.list_existing(repository, ledger.tips.values())
    own = ledger.tips.get(branch)
    if own is not None and own in tips:
        return tips
    is_untracked = not ledger.tips and not pairs and before is None
    if is_untracked and githistory.depth(repository, head) <= _NEW_REPOSITORY_COMMITS:
        return []  # a new repository: report everything
    start = _fork_point(repository, head) if own is not None else None
    if start is None:
        first = next((new for _, new in pairs), head)
        start = (
            before if before is not None and before != head else gitrepository.resolve(repository.gitdir, f"{first}~1")
        )
    return [*tips, *githistory.list_existing(repository, [start] if start else [])]


def _fork_point(repository: Repository, head: str) -> str | None:
    """Return the merge base with the remote's default branch, a fallback if the last reported commit is gone."""
    other = gitrepository.resolve(repository.gitdir, "refs/remotes/origin/HEAD")
    found = githistory.merge_base(repository, head, other) if other else None
    return found if found != head else None


def _merged_branches(repository: Repository, head: str, branch: str, ledger: Ledger, start: list[str]) -> list[str]:
    """List the branches whose last reported commit was brought in by this merge."""
    own = ledger.tips.get(branch)
    excluded = (
        githistory.list_existing(repository, [own])
        if own
        else [sha for sha in start if sha not in ledger.tips.values()]
    )
    if not excluded or head in excluded:
        return []
    merged = githistory.list_reachable(repository, head, excluded)
    return sorted(name for name, tip in ledger.tips.items() if name not in ("", branch) and tip in merged)


def _stdin() -> bytes:
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(_STDIN_BYTES)


def _parse_pairs(stdin: bytes) -> list[list[str]]:
    lines = (line.split(" ")[:2] for line in stdin.decode(errors="replace").split("\n"))
    return [pair for pair in lines if len(pair) == 2 and all(SHA.fullmatch(sha) for sha in pair)][:_MAX_PAIRS]


def _valid_pairs(value: object) -> list[tuple[str, str]]:
    found = value if isinstance(value, list) else []
    pairs = [tuple(pair) for pair in found if isinstance(pair, list) and len(pair) == 2]
    return [(old, new) for old, new in pairs if SHA.fullmatch(str(old)) and SHA.fullmatch(str(new))]
