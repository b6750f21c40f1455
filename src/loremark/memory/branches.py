"""Which branch a memory belongs to, and which branches have been merged into the default branch."""

from __future__ import annotations

from collections.abc import Collection, Mapping

COMMON_DEFAULT_BRANCHES = frozenset(("main", "master", "trunk", "default"))
# A digest may contain abbreviated commit hashes.
_SHORT_SHA_CHARS = 7


def is_default_branch(branch: str | None, default_branch: str | None) -> bool:
    """True for no branch, the project's default branch, or a common default name such as ``main``."""
    return branch is None or branch == default_branch or branch in COMMON_DEFAULT_BRANCHES


def find_merged_branches(heads: Mapping[str, str], commits: Collection[str], named: Collection[str]) -> set[str]:
    """Return the branches that a digest of the default branch merged.

    ``heads`` maps each branch to its newest known commit, ``commits`` are those of the digest, and ``named`` are the
    branches that its merge commits name. A squashed branch leaves no commit behind, so its name must do.
    """
    names = {_short_name(name) for name in named}
    return {branch for branch, head in heads.items() if _short_name(branch) in names or _contains_commit(commits, head)}


def _contains_commit(commits: Collection[str], head: str) -> bool:
    if head in commits:
        return True
    return len(head) >= _SHORT_SHA_CHARS and any(
        len(sha) >= _SHORT_SHA_CHARS and (sha.startswith(head) or head.startswith(sha)) for sha in commits
    )


def _short_name(branch: str) -> str:
    return branch.removeprefix("refs/heads/").removeprefix("origin/")
