"""Detects items that reverse another: a revert, a change of mind, a changed default, or the opposite choice."""

from __future__ import annotations

import re

from loremark.memory.assertions import extract_assertions
from loremark.memory.extraction.titles import without_prefix
from loremark.memory.items import Item
from loremark.memory.pair_features import are_both_reports
from loremark.memory.text_parser import ParsedText, parse_text
from loremark.memory.word_normalization import overlap_coefficient

_REVERT = re.compile(
    r"\s*revert(?:s|ed)?\b(?!\s+(?:to|back)\b)[:,]?\s*[\"“'`]?(?P<undone>.{3,}?)[\"”'`]?\s*$", re.IGNORECASE
)
_QUOTED = re.compile(r"\breverts?\b[^.\n\"“]{0,60}[\"“](?P<undone>[^\"”\n]{8,200})[\"”]", re.IGNORECASE)
_GOES_BACK = re.compile(
    r"\b(?:we|i|they|us|let's)(?:'re|’re|'ve|’ve|'ll|’ll| are| have| will)? (?:now |just )?"
    r"(?:go|going|went|gone) back to\b(?P<held>(?:[^.;,:\n]|\.(?=\w)){0,80})"
    r"|\b(?:changed (?:my|our|his|her|their) minds?|on second thoughts?|revert(?:s|ed|ing)? what (?:i|we) "
    r"(?:said|decided))\b(?:,? (?:about|on) (?P<about>(?:[^.;,:\n]|\.(?=\w)){3,80}))?",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"\bdefault", re.IGNORECASE)
_MOVES = re.compile(
    r"\b(?:rais|lower|increas|decreas|reduc|bump|chang|doubl|halv|cut)(?:e|es|ed|ing|s)?\b[^.;\n]{0,60}\bdefault"
    r"|\bdefault[^.;\n]{0,60}\b(?:raised|lowered|increased|decreased|reduced|bumped|changed|doubled|halved|cut)\b",
    re.IGNORECASE,
)
# In canonical form: "keep" is "store".
_CHOOSING = frozenset(("use", "move", "store", "run", "switch", "replac", "choos", "pick", "adopt", "migrat", "stay"))
# Share of the reverted words found in the other item, and of its title found in the reverted words.
_MIN_NAMED = 0.8
_MIN_TITLE_NAMED = 0.5
# Share of one title's words found in the other text, for a change of mind.
_MIN_TOPIC_OVERLAP = 0.6


def reverses(a: Item, b: Item) -> bool:
    """Whether either item reverses the other."""
    if _reverts(a, b) or _reverts(b, a) or _goes_back(a, b) or _goes_back(b, a):
        return True
    return _changes_default(a, b) or _makes_opposite_choice(a, b)


def _reverts(revert: Item, other: Item) -> bool:
    undone = _undone_by(revert)
    if undone is None or _undone_by(other) is not None:
        return False
    named, parsed = parse_text(undone).words, parse_text(other.content, other.title)
    title = frozenset(parsed.title)
    return bool(named and title) and (
        len(named & parsed.words) >= len(named) * _MIN_NAMED and len(title & named) >= len(title) * _MIN_TITLE_NAMED
    )


def _undone_by(item: Item) -> str | None:
    found = _REVERT.match(item.title) or _QUOTED.search(item.content)
    return None if found is None else without_prefix(found["undone"])


def _goes_back(later: Item, other: Item) -> bool:
    """It says so, is about the same topic, and the other item does not already state what it goes back to."""
    found = _GOES_BACK.search(f"{later.title}. {later.content}")
    if found is None or _GOES_BACK.search(f"{other.title}. {other.content}") or are_both_reports(later, other):
        return False
    parsed, known = parse_text(later.content, later.title), parse_text(other.content, other.title)
    held, about = parse_text(found["held"] or "").words, parse_text(found["about"] or "").words
    if held and len(held & known.words) >= len(held) * _MIN_NAMED:
        return False
    if about:
        return len(about & known.words) >= len(about) * _MIN_TOPIC_OVERLAP
    if parsed.names & known.names:
        return True
    titles = (
        overlap_coefficient(frozenset(parsed.title), known.words),
        overlap_coefficient(frozenset(known.title), parsed.words),
    )
    return max(titles) >= _MIN_TOPIC_OVERLAP


def _changes_default(a: Item, b: Item) -> bool:
    """Both state the default of the same thing with different values, and one says it was changed."""
    if not _mentions_changed_default(a) and not _mentions_changed_default(b):
        return False
    one, other = parse_text(a.content, a.title), parse_text(b.content, b.title)
    mine, others = _defaults(one), _defaults(other)
    return bool(mine and others and one.names & other.names) and mine.isdisjoint(others)


def _mentions_changed_default(item: Item) -> bool:
    return _MOVES.search(f"{item.title}. {item.content}") is not None


def _defaults(reading: ParsedText) -> frozenset[tuple[str, str]]:
    return frozenset(
        (value.dimension, value.amount)
        for clause in reading.clauses
        if not clause.superseded and _DEFAULT.search(clause.text)
        for value in clause.values
    )


def _makes_opposite_choice(a: Item, b: Item) -> bool:
    """Each asserts what the other rejects about the same thing: this instead of that, and that instead of this."""
    if are_both_reports(a, b):
        return False
    here, there = extract_assertions(a.content, a.title), extract_assertions(b.content, b.title)
    mine = here.names & (there.removed_names | there.negated_names)
    others = there.names & (here.removed_names | here.negated_names)
    if not mine or not others:
        return False
    one, other = parse_text(a.content, a.title), parse_text(b.content, b.title)
    return not (_has_other_topic(one, other, mine | others) and _has_other_topic(other, one, mine | others))


def _has_other_topic(mine: ParsedText, other: ParsedText, chosen: frozenset[str]) -> bool:
    """Whether the title names something besides the choice that the other text does not contain."""
    own = frozenset(mine.title) - other.words - _CHOOSING
    return any(not any(name.startswith(word) or word.startswith(name) for name in chosen) for word in own)
