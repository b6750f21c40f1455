"""Classifies commits. A commit builds, fixes or decides something; only an explicit statement makes it a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.extraction.commit_files import are_all_documents
from loremark.memory.extraction.type_rules import STATED, TYPES, classify_type, explicit_type, score_types
from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, words_from
from loremark.wire.items import ItemType

Typed = tuple[ItemType, float | None]
"""A type and its margin over the next one; None if it is certain."""

FIXES = words_from("fix bugfix hotfix security")
BUILDS = words_from("feat feature perf refactor")
UPKEEP = words_from("build chore ci doc docs style test tests release deps dep lint format fmt wip")
_OF_COMMITS: tuple[ItemType, ...] = ("implementation", "decision", "bug")
_BY_KIND = 3.0
_SPEAKS = 1.2
_LEFT_OPEN = 2.0
# Words that may indicate a choice; the type model then decides.
_MAY_CHOOSE = CaseInsensitivePattern(
    r"^(?:use|remove|drop|switch|migrate|move|adopt|replace|deprecate|require|enforce)\b|\bno longer\b|\bagain\b|"
    r"\bback to\b|\bdefault\b|\S (?:->|→|=>) \S|^leave (?:\S+ ){1,4}out\b|^one (?:\S+ ){1,3}per\b|"
    r"\b(?:are|is) (?:\S+ ){1,4}now\b|\b(?:statt|au lieu de|en vez de|instead)\b"
)
_TURNED_BACK = re.compile(r"(?:revert|back out|undo|roll(?:ed)? ?back)\b", re.IGNORECASE)


def classify_commit(kind: str, title: str, body: Sequence[str], files: Sequence[str] = ()) -> Typed:
    """Classify by the kind in the subject, by what subject and body state, then by their words."""
    if kind == "revert" or _TURNED_BACK.match(title):
        return "decision", None
    if kind in FIXES:
        return "bug", None
    describes = are_all_documents(files)
    stated = explicit_type(title)
    if stated in ("convention", "todo") and kind not in BUILDS:
        return stated, STATED
    if any(explicit_type(one) == "decision" for one in body):
        return "decision", STATED
    if describes and any(explicit_type(one) == "convention" for one in body):
        return "convention", STATED
    if kind in BUILDS:
        weights = score_types(title)
        chooses = weights["decision"] >= _SPEAKS and weights["decision"] > weights["implementation"]
        return ("decision" if chooses else "implementation"), _BY_KIND
    verdict = classify_type(title, body)
    if verdict.type in _OF_COMMITS or describes:
        return verdict.type, verdict.margin
    return "implementation", 0.0  # "avoid the lookup" describes a change, not a rule


def candidate_types(title: str, found: ItemType, files: Sequence[str]) -> tuple[ItemType, ...]:
    """The types that the type model may still choose from."""
    if are_all_documents(files):
        return TYPES
    allowed = {*_OF_COMMITS, found}
    weights = score_types(title)
    if found != "decision" and weights["decision"] < _SPEAKS and not _MAY_CHOOSE.search(title):
        allowed.discard("decision")
    if weights["todo"] >= _LEFT_OPEN:
        allowed.add("todo")
    return tuple(kind for kind in TYPES if kind in allowed)
