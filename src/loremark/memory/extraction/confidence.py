"""The confidence of extracted items, by how directly the evidence states them."""

from __future__ import annotations

from typing import Any

from loremark.memory.extraction import salience
from loremark.memory.extraction.payloads import as_number
from loremark.wire.items import ItemType

EXPLICIT = 0.95
STATED = 0.92
CAUSE_AND_FIX = 0.90
FILED = 0.87
DESCRIBED = 0.85
BARE_COMMIT = 0.75
FROM_SUMMARY = 0.70
WEAK = 0.55
MAX_INFERRED = 0.90
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


def of_change(kind: ItemType, text: str, *, explicit: bool, sentences: int, saved: bool = False) -> float:
    """A fact from a saved session: stated explicitly, explained, or only named.

    ``filed``: it was saved to be remembered. That raises the confidence of a short or hedged text, but not above the
    review threshold.
    """
    if saved and (salience.is_hedged(text) or not salience.is_substantial(text, _FEW_WORDS)):
        return FILED
    if sentences == 0 and not salience.has_reason(text):
        found = STATED - 0.07 if explicit else BARE_COMMIT if salience.is_substantial(text, 5) else WEAK
    elif kind in ("decision", "convention") and explicit:
        found = STATED
    elif kind == "bug" and salience.has_reason(text) and salience.has_remedy(text):
        found = CAUSE_AND_FIX
    else:
        found = DESCRIBED
    return _unless_hedged(max(found, FILED) if saved else found, text)


def of_summary(text: str, *, explicit: bool) -> float:
    """A sentence of a summary, which was not saved as a fact."""
    return _unless_hedged(FROM_SUMMARY if explicit else WEAK, text)


def of_commit(text: str, *, has_body: bool, conventional: bool) -> float:
    """A commit: explained, in conventional form, or only named."""
    found = DESCRIBED if has_body else BARE_COMMIT if conventional else FROM_SUMMARY
    return _unless_hedged(found, text)


def from_importance(value: Any) -> float:
    """A finding's own rating: a word, a fraction, or a score out of five, ten or a hundred."""
    if isinstance(value, str):
        return _IMPORTANCE.get(value.strip().lower()[:20], _UNRATED)
    rating = as_number(value)
    if rating is None or rating < 0 or rating > 100:
        return _UNRATED
    is_mark = isinstance(value, int) and 1 <= rating <= 5  # an integer 1 is the lowest score, not 100 %
    top = 5 if is_mark else 1 if rating <= 1 else 5 if rating <= 5 else 10 if rating <= 10 else 100
    return round(WEAK + (STATED - WEAK) * rating / top, 2)


def parse_confidence(value: Any, default: float) -> float:
    """A given confidence if it is between 0 and 1, else the default."""
    rating = as_number(value)
    return round(rating, 4) if rating is not None and 0 <= rating <= 1 else default


def _unless_hedged(found: float, text: str) -> float:
    return round(found - _HEDGE, 2) if salience.is_hedged(text) else found
