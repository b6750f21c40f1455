"""Classifies commits. A commit builds, fixes or decides something; only an explicit statement makes it a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.extraction import salience
from loremark.memory.extraction.commit_files import are_all_documents
from loremark.memory.extraction.type_rules import STATED, TYPES, classify_type, explicit_type, score_types
from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, words_from
from loremark.wire.items import ItemType

Typed = tuple[ItemType, float | None]
"""A type and its margin over the next one; None if it is certain."""

FIXES = words_from("fix bugfix hotfix security")
BUILDS = words_from("feat feature perf refactor")
UPKEEP = words_from("build chore ci doc docs style test tests release deps dep lint format fmt wip")
_DESCRIBING = words_from("readme adr")
CHOICE = re.compile(
    r"^(?:drop|switch|migrate|move|standardi[sz]e|adopt|replace|deprecate|require|enforce)\b", re.IGNORECASE
)
RULE = re.compile(r"^(?:require|forbid|disallow|ban|enforce|always|never)\b", re.IGNORECASE)
_OF_COMMITS: tuple[ItemType, ...] = ("implementation", "decision", "bug")
_BY_KIND = 3.0
_SPEAKS = 1.2
_DECIDES = 1.5
_FAULT_TOLD = 1.4
_LEFT_OPEN = 2.0
_FAULT = (
    r"(?:an? |the )?(?:\w+[ -]){0,3}(?:crash\w*|panics?|leak(?:s|ing)?|races?|deadlock\w*|overflow\w*|underflow\w*|"
    r"nil|null|dereference|use[ -]after[ -]free|double[ -]\w+|duplicat\w+|corrupt\w*|clobbering|hangs?|infinite|"
    r"segfault\w*|injection|bypass\w*|bugs?|failures?|stale \w+|wrong\w*|out[ -]of[ -]bounds)\b"
)
_MENDS = CaseInsensitivePattern(
    r"^(?:further |also |partially |better |properly )?"
    r"(?:fix(?:e[sd])?|prevent(?:s|ed)?|hot-?fix|bug-?fix|repair|unbreak)\b(?! links?\b)|"
    r"\b(?:to|and|plus|which) (?:fix|prevent)(?:es|s)?\b(?! (?:\w+ ){0,2}(?:tests?|lint|ci|types?|links?)\b)|"
    rf"^(?:avoid|mitigate|guard against|protect against|stop|eliminate|resolve|don'?t|do not) {_FAULT}|"
    rf"\bto avoid {_FAULT}|"
    r"^(?:gracefully |correctly |properly )?handle (?:an? |the )?(?:missing|empty|nil|null|invalid|unknown|absent|"
    r"malformed|unexpected|failed|failing|errors?|closed|zero)\b|"
    r"^patch for (?:ghsa|cve)|\bvulnerability\b|"
    r"^(?:stop|don'?t|do not) (?:crash|leak|panic|hang|los|drop|charg|ignor|overwrit)\w*|"
    r"^(?:preserve|respect|honou?r)\b|^(?!(?:all|every|each|any|new) ).*\bshould(?:n't| not)? \w+|"
    r"^panics? (?:when|on|if)\b|\bno longer (?:crash|hang|leak|panic|los|drop|fail)\w*|"
    r"^add (?:an? |the )?(?:missing\b(?! \w* ?(?:translations?|tests?|docs?|strings?)\b)|(?:nil|null|bounds) check)",
)
_BUILT = CaseInsensitivePattern(
    r"^(?:(?:much|significantly|slightly|even|way) )?"
    r"(?:add(?:s|ed)?|support(?:s|ed)?|allow|introduce|implement(?:s|ed)?|expose|enable|speed(?:s|ed)? ?up|"
    r"improve[sd]?|optimi[sz]e[sd]?|faster|quicker|more efficient|reduce[sd]?|document|simplify|nicer|publish|"
    r"preallocate|upgrade|rename|refactor|extract|split|wire up|group|translate|major performance|benchmark|buffer)\b|"
    r"^(?:avoid|eliminate|skip) (?:\w+ ){0,3}(?:allocat\w+|copy(?:ing)?|temporary|owning|holding|lookups?|"
    r"unnecessary|redundant|re-?\w+ing)\b|"
    r"^remove\b.*\bworkarounds?\b|\blazily\b|\bsupport$",
)
_CHOSEN = CaseInsensitivePattern(
    r"^drop (?:\S+ ){0,4}(?:support|versions?|python|node|ruby|php|java)\b|"
    r"^(?:switch(?:ed)?|migrate[sd]?) (?:\S+ ){0,4}(?:from|to)\b|"
    r"^replace[sd]? (?!(?:the )?(?:deprecated|obsolete|unused|outdated|broken|hard-?coded)\b).{2,80}? (?:with|by)\b|"
    r"^(?:adopt|standardi[sz]e on)\b",
)
# Words that may indicate a choice; the type model then decides.
_MAY_CHOOSE = CaseInsensitivePattern(
    r"^(?:use|remove)\b|\bno longer\b|\bagain\b|\bback to\b|\bdefault (?:backend|engine|\w+er)\b|\bthe default\b|"
    r"\S (?:->|→|=>) \S|^leave (?:\S+ ){1,4}out\b|^one (?:\S+ ){1,3}per\b|\b(?:are|is) (?:\S+ ){1,4}now\b|"
    r"\b(?:statt|au lieu de|en vez de|instead)\b"
)
_LIKE_A_RULE = CaseInsensitivePattern(r"^always\b(?!.*\b(?:must|should|review|rule|convention)\b)")
_FREES = CaseInsensitivePattern(r"^(?:reload|release|clear)s?\b")
_TURNED_BACK = CaseInsensitivePattern(r"^(?:revert|back out|undo|roll(?:ed)? ?back)\b")


def classify_commit(
    kind: str, title: str, body: Sequence[str], files: Sequence[str] = (), *, breaking: bool = False
) -> Typed:
    """Classify by the kind in the subject, the subject's words, then the body."""
    if kind == "revert" or _TURNED_BACK.match(title):
        return "decision", None
    if kind in FIXES:
        return "bug", None
    describes = kind in UPKEEP | _DESCRIBING or are_all_documents(files)
    stated = explicit_type(title)
    if stated in ("convention", "todo") and not _LIKE_A_RULE.match(title):
        return stated, STATED
    if RULE.match(title) and are_all_documents(files):
        return "convention", STATED
    if any(explicit_type(one) == "decision" for one in body):
        return "decision", STATED
    if describes and any(explicit_type(one) == "convention" for one in body):
        return "convention", STATED
    plain = _plainly(kind, title)
    if plain is not None:
        return plain, None
    if kind in BUILDS:
        return "implementation", _BY_KIND
    return _by_words(kind, title, body, describes=describes, breaking=breaking)


