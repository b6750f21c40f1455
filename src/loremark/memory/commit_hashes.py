"""Compare commit hashes, of which any may be abbreviated."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 7
"""Fewer characters than Git abbreviates to may be the start of another commit's hash."""


def is_same_commit(one: str, other: str) -> bool:
    """Whether two hashes belong to one commit."""
    if len(one) < _SHORTEST or len(other) < _SHORTEST:
        return bool(one) and one == other
    return one.startswith(other) or other.startswith(one)


class CommitHashes:
    """A set of hashes that contains a commit under any of its abbreviations."""

    def __init__(self, hashes: Iterable[str]) -> None:
        self._by_start: dict[str, list[str]] = {}
        for sha in hashes:
            self._by_start.setdefault(sha[:_SHORTEST], []).append(sha)

    def __contains__(self, sha: str) -> bool:
        return any(is_same_commit(one, sha) for one in self._by_start.get(sha[:_SHORTEST], ()))
