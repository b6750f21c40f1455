"""Find branches that were merged without a merge commit: squashed into one commit, or picked as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loremark.hook import githistory
from loremark.hook.git import GitError
from loremark.hook.gitcommit import read_change, read_header
from loremark.hook.gitrepository import Repository

_MAX_COMMITS = 50
_MAX_BRANCHES = 20


def squashed_branches(repository: Repository, head: str, tips: Mapping[str, str], shas: Sequence[str]) -> list[str]:
    """List the branches whose whole change one of these commits makes. ``tips``: the last commits, newest last.

    Compares added and removed lines, so neither the title of a squash merge matters nor whether its branch was deleted,
    as long as its last commit still exists.
    """
    existing = set(githistory.list_existing(repository, tips.values())) if shas else set()
    wholes: dict[str, str] = {}
    for name, tip in list(tips.items())[-_MAX_BRANCHES:]:
        base = githistory.merge_base(repository, tip, head) if tip in existing else None
        if base is not None and base != tip:  # else it has no commits of its own
            wholes[name] = _fingerprint(repository, base, tip)
    if not any(wholes.values()):
        return []
    made = {_fingerprint(repository, None, sha) for sha in list(shas)[-_MAX_COMMITS:]} - {""}
    return sorted(name for name, whole in wholes.items() if whole in made)


def _fingerprint(repository: Repository, old: str | None, new: str) -> str:
    """Return the fingerprint of a change, by default of a commit; empty if it is empty or too large to compare."""
    try:
        parents = read_header(repository, new).parents if old is None else (old,)
        change = read_change(repository, parents[0], new) if parents else None
    except GitError:
        return ""
    return change.fingerprint if change is not None and change.diff and not change.is_cut else ""
