"""The confidence of extracted items: the share of such items that reviewers keep, by source and form.

The shares come from docs/research/confidence.md. What a sender claims can only lower them, and what nobody measured
stays below the default threshold. A payload can name any source, so only a signed-in sender counts as a person.
"""

from __future__ import annotations

from typing import Any

from loremark.memory.extraction import salience
from loremark.memory.extraction.payloads import as_number, as_text
from loremark.wire.items import ItemType

SAVED_BY_PERSON = 0.95
STATED_CHANGE = 0.92
"""A decision or rule, sent under that category or stated outright, or a bug with its cause and fix."""
COMMIT_WITH_BODY = 0.9
FILED_CHANGE = 0.87
"""A change sent with a category to remember, a title and a text."""
TOOL_ITEM = 0.85
"""An item that an agent proposes, another tool exported or a scan rates. Only people approve these."""
DESCRIBED_CHANGE = 0.75
DOCUMENT_RULE = 0.72
"""A rule in an instruction file, or a decision or rule in another document."""
MODEL_ITEM = 0.7
DOCUMENT_STATEMENT = 0.5
NAMED_CHANGE = 0.5
"""A change without an explanation."""
STATED_BY_PERSON = 0.56
CONFIRMED_CAUSE = 0.51
"""A rule that a person stated in a conversation, and a cause that the agent reports in the past tense. No other source
has these values, so that the item classifier recognizes them."""
SETTLED = (STATED_BY_PERSON, CONFIRMED_CAUSE)
SUMMARY_SENTENCE = 0.1
"""A sentence from a transcript or summary that was not saved as a fact."""
MEMORY_BANK = 0.5
_TOOLS = ("import", "mcp")
"""Sources that save on behalf of a file or an agent."""
_RECORD, _PROPOSED_RECORD = 0.9, 0.6
_IMPORTS = {"adr": _RECORD, "instructions": DOCUMENT_RULE}
_MEMORY_BANK_IMPORT = "import:cline"
_INSTRUCTIONS_IMPORT = "import:instructions"
_RECORD_IMPORT = "import:adr"
_FEW_WORDS = 4
_NAMED_WORDS = 5
_IMPORTANCE = {
    "critical": 0.85,
    "high": 0.83,
    "major": 0.83,
    "medium": 0.8,
    "moderate": 0.8,
    "low": 0.65,
    "minor": 0.65,
    "info": 0.55,
}
_UNRATED = 0.75
_LEAST_IMPORTANT, _MOST_IMPORTANT = 0.55, TOOL_ITEM


def of_change(kind: ItemType, text: str, *, explicit: bool, sentences: int, filed: bool) -> float:
    """A change of a saved session."""
    is_stated = explicit and kind in ("decision", "convention") and (sentences or salience.has_reason(text))
    is_solved = kind == "bug" and salience.has_reason(text) and salience.has_remedy(text)
    if (is_stated or is_solved) and _is_clear(text):
        return STATED_CHANGE
    if filed:
        return FILED_CHANGE
    if sentences == 0 and not salience.has_reason(text) and not salience.is_substantial(text, _NAMED_WORDS):
        return NAMED_CHANGE
    return DESCRIBED_CHANGE


def of_statement(kind: ItemType, payload: dict[str, Any]) -> float:
    """A statement of a document."""
    if _source(payload) == _MEMORY_BANK_IMPORT:
        return MEMORY_BANK
    is_rule = kind in ("decision", "convention") or _source(payload) == _INSTRUCTIONS_IMPORT
    return DOCUMENT_RULE if is_rule else DOCUMENT_STATEMENT


def of_decision_record(payload: dict[str, Any], *, is_vouched_for: bool, is_proposed: bool) -> float:
    """An architecture decision record: a file among others of its kind, or any document in that form.

    A signed-in sender vouches for it, or a commit, as commits do for their own messages.
    """
    if _source(payload) != _RECORD_IMPORT:
        return of_statement("decision", payload)
    if is_proposed:
        return _PROPOSED_RECORD
    return _RECORD if is_vouched_for else DOCUMENT_RULE


def of_operation(given: Any, payload: dict[str, Any], actor_id: str | None) -> float:
    """An item saved explicitly. A sender's claim can only lower it."""
    if is_saved_by_person(payload, actor_id):
        earned = SAVED_BY_PERSON
    else:
        earned = _most(payload) if actor_id is not None else min(_most(payload), TOOL_ITEM)
    claimed = parse_claim(given)
    return earned if claimed is None else min(claimed, earned)


def parse_claim(given: Any) -> float | None:
    """The confidence that a sender claims, if it is between 0 and 1."""
    claimed = parse_confidence(given, -1.0)
    return claimed if claimed >= 0 else None


def is_saved_by_person(payload: dict[str, Any], actor_id: str | None) -> bool:
    """Whether a signed-in person saved this, neither through an import nor through an agent's tool."""
    return actor_id is not None and _source(payload).partition(":")[0] not in _TOOLS


def from_importance(value: Any) -> float:
    """A finding's own rating: a word, a fraction, or a score out of five, ten or a hundred."""
    if isinstance(value, str):
        return _IMPORTANCE.get(value.strip().lower()[:20], _UNRATED)
    rating = as_number(value)
    if rating is None or rating < 0 or rating > 100:
        return _UNRATED
    is_mark = isinstance(value, int) and 1 <= rating <= 5  # an integer 1 is the lowest score, not 100 %
    top = 5 if is_mark else 1 if rating <= 1 else 5 if rating <= 5 else 10 if rating <= 10 else 100
    return round(_LEAST_IMPORTANT + (_MOST_IMPORTANT - _LEAST_IMPORTANT) * rating / top, 2)


def parse_confidence(value: Any, default: float) -> float:
    """A given confidence if it is between 0 and 1, else the default."""
    rating = as_number(value)
    return round(rating, 4) if rating is not None and 0 <= rating <= 1 else default


def _is_clear(text: str) -> bool:
    return not salience.is_hedged(text) and salience.is_substantial(text, _FEW_WORDS)


def _most(payload: dict[str, Any]) -> float:
    return _IMPORTS.get(_source(payload).partition(":")[2], TOOL_ITEM)


def _source(payload: dict[str, Any]) -> str:
    return as_text(payload.get("source")).strip().lower()
