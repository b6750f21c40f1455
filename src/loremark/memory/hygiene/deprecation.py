"""Proposes to deprecate items that no longer hold or help: superseded, about deleted files, done, or never used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from loremark.memory.extraction.word_patterns import content_terms, coverage
from loremark.memory.hygiene.proposals import HygieneItem, Proposal, quote_title

SERVED_IN_VAIN = 8
"""The number of briefings from which an approved item that no session used is proposed for deprecation."""
_NEAR = 0.45
_DONE_NEAR = 0.6
_DONE_COVERED = 0.6
_READ_CHARS = 1_200
_MAX_WORDS = 5
_NAME = r"([\w.@/+#-]{1,40}(?: [\w.@/+#-]{1,40}){0,4}?)"
_END = r"(?=[.,;:()]|$|\s(?:for|in|on|because|since|as|after|when|which|with|to|by|and|of|at|so|due|now|from)\b)"
# Each with the groups of the old and the new name.
_REPLACED = tuple(
    (re.compile(form, re.IGNORECASE), went, came)
    for form, went, came in (
        (
            r"\b(?:moved|switched|migrated|changed|went|converted|ported)(?: \S{1,40}){0,5}? (?:away )?from "
            rf"{_NAME} (?:over )?to {_NAME}{_END}",
            1,
            2,
        ),
        (
            rf"(?<!\S){_NAME} (?:has been|was|is|were|have been|are) (?:fully |now |completely )?"
            rf"(?:replaced|superseded) (?:by|with) {_NAME}{_END}",
            1,
            2,
        ),
        (rf"\breplac(?:ed|es|ing) {_NAME} (?:by|with) {_NAME}{_END}", 1, 2),
        (rf"(?<!\S)([\w.@/+#-]{{1,40}}) (?:replaced|replaces|supersedes|superseded) {_NAME}{_END}", 2, 1),
    )
)
_GONE = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<!\S){_NAME} (?:was|were|has been|have been|is) (?:replaced|removed|dropped|retired|superseded|abandoned)"
        rf"{_END}",
        rf"\b(?:no longer|stopped) (?:use[sd]?|using|\w{{1,20}}ed (?:with|by)|run(?:s|ning)? on) {_NAME}{_END}",
        rf"\b(?:removed|dropped|retired) {_NAME} (?:in favou?r of|because|since|after)\b",
    )
)
_DONE = re.compile(
    r"\b(?:added|implemented|done|finished|completed|built|shipped|introduced|fixed|removed|migrated|upgraded|created|"
    r"now|works since|closed|in place|set up)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:not yet|still (?:to|need|missing|open)|to ?do|should|need(?:s)? to|planned|will be|would|could|partly|half|"
    r"first step|except|but not|not (?:done|implemented|finished))\b",
    re.IGNORECASE,
)
_MENTIONS_CHANGE = re.compile(
    r"\b(?:moved|switched|migrated|replac\w+|no longer|instead of|dropped|retired|superse\w+|used to|formerly|"
    r"previously)\b",
    re.IGNORECASE,
)


def propose(
    seen: HygieneItem, later: Sequence[tuple[HygieneItem, float]], by_id: Mapping[str, HygieneItem]
) -> Proposal | None:
    """Propose a deprecation. ``later``: newer items with their similarity; ``by_id``: all items by id."""
    item = seen.item
    if seen.superseded_by is not None and seen.superseded_by in by_id:
        successor = by_id[seen.superseded_by].item
        reason = f"it was superseded by {quote_title(successor)}"
        return _propose_deprecation(seen, reason, 0.95, successor.id)
    if "stale" in item.flags and item.files and set(item.files) <= set(seen.deleted_files):
        files = "its file was" if len(item.files) == 1 else "all of its files were"
        return _propose_deprecation(
            seen,
            f"it is stale and {files} deleted ({', '.join(item.files[:3])})",
            0.88,
            None,
        )
    nearest = sorted(later, key=lambda pair: (-pair[1], pair[0].item.id))
    for other, cosine in nearest:
        if other.branch != seen.branch or other.item.status != "approved":
            continue
        if item.type == "todo" and cosine >= _DONE_NEAR and _is_done_by(seen, other):
            return _propose_deprecation(
                seen, f"a newer item, {quote_title(other.item)}, says that it is done", 0.85, other.item.id
            )
        old = _replaced_by(seen, other) if cosine >= _NEAR else None
        if old is not None:
            reason = f"a newer item, {quote_title(other.item)}, says that {old} was replaced"
            return _propose_deprecation(seen, reason, 0.85, other.item.id)
    return _propose_unused(seen)


def later_similarities(
    place: int, seen: Sequence[HygieneItem], vectors: NDArray[np.float32] | None
) -> list[tuple[HygieneItem, float]]:
    """Every newer item with its similarity; empty without vectors."""
    if vectors is None:
        return []
    mine = vectors[place]
    return [
        (other, float(mine @ vectors[number]))
        for number, other in enumerate(seen)
        if other.item.id > seen[place].item.id
    ]


def _propose_deprecation(seen: HygieneItem, reason: str, confidence: float, successor: str | None) -> Proposal:
    return Proposal(
        type="DEPRECATE_MEMORY",
        item_ids=(seen.item.id,),
        description=(
            f"{quote_title(seen.item)} is outdated: {reason}. Agents will no longer see it; it can be approved again."
        ),
        confidence=confidence,
        successor=successor,
    )


def _propose_unused(seen: HygieneItem) -> Proposal | None:
    """Propose to deprecate an approved item that agents are given again and again, and never use."""
    if seen.item.status != "approved" or seen.used or seen.served < SERVED_IN_VAIN:
        return None
    return Proposal(
        type="DEPRECATE_MEMORY",
        item_ids=(seen.item.id,),
        description=(
            f"Served {seen.served} times, never used: {quote_title(seen.item)}. "
            "Agents will no longer see it; it can be approved again."
        ),
        confidence=0.6,
    )


def _is_done_by(todo: HygieneItem, other: HygieneItem) -> bool:
    """Whether another item, not a todo, says that the same work was done."""
    if other.item.type == "todo":
        return False
    text = f"{other.item.title}. {other.item.content}"[:_READ_CHARS]
    if not _DONE.search(other.item.title) and not _DONE.search(text):
        return False
    if _OPEN.search(text):
        return False
    same_place = bool(set(todo.item.files) & set(other.item.files)) or todo.item.schema_key == other.item.schema_key
    return same_place and coverage(content_terms(todo.item.title), content_terms(text)) >= _DONE_COVERED


def _replaced_by(seen: HygieneItem, other: HygieneItem) -> str | None:
    """What the newer item says was replaced, if this item still relies on it and not on the replacement."""
    mine = f"{seen.item.title}. {seen.item.content}"[:_READ_CHARS]
    if _MENTIONS_CHANGE.search(mine):
        return None
    same_place = bool(set(seen.item.files) & set(other.item.files)) or seen.item.schema_key == other.item.schema_key
    if not same_place:
        return None
    held, title = content_terms(mine), content_terms(seen.item.title)
    text = f"{other.item.title}. {other.item.content}"[:_READ_CHARS]
    for old, new in _replacements(text):
        gone, came = content_terms(old), content_terms(new)
        if not gone or len(gone) > _MAX_WORDS or not gone <= held or not gone & title:
            continue
        if came - gone and (came - gone) <= held:
            continue
        if _is_name(old):
            return old
    return None


def _replacements(text: str) -> list[tuple[str, str]]:
    """Pairs of old and new names, as stated in the text."""
    found = [
        (match.group(went).strip(), match.group(came).strip())
        for form, went, came in _REPLACED
        for match in form.finditer(text)
    ]
    for form in _GONE:
        found += [(match.group(1).strip(), "") for match in form.finditer(text)]
    return found


def _is_name(words: str) -> bool:
    """Whether it names a thing, such as RabbitMQ, wkhtmltopdf or `users_v1`."""
    return any(
        any(map(str.isupper, word)) or any(map(str.isdigit, word)) or "_" in word or len(word) > 8
        for word in words.split()
    )
