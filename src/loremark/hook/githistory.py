"""List commits between two points in history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremark.hook import git
from loremark.hook.gitrepository import SHA, Repository

_MAX_SIDE = 1_000
_MAX_BRANCHES = 200
_LIST_BYTES = 4_194_304
_MAX_SIDE_PER_MERGE = 20
_MERGE = re.compile(
    r"Merge (?:(?:remote-tracking )?branch(?:es)?|pull request|tag|commit)\b|Merged? in \S", re.IGNORECASE
)
_BOILERPLATE = re.compile(r"[A-Z][A-Za-z-]{2,30}: \S|\W|conflicts:|\S+$|\S+ \S+$", re.IGNORECASE)
_LOG_ONE = ("log", "--no-walk", "--stdin", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate")
_LOG_SIDE = ("log", "--no-merges", "--topo-order", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate")
_BATCH = 500


def list_first_parent(repository: Repository, head: str, excluded: Iterable[str], limit: int) -> list[str]:
    """List the newest first-parent commits of head that are not reachable from ``excluded``, oldest first."""
    command = ["rev-list", "--first-parent", "--reverse", f"--max-count={limit}", "--stdin"]
    return _list_shas(repository, command, head, excluded)


def group_side_commits(
    repository: Repository, shas: Sequence[str], excluded: Iterable[str], limit: int
) -> dict[str, list[str]]:
    """Map each commit, oldest first, to the merged commits that should be reported along with it.

    These are commits with an explanation, brought in by a merge without one. ``limit`` applies to all commits together.
    """
    parents = _unexplained_merges(repository, shas)
    found: dict[str, list[str]] = {}
    remaining, excluded = limit, list(excluded)
    for sha in reversed(shas):
        remaining -= 1
        if remaining < 0:
            break
        side: list[str] = []
        if sha in parents:
            most = min(remaining, _MAX_SIDE_PER_MERGE)
            side = _explained_side_commits(repository, sha, [parents[sha], *excluded], most)
        remaining -= len(side)
        found[sha] = side
    return {sha: found[sha] for sha in reversed(found)}


def _unexplained_merges(repository: Repository, shas: Sequence[str]) -> dict[str, str]:
    """Map merges whose message only names a branch to their first parent."""
    found: dict[str, str] = {}
    for start in range(0, len(shas), _BATCH):
        stdin = "".join(f"{sha}\n" for sha in shas[start : start + _BATCH]).encode()
        command = [*_LOG_ONE, "--format=tformat:%H%x00%P%x00%B%x01"]
        for sha, parents, message in _read_commits(repository, command, stdin):
            subject, _, body = message.partition("\n")
            if " " in parents and _MERGE.match(subject) and not _has_explanation(body):
                found[sha] = parents.split(" ")[0]
    return found


def _explained_side_commits(repository: Repository, merge: str, excluded: Sequence[str], limit: int) -> list[str]:
    """List the newest commits of a merge whose message has more than a subject, oldest first."""
    stdin = "".join([f"{merge}\n", *(f"^{sha}\n" for sha in excluded)]).encode()
    command = [*_LOG_SIDE, "--stdin", f"--max-count={_MAX_SIDE}", "--format=tformat:%H%x00%P%x00%b%x01"]
    found = [sha for sha, _, body in _read_commits(repository, command, stdin) if _has_explanation(body)]
    return found[:limit][::-1]


def _read_commits(repository: Repository, command: list[str], stdin: bytes) -> list[tuple[str, str, str]]:
    """Parse commits in a three-field format, skipping a truncated last one."""
    found = git.run(command, gitdir=repository.gitdir, stdin=stdin, max_bytes=_LIST_BYTES)
    if not found.is_ok:
        raise git.GitError("could not read the commit history")
    entries = (entry.lstrip("\n").split("\0") for entry in found.out.decode(errors="replace").split("\1")[:-1])
    return [(fields[0], fields[1], fields[2]) for fields in entries if len(fields) == 3 and SHA.fullmatch(fields[0])]


def _has_explanation(body: str) -> bool:
    """Return whether any line is more than a name, a trailer or a list of conflicts."""
    return any(not _BOILERPLATE.match(line.strip()) for line in body.split("\n") if line.strip())


def list_subjects(repository: Repository, limit: int) -> list[str]:
    """Return the subjects of the newest commits, without merges, the newest first."""
    command = ["log", *_LOG_SIDE[1:], f"--max-count={limit}", "--format=tformat:%s%x00", "HEAD", "--"]
    found = git.run(command, gitdir=repository.gitdir, max_bytes=_LIST_BYTES)
    subjects = found.out.decode(errors="replace").split("\0") if found.is_ok else []
    return [text for subject in subjects if (text := subject.strip())]


def list_reachable(repository: Repository, head: str, excluded: Iterable[str]) -> frozenset[str]:
    """Return all commits reachable from head but not from ``excluded``."""
    return frozenset(_list_shas(repository, ["rev-list", f"--max-count={_MAX_SIDE}", "--stdin"], head, excluded))


def depth(repository: Repository, sha: str) -> int:
    """Count the first-parent ancestors of a commit, including itself."""
    found = git.run(["rev-list", "--count", "--first-parent", "--end-of-options", sha, "--"], gitdir=repository.gitdir)
    digits = found.out.strip()
    return int(digits) if found.code == 0 and digits.isdigit() else 0


def list_existing(repository: Repository, shas: Iterable[str]) -> list[str]:
    """List the commits that still exist; rebased ones are eventually garbage-collected."""
    wanted = [sha for sha in dict.fromkeys(shas) if SHA.fullmatch(sha)]
    if not wanted:
        return []
    stdin = "".join(f"{sha}\n" for sha in wanted).encode()
    found = git.run(["cat-file", "--batch-check=%(objectname) %(objecttype)"], gitdir=repository.gitdir, stdin=stdin)
    existing = {
        text.split(" ")[0] for text in found.out.decode(errors="replace").split("\n") if text.endswith(" commit")
    }
    return [sha for sha in wanted if sha in existing]


def list_branches(repository: Repository) -> dict[str, str]:
    """Map local branches to their tips, the most recent last, limited to the newest."""
    command = ["for-each-ref", "--sort=committerdate", "--format=%(objectname) %(refname)", "refs/heads/"]
    found = git.run(command, gitdir=repository.gitdir, max_bytes=_LIST_BYTES)
    lines = found.out.decode(errors="replace").split("\n") if found.code == 0 else []
    pairs = [line.partition(" ")[::2] for line in lines if SHA.fullmatch(line.partition(" ")[0])]
    return {name.removeprefix("refs/heads/"): sha for sha, name in pairs[-_MAX_BRANCHES:]}


def merge_base(repository: Repository, one: str, other: str) -> str | None:
    """Return the merge base of two commits, or None."""
    found = git.run(["merge-base", "--end-of-options", one, other], gitdir=repository.gitdir)
    sha = found.out.decode(errors="replace").split("\n")[0]
    return sha if found.code == 0 and SHA.fullmatch(sha) else None


def _list_shas(repository: Repository, command: list[str], head: str, excluded: Iterable[str]) -> list[str]:
    stdin = "".join([f"{head}\n", *(f"^{sha}\n" for sha in excluded)]).encode()
    found = git.run(command, gitdir=repository.gitdir, stdin=stdin, max_bytes=_LIST_BYTES)
    if found.code != 0:
        raise git.GitError("could not read the commit history")
    return [sha for sha in found.out.decode(errors="replace").split("\n") if SHA.fullmatch(sha)]
