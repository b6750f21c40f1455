"""How sure an item is: by how directly the evidence says it."""

from __future__ import annotations

from typing import Any

from loremark.memory.extraction import worth
from loremark.memory.extraction.payloads import number
from loremark.wire.items import ItemType

SAID_OUTRIGHT = 0.95
STATED = 0.92
CAUSE_AND_FIX = 0.90
FILED = 0.87
DESCRIBED = 0.85
BARE_COMMIT = 0.75
FROM_SUMMARY = 0.70
WEAK = 0.55
MOST_INFERRED = 0.90
_HEDGE = 0.15
_FEW_WORDS = 4
_IMPORTANCE = {
    "critical": 0.92,
    "high": 0.88,
    "major": 0.88,
    "medium": 0.8,
    "moderate": 0.8,
    "low": 0.65,
    "minor": 0.65,
    "info": 0.55,
}
_UNRATED = 0.75


def of_change(kind: ItemType, text: str, *, explicit: bool, sentences: int, filed: bool = False) -> float:
    """A fact of a saved session: stated in words, explained, or only named.

    ``filed``: somebody filed it to be remembered. That counts for much where it says little or is unsure of it, but
    not for so much that nobody looks at it.
    """
    if filed and (worth.is_hedged(text) or not worth.says_something(text, _FEW_WORDS)):
        return FILED
    if sentences == 0 and not worth.has_reason(text):
        found = STATED - 0.07 if explicit else BARE_COMMIT if worth.says_something(text, 5) else WEAK
    elif kind in ("decision", "convention") and explicit:
        found = STATED
    elif kind == "bug" and worth.has_reason(text) and worth.has_remedy(text):
        found = CAUSE_AND_FIX
    else:
        found = DESCRIBED
    return _unless_hedged(max(found, FILED) if filed else found, text)


def of_summary(text: str, *, explicit: bool) -> float:
    """A sentence of a summary, which nobody filed as a fact."""
    return _unless_hedged(FROM_SUMMARY if explicit else WEAK, text)


def of_commit(text: str, *, has_body: bool, conventional: bool) -> float:
    """A commit: explained, named in the usual form, or just named."""
    found = DESCRIBED if has_body else BARE_COMMIT if conventional else FROM_SUMMARY
    return _unless_hedged(found, text)


def of_importance(value: Any) -> float:
    """A finding's own rating: a word, a share of one, or a mark out of five, ten or a hundred."""
    if isinstance(value, str):
        return _IMPORTANCE.get(value.strip().lower()[:20], _UNRATED)
    rating = number(value)
    if rating is None or rating < 0 or rating > 100:
        return _UNRATED
    is_mark = isinstance(value, int) and 1 <= rating <= 5  # a whole 1 is the lowest mark, not all there is
    top = 5 if is_mark else 1 if rating <= 1 else 5 if rating <= 5 else 10 if rating <= 10 else 100
    return round(WEAK + (STATED - WEAK) * rating / top, 2)


def given(value: Any, default: float) -> float:
    """A confidence somebody gave; what is none, or more than all, says nothing."""
    rating = number(value)
    return round(rating, 4) if rating is not None and 0 <= rating <= 1 else default


def _unless_hedged(found: float, text: str) -> float:
    return round(found - _HEDGE, 2) if worth.is_hedged(text) else found
