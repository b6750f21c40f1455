"""Commits, caught by git's hooks and told to the server as digests.

A hook's call becomes a record of where the repository stood, in the spool at once. What is new since the last time
is worked out by the flusher, from one record after the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from loremark.hook import githistory, gitledger, gitrepository, link, spool, starting
from loremark.hook.git import GitFailed
from loremark.hook.gitdigest import Moves, Piece, pieces
from loremark.hook.gitledger import Ledger
from loremark.hook.gitrepository import SHA, Repository

AGENT = "git"
EVENT = "git_digest"
EVENTS = ("post-commit", "post-rewrite", "post-merge")
MOST_FOLLOWED = 200
_YOUNG = 20
_MOST_PAIRS = 1_000
_STDIN_BYTES = 1_048_576


class Telling(NamedTuple):
    """The events of one note, and what is to be remembered when they are safe: see ``remember``."""

    payloads: list[dict[str, Any]]
    ledger: str = ""
    branch: str = ""
    head: str = ""
    told: dict[str, str] = {}  # noqa: RUF012


def caught(event: str, arguments: list[str], folder: str) -> None:
    """Note where the repository stands after a git hook, and let the flusher work out what is new."""
    if event not in EVENTS or not _is_linked(folder):
        return
    try:
        noted = note(event, arguments, folder, _stdin() if event == "post-rewrite" else b"")
    except GitFailed:
        return
    if noted is not None:
        spool.put(noted, clean=True)  # names and places, which must stay as they are
        starting.start()


def _is_linked(folder: str) -> bool:
    found, why = link.look(folder)
    if found is None and why == link.UNKNOWN_PLACE:
        link.remember_place(folder)  # this runs git, as we do anyway: nobody waits for us
        found = link.find_link(folder)
    return found is not None


def begin(folder: str) -> None:
    """From here on commits are told: what the branches hold by now is left to ``backfill``."""
    repository = gitrepository.discover(folder)
    if repository.head:
        tips = githistory.branches(repository)
        if not repository.branch:
            tips[""] = repository.head
        gitledger.add(gitledger.name_of(gitrepository.identity(repository), ""), {}, tips)


def note(event: str, arguments: list[str], folder: str, stdin: bytes = b"") -> dict[str, Any] | None:
    """What a hook's call tells; None in the middle of a rewrite, which has a hook of its own at its end."""
    place = os.path.abspath(folder)
    given = os.environ.get("GIT_DIR")  # only set where git was told it
    repository = gitrepository.open_repository(os.path.join(place, given)) if given else gitrepository.discover(place)
    head, branch = _where(repository)
    before, action = gitrepository.last_move(repository, head)
    is_amending = event == "post-commit" and action.startswith("commit (amend)")
    is_rebasing = action.startswith("rebase") or gitrepository.is_rebasing(repository)
    if not head or is_amending or (is_rebasing and not (event == "post-rewrite" and arguments[:1] == ["rebase"])):
        return None
    noted: dict[str, Any] = {
        "agent": AGENT,
        "kind": event,
        "folder": place,
        "gitdir": os.path.abspath(repository.gitdir),
        "head": head,
        "branch": branch,
    }
    if event == "post-merge" and before:
        noted["before"] = before
    if pairs := _pairs(stdin):
        noted["rewritten"] = pairs
    return noted


def _where(repository: Repository) -> tuple[str, str]:
    """Where HEAD was when the hook was called, as its script saw it: by now it may be elsewhere."""
    head, _, name = os.environ.get("LOREMARK_GIT_AT", "").partition("\n")
    if not SHA.fullmatch(head):
        return repository.head, repository.branch
    return head, gitrepository.branch_name(name)


def telling(noted: dict[str, Any], project: str) -> Telling:
    """The digests that a note stands for, as payloads of ``git_digest``. Asked again it answers the same."""
    try:
        return _telling(noted, project)
    except GitFailed:  # nothing is lost: the next commit tells what lies before it too
        return Telling([])


def remember(told: Telling) -> None:
    """To be called once the events are where they cannot be lost."""
    if told.ledger:
        gitledger.add(told.ledger, told.told, {told.branch: told.head})


def digest(
    folder: str, since: str | None = None, until: str | None = None, most: int = MOST_FOLLOWED
) -> list[dict[str, Any]]:
    """The payloads that tell a piece of history, whatever was told before."""
    return [piece.payload for piece in backfill(folder, "", since, until, most).pieces if piece.payload is not None]


class Backfill(NamedTuple):
    """A piece of history: how many commits it has, and its events as they are made."""

    ledger: str
    branch: str
    head: str
    commits: int
    pieces: Iterator[Piece]


