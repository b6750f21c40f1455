"""Items that no longer hold: replaced by a later one, about files that are gone, or a task that has been done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from loremark.memory.extraction.words import share_covered, terms
from loremark.memory.hygiene.proposals import Proposal, Seen, named

_NEAR = 0.45
_DONE_NEAR = 0.6
_DONE_COVERED = 0.6
_READ_CHARS = 1_200
_MOST_WORDS = 5
_NAME = r"([\w.@/+#-]{1,40}(?: [\w.@/+#-]{1,40}){0,4}?)"
_END = r"(?=[.,;:()]|$|\s(?:for|in|on|because|since|as|after|when|which|with|to|by|and|of|at|so|due|now|from)\b)"
# Each with the places of what went and of what came.
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
_TELLS_OF_CHANGE = re.compile(
    r"\b(?:moved|switched|migrated|replac\w+|no longer|instead of|dropped|retired|superse\w+|used to|formerly|"
    r"previously)\b",
    re.IGNORECASE,
)


def propose(seen: Seen, later: Sequence[tuple[Seen, float]], living: Mapping[str, Seen]) -> Proposal | None:
    """To deprecate an item. ``later``: those that came after it, with their cosines; ``living``: all, by id."""
    item = seen.item
    if seen.superseded_by is not None and seen.superseded_by in living:
        successor = living[seen.superseded_by].item
        reason = f"{named(successor)} has taken its place"
        return _retire(seen, reason, 0.95, successor.id)
    if "stale" in item.flags and item.files and set(item.files) <= set(seen.gone):
        files = "its file" if len(item.files) == 1 else "all of its files"
        return _retire(seen, f"it is marked stale and {files} ({', '.join(item.files[:3])}) was deleted", 0.88, None)
    nearest = sorted(later, key=lambda pair: (-pair[1], pair[0].item.id))
    for other, cosine in nearest:
        if other.branch != seen.branch or other.item.status != "approved":
            continue
        if item.type == "todo" and cosine >= _DONE_NEAR and _is_done_by(seen, other):
            return _retire(seen, f"a later item, {named(other.item)}, tells that it is done", 0.85, other.item.id)
        old = _replaced_by(seen, other) if cosine >= _NEAR else None
        if old is not None:
            reason = f"a later item, {named(other.item)}, says that {old} was replaced"
            return _retire(seen, reason, 0.85, other.item.id)
    return None


def cosines_of_later(place: int, seen: Sequence[Seen], vectors: NDArray[np.float32] | None) -> list[tuple[Seen, float]]:
    """Every item that came after the one at this place, with its cosine; without vectors none is near."""
    if vectors is None:
        return []
    mine = vectors[place]
    return [
        (other, float(mine @ vectors[number]))
        for number, other in enumerate(seen)
        if other.item.id > seen[place].item.id
    ]


def _retire(seen: Seen, reason: str, confidence: float, successor: str | None) -> Proposal:
    return Proposal(
        type="DEPRECATE_MEMORY",
        item_ids=(seen.item.id,),
        description=f"{named(seen.item)} no longer holds: {reason}. It leaves the brain and can be approved again.",
        confidence=confidence,
        successor=successor,
    )


def _is_done_by(todo: Seen, other: Seen) -> bool:
    """Another item that is no task speaks of the same in words of what was done."""
    if other.item.type == "todo":
        return False
    told = f"{other.item.title}. {other.item.content}"[:_READ_CHARS]
    if not _DONE.search(other.item.title) and not _DONE.search(told):
        return False
    if _OPEN.search(told):
        return False
    same_place = bool(set(todo.item.files) & set(other.item.files)) or todo.item.schema_key == other.item.schema_key
    return same_place and share_covered(terms(todo.item.title), terms(told)) >= _DONE_COVERED


def _replaced_by(seen: Seen, other: Seen) -> str | None:
    """What the other item says was replaced, where this one still holds to it and not to what came."""
    mine = f"{seen.item.title}. {seen.item.content}"[:_READ_CHARS]
    if _TELLS_OF_CHANGE.search(mine):
        return None
    same_place = bool(set(seen.item.files) & set(other.item.files)) or seen.item.schema_key == other.item.schema_key
    if not same_place:
        return None
    held, title = terms(mine), terms(seen.item.title)
    told = f"{other.item.title}. {other.item.content}"[:_READ_CHARS]
    for old, new in _replacements(told):
        gone, came = terms(old), terms(new)
        if not gone or len(gone) > _MOST_WORDS or not gone <= held or not gone & title:
            continue
        if came - gone and (came - gone) <= held:
            continue
        if _is_name(old):
            return old
    return None


def _replacements(text: str) -> list[tuple[str, str]]:
    """Pairs of what went and what came, as far as the words tell."""
    found = [
        (match.group(went).strip(), match.group(came).strip())
        for form, went, came in _REPLACED
        for match in form.finditer(text)
    ]
    for form in _GONE:
        found += [(match.group(1).strip(), "") for match in form.finditer(text)]
    return found


def _is_name(words: str) -> bool:
    """Whether it names a thing, such as RabbitMQ, wkhtmltopdf or `users_v1`, and not anything at all."""
    return any(
        any(map(str.isupper, word)) or any(map(str.isdigit, word)) or "_" in word or len(word) > 8
        for word in words.split()
    )
