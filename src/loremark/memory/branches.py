"""Which branch a memory belongs to, and when a branch has become part of the default one."""

from __future__ import annotations

from collections.abc import Collection, Mapping

USUAL_DEFAULTS = frozenset(("main", "master", "trunk", "default"))
# A digest may give a commit by its first characters.
_SHORT_SHA_CHARS = 7


def is_default(branch: str | None, default_branch: str | None) -> bool:
    """No branch at all, the one that the project names, or one of the usual names."""
    return branch is None or branch == default_branch or branch in USUAL_DEFAULTS


def merged(heads: Mapping[str, str], commits: Collection[str], named: Collection[str]) -> set[str]:
    """The branches that a digest of the default branch brought in.

    ``heads`` is the newest known commit of each branch, ``commits`` are those of the digest, ``named`` the branches
    that its merge commits name. A squashed branch leaves no commit behind, so the name must do.
    """
    names = {_bare(name) for name in named}
    return {branch for branch, head in heads.items() if _bare(branch) in names or _holds(commits, head)}


def _holds(commits: Collection[str], head: str) -> bool:
    if head in commits:
        return True
    return len(head) >= _SHORT_SHA_CHARS and any(
        len(sha) >= _SHORT_SHA_CHARS and (sha.startswith(head) or head.startswith(sha)) for sha in commits
    )


def _bare(branch: str) -> str:
    return branch.removeprefix("refs/heads/").removeprefix("origin/")
