"""One takes back what the other tells: it reverts it, goes back, moves a default, or chooses the other way round."""

from __future__ import annotations

import re

from loremark.memory.extraction.titles import without_prefix
from loremark.memory.items import Item
from loremark.memory.reading import Reading, read
from loremark.memory.signs import are_reports
from loremark.memory.stance import stance
from loremark.memory.words import covered_share

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
# As words are read: "keep" is "store".
_CHOOSING = frozenset(("use", "move", "store", "run", "switch", "replac", "choos", "pick", "adopt", "migrat", "stay"))
# So many of the words of what was undone must stand in the other, and of the other's title in what was undone.
_NAMED = 0.8
_TITLE_NAMED = 0.5
# Who goes back names what it is about: so much of one's title must stand in the other.
_ABOUT = 0.6


def takes_back(a: Item, b: Item) -> bool:
    """Whether one of the two, whichever, undoes the other."""
    if _reverts(a, b) or _reverts(b, a) or _goes_back(a, b) or _goes_back(b, a):
        return True
    return _moves_a_default(a, b) or _chooses_the_other(a, b)


def _reverts(revert: Item, other: Item) -> bool:
    undone = _undone_by(revert)
    if undone is None or _undone_by(other) is not None:
        return False
    named, told = read(undone).words, read(other.content, other.title)
    title = frozenset(told.title)
    return bool(named and title) and (
        len(named & told.words) >= len(named) * _NAMED and len(title & named) >= len(title) * _TITLE_NAMED
    )


def _undone_by(item: Item) -> str | None:
    found = _REVERT.match(item.title) or _QUOTED.search(item.content)
    return None if found is None else without_prefix(found["undone"])


def _goes_back(later: Item, other: Item) -> bool:
    """It says so, is about what the other is about, and the other does not hold what it goes back to."""
    found = _GOES_BACK.search(f"{later.title}. {later.content}")
    if found is None or _GOES_BACK.search(f"{other.title}. {other.content}") or are_reports(later, other):
        return False
    told, known = read(later.content, later.title), read(other.content, other.title)
    held, about = read(found["held"] or "").words, read(found["about"] or "").words
    if held and len(held & known.words) >= len(held) * _NAMED:
        return False
    if about:
        return len(about & known.words) >= len(about) * _ABOUT
    if told.names & known.names:
        return True
    titles = covered_share(frozenset(told.title), known.words), covered_share(frozenset(known.title), told.words)
    return max(titles) >= _ABOUT


def _moves_a_default(a: Item, b: Item) -> bool:
    """Both give the default of what they name, not the same one, and one says that it was changed."""
    if not _moves(a) and not _moves(b):
        return False
    one, other = read(a.content, a.title), read(b.content, b.title)
    mine, others = _defaults(one), _defaults(other)
    return bool(mine and others and one.names & other.names) and mine.isdisjoint(others)


def _moves(item: Item) -> bool:
    return _MOVES.search(f"{item.title}. {item.content}") is not None


def _defaults(reading: Reading) -> frozenset[tuple[str, str]]:
    return frozenset(
        (value.measure, value.amount)
        for clause in reading.clauses
        if not clause.former and _DEFAULT.search(clause.text)
        for value in clause.values
    )


def _chooses_the_other(a: Item, b: Item) -> bool:
    """Each holds what the other sets aside: this instead of that, and that instead of this, of one and the same."""
    if are_reports(a, b):
        return False
    here, there = stance(a.content, a.title), stance(b.content, b.title)
    mine = here.names & (there.names_gone | there.names_denied)
    others = there.names & (here.names_gone | here.names_denied)
    if not mine or not others:
        return False
    one, other = read(a.content, a.title), read(b.content, b.title)
    return not (_speaks_of_more(one, other, mine | others) and _speaks_of_more(other, one, mine | others))


def _speaks_of_more(mine: Reading, other: Reading, chosen: frozenset[str]) -> bool:
    """Whether a title names, beside what was chosen, something that the other does not know."""
    own = frozenset(mine.title) - other.words - _CHOOSING
    return any(not any(name.startswith(word) or word.startswith(name) for name in chosen) for word in own)
