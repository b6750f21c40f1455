"""Which branch a memory belongs to, and which branches have been merged into the default branch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loremark.memory.commit_hashes import CommitHashes
from loremark.memory.extraction.results import CommitSummary, Digest
from loremark.memory.extraction.word_patterns import content_terms

COMMON_DEFAULT_BRANCHES = frozenset(("main", "master", "trunk", "default"))
# Two commits with a shorter subject than this, such as "fix tests", need not be the same change.
_DISTINCTIVE_TERMS = 3
_NAME_CHARS = 5
_NUMBER = re.compile(r"\s*[(\[](?:[#!]|pull request #)\d{1,9}[)\]]\s*$")
_SAYS_MERGE = re.compile(r"(?:[\w-]{1,20}(?:\([^()]{0,60}\))?!?: ?)?merg(?:e[sd]?|ing)\b", re.IGNORECASE)
_INTO_OTHER = re.compile(r"\binto (?!['\"]?(?:main|master|trunk|default)\b)")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class OpenBranch:
    """A branch that is not known to be merged. ``commits``: its own, oldest first; empty if only sessions know it."""

    name: str
    commits: tuple[CommitSummary, ...] = ()


def is_default_branch(branch: str | None, default_branch: str | None) -> bool:
    """True for no branch, the project's default branch, or a common default name such as ``main``."""
    return branch is None or branch == default_branch or branch in COMMON_DEFAULT_BRANCHES


def find_merged_branches(branches: Iterable[OpenBranch], digest: Digest) -> set[str]:
    """Return the branches that a digest of the default branch merged.

    By a merge commit that names the branch or contains its newest commit; by commits that make the same changes again,
    as after a rebase; or by a squash merge, which has the title or the list of commits of the branch.
    """
    default = _DefaultBranch(digest)
    return {branch.name for branch in branches if default.has_merged(branch)}


class _DefaultBranch:
    """The commits of a digest of the default branch, prepared for the comparison with many branches."""

    def __init__(self, digest: Digest) -> None:
        self._named = {_short_name(name) for name in digest.merged_branches}
        self._heads = CommitHashes((*digest.commits, *digest.merged_heads))
        self._changes = CommitHashes((*digest.commits, *digest.repeated))
        self._by_subject = {_key(commit.subject): commit for commit in digest.summaries}
        self._steps = [{_key(step) for step in commit.steps} for commit in digest.summaries if commit.steps]
        self._squashed = {key: one for key, one in self._by_subject.items() if _NUMBER.search(one.subject)}
        self._titles = [_words(key) for key in self._squashed]
        said = (commit.subject for commit in digest.summaries)
        self._merges = [one for one in said if _SAYS_MERGE.match(one) and not _INTO_OTHER.search(one)]

    def has_merged(self, branch: OpenBranch) -> bool:
        name = _short_name(branch.name)
        if name in self._named or self._is_named_by_merge(name) or self._has_title(name):
            return True
        return bool(branch.commits) and (self._contains(branch.commits) or self._squashes(branch.commits))

    def _is_named_by_merge(self, name: str) -> bool:
        """Whether a subject such as "merge: bead-0999" names it. A plain word may be anything that was merged."""
        if not self._merges or len(name) < _NAME_CHARS or name.isalpha():
            return False
        form = re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])")
        return any(map(form.search, self._merges))

    def _has_title(self, name: str) -> bool:
        """Whether a squash merge has the default title of a pull request with several commits: its branch's name."""
        words = _words(name)
        return any(
            len(title) > 1 and (title == words or (len(words) > 2 and title == words[1:])) for title in self._titles
        )

    def _contains(self, commits: Sequence[CommitSummary]) -> bool:
        """Whether the newest commit is there, or a counterpart of every commit."""
        if commits[-1].sha in self._heads:
            return True
        is_distinctive = False
        for commit in commits:
            same = self._by_subject.get(_key(commit.subject))
            if commit.sha in self._changes:
                is_distinctive = True
            elif same is None or not commit.subject or not _is_same_author(commit, same):
                return False
            else:
                is_distinctive |= _is_distinctive(commit.subject)
        return is_distinctive

    def _squashes(self, commits: Sequence[CommitSummary]) -> bool:
        """Whether a commit lists these, or has the title of one of them and the number of a pull request."""
        own = {_key(one.subject): one for one in commits if one.subject and not _SAYS_MERGE.match(one.subject)}
        if len(own) > 1 and any(own.keys() <= steps for steps in self._steps):
            return True
        return any(
            _is_same_author(own[key], self._squashed[key]) and _is_distinctive(key)
            for key in own.keys() & self._squashed.keys()
        )


def _is_same_author(one: CommitSummary, other: CommitSummary) -> bool:
    return not one.author or not other.author or one.author.casefold() == other.author.casefold()


def _is_distinctive(subject: str) -> bool:
    return len(content_terms(subject)) >= _DISTINCTIVE_TERMS


def _key(subject: str) -> str:
    return " ".join(_NUMBER.sub("", subject).casefold().split())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _short_name(branch: str) -> str:
    return branch.removeprefix("refs/heads/").removeprefix("origin/")
