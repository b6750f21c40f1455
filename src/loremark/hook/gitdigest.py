"""Commits made into digests: the same change is told once, and an event holds no more than the server reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from loremark.base.redaction.redacting import redact
from loremark.hook import githistory, gitrepository
from loremark.hook.git import GitFailed
from loremark.hook.gitcommit import UNSEEN, Change, Head, entry, fingerprint, read_change, read_head
from loremark.hook.gitledger import Ledger
from loremark.hook.gitrepository import Repository

COMMITS_AN_EVENT = 50
_BYTES_AN_EVENT = 1_048_576
_DIFF_CHARS_AN_EVENT = 72_000  # what the server reads of an event's diffs,
_DIFF_CHARS_A_COMMIT = 20_000  # and of one of them
_MOST_JOINED = 20

Pairs = Sequence[tuple[str, str]]


class Piece(NamedTuple):
    """One event, or none where all was told before; and the commits that are then told, with their fingerprints."""

    payload: dict[str, Any] | None
    told: dict[str, str]


class Moves(NamedTuple):
    """What git said besides the commits: which were rewritten as which, and which branches came in."""

    rewritten: Pairs = ()
    merged: Sequence[str] = ()


NONE = Moves()


def pieces(
    repository: Repository,
    branch: str,
    head: str,
    shas: Sequence[str],
    ledger: Ledger,
    moves: Moves = NONE,
    beside: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Iterator[Piece]:
    """The events that tell these commits, oldest first. They depend on the history and the ledger alone.

    ``beside``: commits to be told before some of them, in words alone: what they changed is told by those.
    """
    about = _about(repository, branch)
    teller = _Teller(repository, ledger, moves.rewritten)
    first = githistory.depth(repository, shas[0]) - 1 if len(shas) > 1 else 0
    event = _Event()
    for number, sha in enumerate(shas, first):
        side = beside.get(sha, ())
        base = read_head(repository, sha).parents[0] if side else None
        for place, one in enumerate((*side, sha)):
            told = teller.tell(one, with_diff=one == sha)
            if (place == 0 and number % COMMITS_AN_EVENT == 0) or not event.has_room(told):
                # Full ones end at fixed places of the history: a second back-fill tells the same events again.
                if event.commits:
                    yield Piece({**about, **event.fields()}, teller.take())
                event = _Event()
            if told is not None:
                event.add(teller.parent if one == sha else base, told)
    extra = _extras(teller, moves)
    if event.commits or extra:
        fields = event.fields() if event.commits else {"headCommitSha": head, "commits": []}
        yield Piece({**about, **fields, **extra}, teller.take())
    else:
        yield Piece(None, teller.take())


def _about(repository: Repository, branch: str) -> dict[str, Any]:
    identity = gitrepository.identity(repository)
    default, remote = gitrepository.default_branch(repository), gitrepository.remote(repository)
    made: dict[str, Any] = {"source": f"git:{identity}", "repo": {"root": identity}}
    if branch:
        made["branch"] = redact(branch)[0]
    if default:
        made["defaultBranch"] = redact(default)[0]
    if remote:
        made["repo"]["remote"] = redact(remote)[0]
    return made


def _extras(teller: _Teller, moves: Moves) -> dict[str, Any]:
    made: dict[str, Any] = {}
    rewritten = [{"old": old, "new": new} for old, new in moves.rewritten if old in teller.ledger.told]
    if rewritten:
        made["rewritten"] = rewritten
    if teller.repeated:
        made["repeated"] = [{"old": old, "new": new} for old, new in teller.repeated]
    if moves.merged:
        made["mergedBranches"] = [redact(name)[0] for name in moves.merged]
    return made


class _Event:
    """The commits of one event."""

    def __init__(self) -> None:
        self.commits: list[dict[str, Any]] = []
        self._base: str | None = None
        self._bytes = self._diff_chars = 0

    def has_room(self, more: dict[str, Any] | None) -> bool:
        if more is None or not self.commits:
            return True
        return (
            len(self.commits) < COMMITS_AN_EVENT
            and self._bytes + _size(more) <= _BYTES_AN_EVENT
            and self._diff_chars + _diff_chars(more) <= _DIFF_CHARS_AN_EVENT
        )

    def add(self, parent: str | None, commit: dict[str, Any]) -> None:
        if not self.commits:
            self._base = parent
        self.commits.append(commit)
        self._bytes += _size(commit)
        self._diff_chars += _diff_chars(commit)

    def fields(self) -> dict[str, Any]:
        return {"headCommitSha": self.commits[-1]["sha"], "baseCommitSha": self._base, "commits": self.commits}


def _size(commit: dict[str, Any]) -> int:
    return len(json.dumps(commit))


def _diff_chars(commit: dict[str, Any]) -> int:
    return min(len(commit.get("diff", "")), _DIFF_CHARS_A_COMMIT)


class _Teller:
    """Decides of each commit what is new in it."""

    def __init__(self, repository: Repository, ledger: Ledger, rewritten: Pairs) -> None:
        self.ledger = ledger
        self.repeated: list[tuple[str, str]] = []
        self.parent: str | None = None
        self._repository = repository
        self._by_change = ledger.by_change
        self._ends = gitrepository.shallow(repository)
        self._olds: dict[str, list[str]] = {}
        for old, new in rewritten:
            self._olds.setdefault(new, []).append(old)
        self._told: dict[str, str] = {}

    def take(self) -> dict[str, str]:
        """What was looked at since the last time."""
        taken, self._told = self._told, {}
        return taken

    def tell(self, sha: str, *, with_diff: bool = True) -> dict[str, Any] | None:
        """The commit for a digest; None where it was told before."""
        head = read_head(self._repository, sha)
        self.parent = head.parents[0] if head.parents else None
        if sha in self.ledger.told:
            return None
        # Where a shallow clone ends, it cannot be seen what the commit changed.
        change = UNSEEN if sha in self._ends else read_change(self._repository, self.parent, sha)
        self._told[sha] = fingerprint(head, change)
        before = self._by_change.get(self._told[sha])
        if before is not None and not self._leads_to(before, sha):
            if sha not in self._olds:
                self.repeated.append((before, sha))
            return None
        words, content = self._covered(head, change)
        if words and content:
            return None
        return entry(head, change, with_diff=with_diff and not content and not self._is_known_merge(head))

    def _leads_to(self, old: str, new: str) -> bool:
        """Whether both stand in one history: then somebody did the same thing twice, and both are told."""
        there = githistory.present(self._repository, [old])
        return bool(there) and githistory.base(self._repository, old, new) == old

    def _covered(self, head: Head, change: Change) -> tuple[bool, bool]:
        """Whether the words, and whether the changes, were told by the commits that this one was made from."""
        olds = self._olds.get(head.sha, [])
        if not olds or len(olds) > _MOST_JOINED or not all(old in self.ledger.told for old in olds):
            return False, False
        try:
            heads = [read_head(self._repository, old) for old in olds]
            parent = heads[0].parents[0] if heads[0].parents else None
            joined = read_change(self._repository, parent, olds[-1])
        except GitFailed:  # they are gone already
            return False, False
        known = {line.strip() for old in heads for line in old.message.split("\n")} | {""}
        words = all(line.strip() in known for line in head.message.split("\n"))
        return words, joined.fingerprint == change.fingerprint

    def _is_known_merge(self, head: Head) -> bool:
        """Whether all that a merge brings in was told on its own branch: its diff would tell it again."""
        if len(head.parents) < 2:
            return False
        side = githistory.reached(self._repository, head.sha, head.parents[:1]) - {head.sha}
        return all(sha in self.ledger.told for sha in side)