def candidate_types(title: str, found: ItemType, files: Sequence[str]) -> tuple[ItemType, ...]:
    """The types that the type model may still choose from."""
    if are_all_documents(files):
        return TYPES
    allowed = {*_OF_COMMITS, found}
    if found != "decision" and not _chooses(title) and not _MAY_CHOOSE.search(title):
        allowed.discard("decision")
    if score_types(title)["todo"] >= _LEFT_OPEN:
        allowed.add("todo")
    return tuple(kind for kind in TYPES if kind in allowed)


def _plainly(kind: str, title: str) -> ItemType | None:
    if kind not in BUILDS and _MENDS.search(title):
        return "bug"
    if _CHOSEN.match(title):
        return "decision"
    weights = score_types(title)
    if weights["todo"] >= _LEFT_OPEN:
        return None
    if kind in BUILDS and weights["decision"] >= _DECIDES and weights["decision"] > weights["implementation"]:
        return "decision"
    if (
        kind in BUILDS
        and kind != "perf"
        and score_types(title.partition(" ")[2])["bug"] >= _FAULT_TOLD
        and not _BUILT.search(title)
    ):
        return "bug"  # "refactor: close the handles, it ran out of them"
    if _BUILT.search(title):
        return "decision" if salience.has_contrast(title) and weights["decision"] >= _DECIDES else "implementation"
    if kind in BUILDS:
        return "implementation"
    return None


def _by_words(kind: str, title: str, body: Sequence[str], *, describes: bool, breaking: bool) -> Typed:
    verdict = classify_type(title, body, ())
    found, margin = verdict.type, verdict.margin
    if found in ("architecture", "codemap") and (verdict.strength < 2.0 or not describes):
        found, margin = "implementation", 0.0  # a commit changes something, unless it clearly says that it describes
    if found in ("convention", "todo"):
        found, margin = "implementation", 0.0  # "avoid the lookup" describes a change, not a rule
    if found == "decision" and not _chooses(title) and not describes:
        found, margin = "implementation", 0.0  # commit bodies argue anyway
    if found == "implementation" and _FREES.match(title):
        found, margin = "bug", 0.0
    if kind in UPKEEP and found == "implementation" and (CHOICE.match(title) or breaking):
        found, margin = "decision", 0.0
    return found, margin


def _chooses(title: str) -> bool:
    return score_types(title)["decision"] >= _SPEAKS or CHOICE.match(title) is not None
