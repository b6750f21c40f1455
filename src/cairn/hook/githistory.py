"""Which commits lie between two points of a history, oldest first and by first parent."""

from __future__ import annotations

from collections.abc import Iterable

from cairn.hook import git
from cairn.hook.gitrepository import SHA, Repository

_MOST_SIDE = 1_000
_MOST_BRANCHES = 200
_LIST_BYTES = 4_194_304


def line(repository: Repository, head: str, without: Iterable[str], most: int) -> list[str]:
    """The newest commits up to a head that none of the others reaches. A merge stands for all it brought in."""
    asked = ["rev-list", "--first-parent", "--reverse", f"--max-count={most}", "--stdin"]
    return _shas(repository, asked, head, without)


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
