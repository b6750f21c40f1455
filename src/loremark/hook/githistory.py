"""Which commits lie between two points of a history, oldest first and by first parent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremark.hook import git
from loremark.hook.gitrepository import SHA, Repository

_MOST_SIDE = 1_000
_MOST_BRANCHES = 200
_LIST_BYTES = 4_194_304
_MOST_BESIDE = 20
_MERGE = re.compile(
    r"Merge (?:(?:remote-tracking )?branch(?:es)?|pull request|tag|commit)\b|Merged? in \S", re.IGNORECASE
)
_NO_WORDS = re.compile(r"[A-Z][A-Za-z-]{2,30}: \S|\W|conflicts:|\S+$|\S+ \S+$", re.IGNORECASE)
_HEADS = ("log", "--no-walk", "--stdin", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate")
_SIDE = ("log", "--no-merges", "--topo-order", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate")
_AT_ONCE = 500


def line(repository: Repository, head: str, without: Iterable[str], most: int) -> list[str]:
    """The newest commits up to a head that none of the others reaches. A merge stands for all it brought in."""
    asked = ["rev-list", "--first-parent", "--reverse", f"--max-count={most}", "--stdin"]
    return _shas(repository, asked, head, without)


def beside(repository: Repository, shas: Sequence[str], without: Iterable[str], most: int) -> dict[str, list[str]]:
    """The commits of a line, oldest first, each with those that it merged and does not speak for.

    That is: the explained ones on the side of a merge without words of its own. As many of the newest as there may be
    in all, the line's own among them.
    """
    parents = _silent_merges(repository, shas)
    found: dict[str, list[str]] = {}
    room, without = most, list(without)
    for sha in reversed(shas):
        room -= 1
        if room < 0:
            break
        side = _explained(repository, sha, [parents[sha], *without], min(room, _MOST_BESIDE)) if sha in parents else []
        room -= len(side)
        found[sha] = side
    return {sha: found[sha] for sha in reversed(found)}


def _silent_merges(repository: Repository, shas: Sequence[str]) -> dict[str, str]:
    """Merges that only name a branch, with the parent they were made on."""
    found: dict[str, str] = {}
    for start in range(0, len(shas), _AT_ONCE):
        fed = "".join(f"{sha}\n" for sha in shas[start : start + _AT_ONCE]).encode()
        for sha, parents, message in _told(repository, [*_HEADS, "--format=tformat:%H%x00%P%x00%B%x01"], fed):
            subject, _, body = message.partition("\n")
            if " " in parents and _MERGE.match(subject) and not _has_words(body):
                found[sha] = parents.split(" ")[0]
    return found


def _explained(repository: Repository, merge: str, without: Sequence[str], most: int) -> list[str]:
    """The newest commits that a merge brought in and that say more than their subject, oldest first."""
    fed = "".join([f"{merge}\n", *(f"^{sha}\n" for sha in without)]).encode()
    asked = [*_SIDE, "--stdin", f"--max-count={_MOST_SIDE}", "--format=tformat:%H%x00%P%x00%b%x01"]
    found = [sha for sha, _, body in _told(repository, asked, fed) if _has_words(body)]
    return found[:most][::-1]


def _told(repository: Repository, asked: list[str], fed: bytes) -> list[tuple[str, str, str]]:
    """Commits as a format of three fields tells them; one that was cut off is left out."""
    found = git.run(asked, gitdir=repository.gitdir, stdin=fed, most_bytes=_LIST_BYTES)
    if not found.is_good:
        raise git.GitFailed("the history could not be read")
    entries = (entry.lstrip("\n").split("\0") for entry in found.out.decode(errors="replace").split("\1")[:-1])
    return [(fields[0], fields[1], fields[2]) for fields in entries if len(fields) == 3 and SHA.fullmatch(fields[0])]


def _has_words(body: str) -> bool:
    """Whether there is a line that is more than a name, a trailer or the list of conflicts."""
    return any(not _NO_WORDS.match(line.strip()) for line in body.split("\n") if line.strip())


def reached(repository: Repository, head: str, without: Iterable[str]) -> frozenset[str]:
    """All commits up to a head that none of the others reaches, along every parent."""
    return frozenset(_shas(repository, ["rev-list", f"--max-count={_MOST_SIDE}", "--stdin"], head, without))


def depth(repository: Repository, sha: str) -> int:
    """How many commits lead to this one, by first parent, itself included."""
    found = git.run(["rev-list", "--count", "--first-parent", "--end-of-options", sha, "--"], gitdir=repository.gitdir)
    digits = found.out.strip()
    return int(digits) if found.code == 0 and digits.isdigit() else 0


def present(repository: Repository, shas: Iterable[str]) -> list[str]:
    """Those of the commits that are still here; what was rebased away is deleted some day."""
    wanted = [sha for sha in dict.fromkeys(shas) if SHA.fullmatch(sha)]
    if not wanted:
        return []
    fed = "".join(f"{sha}\n" for sha in wanted).encode()
    found = git.run(["cat-file", "--batch-check=%(objectname) %(objecttype)"], gitdir=repository.gitdir, stdin=fed)
    there = {text.split(" ")[0] for text in found.out.decode(errors="replace").split("\n") if text.endswith(" commit")}
    return [sha for sha in wanted if sha in there]


def branches(repository: Repository) -> dict[str, str]:
    """The commit that each local branch stands at; the newest come last, and of very many only those."""
    asked = ["for-each-ref", "--sort=committerdate", "--format=%(objectname) %(refname)", "refs/heads/"]
    found = git.run(asked, gitdir=repository.gitdir, most_bytes=_LIST_BYTES)
    lines = found.out.decode(errors="replace").split("\n") if found.code == 0 else []
    pairs = [line.partition(" ")[::2] for line in lines if SHA.fullmatch(line.partition(" ")[0])]
    return {name.removeprefix("refs/heads/"): sha for sha, name in pairs[-_MOST_BRANCHES:]}


def base(repository: Repository, one: str, other: str) -> str | None:
    """Where two histories part."""
    found = git.run(["merge-base", "--end-of-options", one, other], gitdir=repository.gitdir)
    sha = found.out.decode(errors="replace").split("\n")[0]
    return sha if found.code == 0 and SHA.fullmatch(sha) else None


def _shas(repository: Repository, asked: list[str], head: str, without: Iterable[str]) -> list[str]:
    fed = "".join([f"{head}\n", *(f"^{sha}\n" for sha in without)]).encode()
    found = git.run(asked, gitdir=repository.gitdir, stdin=fed, most_bytes=_LIST_BYTES)
    if found.code != 0:
        raise git.GitFailed("the history could not be read")
    return [sha for sha in found.out.decode(errors="replace").split("\n") if SHA.fullmatch(sha)]