def backfill(folder: str, project: str, since: str | None, until: str | None, most: int) -> Backfill:
    """History up to a commit (else HEAD), oldest first; what this project was told before is left out."""
    repository = gitrepository.discover(folder)
    head = _commit(repository, until) if until else repository.head
    if not head:
        raise GitFailed("nothing was committed here yet")
    start = _commit(repository, since) if since else None
    name = gitledger.name_of(gitrepository.identity(repository), project) if project else ""
    ledger = gitledger.load(name) if name else Ledger({}, {})
    without = [start] if start else []
    shas = githistory.beside(repository, githistory.line(repository, head, without, most), without, most)
    branch = repository.branch if head == repository.head else ""
    made = pieces(repository, branch, head, list(shas), ledger, beside=shas) if shas else iter(())
    return Backfill(name, branch, head, sum(1 + len(side) for side in shas.values()), made)


def _commit(repository: Repository, name: str) -> str:
    found = gitrepository.resolve(repository.gitdir, name)
    if found is None:
        raise GitFailed(f"there is no commit {name!r} here")
    return found


def _telling(noted: dict[str, Any], project: str) -> Telling:
    head, branch, kind = str(noted.get("head")), str(noted.get("branch") or ""), noted.get("kind")
    repository = gitrepository.open_repository(str(noted.get("gitdir")))
    pairs = _known_pairs(noted.get("rewritten"))
    identity = gitrepository.identity(repository)
    name = gitledger.name_of(identity, project)
    begun = gitledger.load(gitledger.name_of(identity, ""))
    ledger = gitledger.load(name)
    ledger = Ledger({**begun.tips, **ledger.tips}, ledger.told)
    if not githistory.present(repository, [head]):
        raise GitFailed("the commit is not there any more")
    before = noted.get("before")
    start = _start(repository, head, branch, ledger, before if isinstance(before, str) else None, pairs)
    shas = githistory.line(repository, head, start, MOST_FOLLOWED)
    moves = Moves(pairs, _merged(repository, head, branch, ledger, start) if kind == "post-merge" else ())
    made = list(pieces(repository, branch, head, shas, ledger, moves))
    told = {sha: change for piece in made for sha, change in piece.told.items()}
    tip = head if shas else _further(repository, ledger.tips.get(branch), head)
    return Telling([piece.payload for piece in made if piece.payload is not None], name, branch, tip, told)


def _further(repository: Repository, own: str | None, head: str) -> str:
    """How far a branch is told: hooks run side by side, and a later one may have been quicker."""
    known = githistory.present(repository, [own]) if own else []
    return known[0] if known and githistory.base(repository, known[0], head) == head else head


def _start(
    repository: Repository, head: str, branch: str, ledger: Ledger, before: str | None, pairs: list[tuple[str, str]]
) -> list[str]:
    """What is not to be told: all that leads to where a branch was told last, and what lies before the work itself."""
    tips = githistory.present(repository, ledger.tips.values())
    own = ledger.tips.get(branch)
    if own is not None and own in tips:
        return tips
    if not ledger.tips and not pairs and before is None and githistory.depth(repository, head) <= _YOUNG:
        return []  # it has just begun: all of it is told
    begun = _upstream(repository, head) if own is not None else None
    if begun is None:
        first = next((new for _, new in pairs), head)
        begun = (
            before if before is not None and before != head else gitrepository.resolve(repository.gitdir, f"{first}~1")
        )
    return [*tips, *githistory.present(repository, [begun] if begun else [])]


def _upstream(repository: Repository, head: str) -> str | None:
    """Where the history parts from the remote's: what is left when the commit told last is gone."""
    other = gitrepository.resolve(repository.gitdir, "refs/remotes/origin/HEAD")
    found = githistory.base(repository, head, other) if other else None
    return found if found != head else None


def _merged(repository: Repository, head: str, branch: str, ledger: Ledger, start: list[str]) -> list[str]:
    """The branches whose last told commit came in by this merge."""
    own = ledger.tips.get(branch)
    without = (
        githistory.present(repository, [own]) if own else [sha for sha in start if sha not in ledger.tips.values()]
    )
    if not without or head in without:
        return []
    came = githistory.reached(repository, head, without)
    return sorted(name for name, tip in ledger.tips.items() if name not in ("", branch) and tip in came)


def _stdin() -> bytes:
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(_STDIN_BYTES)


def _pairs(stdin: bytes) -> list[list[str]]:
    lines = (line.split(" ")[:2] for line in stdin.decode(errors="replace").split("\n"))
    return [pair for pair in lines if len(pair) == 2 and all(SHA.fullmatch(sha) for sha in pair)][:_MOST_PAIRS]


def _known_pairs(value: object) -> list[tuple[str, str]]:
    found = value if isinstance(value, list) else []
    pairs = [tuple(pair) for pair in found if isinstance(pair, list) and len(pair) == 2]
    return [(old, new) for old, new in pairs if SHA.fullmatch(str(old)) and SHA.fullmatch(str(new))]
