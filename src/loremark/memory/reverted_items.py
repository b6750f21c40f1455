"""What a revert means for an item: that it no longer holds, or that it holds again because the revert was reverted.

An item keeps the words of the revert as evidence. They show why it no longer holds, and what would restore it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from loremark.memory.commit_hashes import is_same_commit
from loremark.memory.extraction.commit_reverts import named_shas, reverted_subject, subject_of_revert
from loremark.memory.extraction.results import Revert
from loremark.memory.extraction.titles import without_prefix
from loremark.memory.items import Item, Quote

Effect = Literal["reverted", "restored"]


def find_effect(item: Item, revert: Revert) -> Effect | None:
    """Return what a revert does to an item, or None if it concerns neither the item's commits nor its reverts."""
    marks = find_marks(item)
    if any(is_same_commit(mark.commit_sha, revert.by_sha) for mark in marks):
        return None  # applied before
    undone = subject_of_revert(revert.subject)
    if any(is_same_commit(mark.commit_sha, revert.sha) or _is_about(item, mark, undone) for mark in marks):
        return "restored"
    return "reverted" if _own_commits(item, revert) else None


def rests_on_reverted_only(item: Item, revert: Revert) -> bool:
    """Whether nothing but the reverted commit supports the item."""
    commits, marks = _own_commits(item, revert), find_marks(item)
    return all(quote.commit_sha in commits for quote in item.evidence if quote not in marks)


def add_mark(item: Item, revert: Revert) -> Item:
    """The item with the words of the revert that name one of its commits."""
    by_hash, by_subject = (
        replace(item, evidence=(*item.evidence, Quote(revert.event_id, words, revert.by_sha)))
        for words in (revert.quote, revert.by_subject or revert.quote)
    )
    return by_hash if find_marks(by_hash) else by_subject


def remove_marks(item: Item) -> Item:
    marks = find_marks(item)
    return replace(item, evidence=tuple(quote for quote in item.evidence if quote not in marks))


def find_marks(item: Item) -> list[Quote]:
    """The quotes that revert another commit which the item quotes."""
    return [
        quote
        for quote in item.evidence
        if quote.commit_sha
        and any(
            _undoes(quote, other) for other in item.evidence if not is_same_commit(other.commit_sha, quote.commit_sha)
        )
    ]


def is_same_subject(one: str, other: str) -> bool:
    """Whether two subjects belong to one commit, apart from the number of its pull request."""
    return bool(one) and _bare(one) == _bare(other)


def _own_commits(item: Item, revert: Revert) -> set[str]:
    """The item's commits that the revert names: by hash, or else by subject."""
    named = {quote.commit_sha for quote in item.evidence if is_same_commit(quote.commit_sha, revert.sha)}
    if named:
        return named
    return {
        quote.commit_sha for quote in item.evidence if quote.commit_sha and is_same_subject(quote.quote, revert.subject)
    }


def _undoes(quote: Quote, other: Quote) -> bool:
    shas = named_shas(quote.quote)
    if shas:
        return any(is_same_commit(sha, other.commit_sha) for sha in shas)
    return is_same_subject(other.quote, reverted_subject(quote.quote))


def _is_about(item: Item, mark: Quote, subject: str) -> bool:
    """Whether a mark undoes the commit with this subject."""
    return any(_undoes(mark, other) and is_same_subject(other.quote, subject) for other in item.evidence)


def _bare(subject: str) -> str:
    return " ".join(without_prefix(subject).casefold().split())
