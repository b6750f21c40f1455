"""Finds where two texts contradict each other: opposite polarity, reversed order, a different value or name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loremark.memory.exclusive_terms import ENVIRONMENTS, EXCLUSIVE_TERMS
from loremark.memory.quantities import Quantity
from loremark.memory.relation_order import compare_relations
from loremark.memory.text_parser import Clause, ParsedText
from loremark.memory.word_normalization import jaccard, overlap_coefficient

Kind = Literal["polarity", "order", "value", "name"]
# exclusive: one of the two is wrong. apart: they are about two things. loose: the names differ, which may mean nothing.
Severity = Literal["exclusive", "apart", "loose"]

_CLAUSE_COVERED = 0.6
_CLAUSE_SHARED = 0.4
# A plain "not" contradicts a claim only if the rest of it is the same.
_MIN_NEGATED_SIMILARITY = 0.6
_VALUE_COVERED = 0.5
_MAX_NAMES = 12
_BEFORE_NAME = 3
_SHARED_BEFORE = 2
_MAX_NEGATED_WORDS = 2
_SAME_START = 2
_SHORT_END = 2
_LONG_END = 3
_PRONOUN = "one"  # a number only next to another number
_SUBJECT_CLAUSE_WORDS = 3


_SEVERITY_RANK: dict[Severity, int] = {"exclusive": 0, "apart": 1, "loose": 2}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Where two texts contradict each other, in the words of each."""

    kind: Kind
    severity: Severity
    mine: str
    other: str


@dataclass(frozen=True, slots=True)
class Contradictions:
    """All contradictions between two texts, by how they were found."""

    environment: Contradiction | None
    value: Contradiction | None
    name: Contradiction | None
    polarity: Contradiction | None
    negation: Contradiction | None
    order: Contradiction | None
    replaced: Contradiction | None

    @property
    def most_severe(self) -> Contradiction | None:
        """The one to report. Different environments come first: then the texts are about two things."""
        if self.environment is not None:
            return self.environment
        found = (self.value, self.name, self.polarity, self.negation, self.order, self.replaced)
        given = [clash for clash in found if clash is not None]
        return min(given, key=lambda clash: _SEVERITY_RANK[clash.severity], default=None)


def find_contradictions(a: ParsedText, b: ParsedText, *, reports: bool = False) -> Contradictions:
    """Compare two parsed texts.

    ``reports``: both are bugs or todos, where a different name is often just another way to describe the same problem.
    """
    here, there = sorted(a.names & ENVIRONMENTS), sorted(b.names & ENVIRONMENTS)
    apart = bool(here and there and not set(here) & set(there))
    return Contradictions(
        # A fact about staging says nothing about production.
        environment=Contradiction("name", "apart", a.surface_forms[here[0]], b.surface_forms[there[0]])
        if apart
        else None,
        value=_values(a, b),
        name=_names(a, b, reports=reports),
        polarity=_opposite_polarity(a, b),
        negation=_short_negation(a, b),
        order=_order(a, b),
        replaced=_replaced(a, b),
    )


def _values(a: ParsedText, b: ParsedText) -> Contradiction | None:
    only_a, only_b = _unmatched(a.values, b.values), _unmatched(b.values, a.values)
    loose: Contradiction | None = None
    for mine in only_a:
        for other in only_b:
            plain = {mine.dimension, other.dimension} <= {"number", "version"}
            exclusive = _same_measure(mine, other) or (plain and bool(mine.near & other.near))
            exclusive = exclusive and overlap_coefficient(mine.context, other.context) >= _VALUE_COVERED
            clash = Contradiction("value", "exclusive" if exclusive else "apart", mine.text, other.text)
            if exclusive:
                return clash
            if _PRONOUN not in (mine.text, other.text):
                loose = loose or clash
    shares_a_value = len(only_a) < len(a.values)
    return None if shares_a_value else loose


def _unmatched(values: tuple[Quantity, ...], others: tuple[Quantity, ...]) -> list[Quantity]:
    return [value for value in values if not any(_matches(value, other) for other in others)]


def _matches(value: Quantity, other: Quantity) -> bool:
    """The same amount of the same thing. A bare number may match one with a unit, unless it has a single digit."""
    if value.amount != other.amount:
        return _is_more_precise(value, other)
    if value.dimension == other.dimension:
        return True
    return "number" in (value.dimension, other.dimension) and (len(value.amount) > 1 or bool(value.near & other.near))


def _is_more_precise(value: Quantity, other: Quantity) -> bool:
    """Python 3 and Python 3.11 do not contradict each other: one is only more precise."""
    return any(
        longer.amount.startswith(f"{shorter.amount}.") and longer.dimension in ("version", "number")
        for longer, shorter in ((value, other), (other, value))
    )


def _same_measure(mine: Quantity, other: Quantity) -> bool:
    return mine.dimension == other.dimension and mine.dimension != "number"


def _names(a: ParsedText, b: ParsedText, *, reports: bool) -> Contradiction | None:
    only_a, only_b = _only_names(a, b), _only_names(b, a)
    pairs = [(mine, other) for mine in only_a[:_MAX_NAMES] for other in only_b[:_MAX_NAMES]]
    for mine, other in pairs:
        alternatives = bool(EXCLUSIVE_TERMS.get(mine, frozenset()) & EXCLUSIVE_TERMS.get(other, frozenset()))
        routes = a.surface_forms.get(mine, "").startswith("/") and b.surface_forms.get(other, "").startswith("/")
        if alternatives or routes or (not reports and _in_same_position(a, mine, b, other)):
            grade: Severity = "apart" if routes or (_is_subject(a, mine) and _is_subject(b, other)) else "exclusive"
            return Contradiction("name", grade, a.surface_forms.get(mine, mine), b.surface_forms.get(other, other))
    if pairs:
        mine, other = pairs[0]
        return Contradiction("name", "loose", a.surface_forms.get(mine, mine), b.surface_forms.get(other, other))
    return None


def _is_subject(reading: ParsedText, name: str) -> bool:
    """True for "staging does this, production does that": two subjects, and both can be true."""
    return any(_leads(clause, name) for clause in reading.clauses)


def _only_names(reading: ParsedText, other: ParsedText) -> list[str]:
    """Names in one text that the other does not contain, neither as a word nor as part of a longer name."""
    return sorted(
        name
        for name in reading.names - other.names - other.words
        if not any(name in known or known in name for known in other.names)
    )


def _in_same_position(a: ParsedText, mine: str, b: ParsedText, other: str) -> bool:
    """Two names after the same words, in clauses that share more: trained with LightGBM, trained with CatBoost."""
    others = [clause for clause in b.clauses if other in clause.name_positions]
    for clause in a.clauses:
        if mine not in clause.name_positions:
            continue
        for other_clause in others:
            same_start = _before(clause, mine) & _before(other_clause, other)
            leading = _leads(clause, mine) and _leads(other_clause, other) and _similarity(clause, other_clause) > 0
            if leading or len(same_start - ENVIRONMENTS) >= _SHARED_BEFORE:
                return clause.negative == other_clause.negative and not (clause.possible and other_clause.possible)
    return False


def _before(clause: Clause, name: str) -> set[str]:
    at = clause.name_positions.get(name, 0)
    return set(clause.words[max(0, at - _BEFORE_NAME) : at])


def _leads(clause: Clause, name: str) -> bool:
    return clause.name_positions.get(name) == 0 and (clause.has_verb or len(clause.words) >= _SUBJECT_CLAUSE_WORDS)


def _opposite_polarity(a: ParsedText, b: ParsedText) -> Contradiction | None:
    for mine, other, share in _aligned(a, b):
        turned = _count_opposite_antonyms(mine, other)
        denied = mine.negative != other.negative
        if (turned + denied) % 2 and (turned or share >= _MIN_NEGATED_SIMILARITY):
            return Contradiction("polarity", "exclusive", mine.text, other.text)
    return None


def are_antonyms_swapped(a: ParsedText, b: ParsedText) -> bool:
    """Two clauses of nearly the same words with opposite antonyms: enabled here, disabled there."""
    return any(
        _count_opposite_antonyms(mine, other) % 2 and mine.negative == other.negative
        for mine, other, _ in _aligned(a, b)
    )


def _count_opposite_antonyms(mine: Clause, other: Clause) -> int:
    """The number of antonym pairs of which each clause has the other end."""
    ends, other_ends = dict(mine.antonyms), dict(other.antonyms)
    return sum(ends[axis] != other_ends[axis] for axis in ends.keys() & other_ends.keys())


def is_directly_negated(a: ParsedText, b: ParsedText) -> bool:
    """The same words in both, with a "not" in only one of them."""
    return any(
        mine.negative != other.negative and mine.antonyms == other.antonyms and mine.word_set == other.word_set
        for mine in a.clauses
        for other in b.clauses
        if len(mine.word_set) > 1 and not (mine.superseded or other.superseded)
    )


def _short_negation(a: ParsedText, b: ParsedText) -> Contradiction | None:
    """A short negation of what the other text asserts about the same thing: "…, not Sidekiq" against "on Sidekiq"."""
    for denying, asserting, swapped in ((a, b, False), (b, a, True)):
        context = {word for clause in denying.clauses if not clause.negative for word in clause.words}
        for clause in denying.clauses:
            out = set(clause.words) - {"use"}
            if (
                not clause.negative
                or not 1 <= len(out) <= _MAX_NEGATED_WORDS
                or _is_asserted(denying, clause, out & context)
            ):
                continue
            for other in asserting.clauses:
                if (
                    not other.negative
                    and not other.past
                    and out < set(other.words)
                    and (set(other.words) - {"use"}) & context
                ):
                    texts = (clause.text, other.text)
                    return Contradiction("polarity", "exclusive", *(reversed(texts) if swapped else texts))
    return None


def _is_asserted(reading: ParsedText, denial: Clause, words: set[str]) -> bool:
    """Whether the negated words are asserted elsewhere in the same text. A name counts only as a whole."""
    names = denial.name_positions.keys()
    if names:
        return any(name in names for clause in reading.clauses if not clause.negative for name in clause.name_positions)
    return bool(words)


def _order(a: ParsedText, b: ParsedText) -> Contradiction | None:
    turned = next((comparison for comparison in compare_relations(a, b) if comparison.is_reversed), None)
    return None if turned is None else Contradiction("order", "exclusive", turned.mine.text, turned.other.text)


def _replaced(a: ParsedText, b: ParsedText) -> Contradiction | None:
    """The same beginning with a different end: components are styled with this, components are styled with that."""
    loose: Contradiction | None = None
    for mine in a.content_clauses:
        for other in b.content_clauses:
            stated = mine.has_verb or other.has_verb
            if not stated or (mine.possible and other.possible) or mine.negative or other.negative:
                continue
            start = next(
                (at for at, (one, two) in enumerate(zip(mine.words, other.words, strict=False)) if one != two), 0
            )
            removed, added = mine.words[start:], other.words[start:]
            subject_words = max(len(mine.subject), len(other.subject))
            if (
                start < max(_SAME_START, subject_words)
                or set(removed) & set(added)
                or set(removed) <= b.words
                or set(added) <= a.words
            ):
                continue
            if min(len(removed), len(added)) <= _SHORT_END and max(len(removed), len(added)) <= _LONG_END:
                sure: Severity = "exclusive" if mine.has_verb and other.has_verb else "apart"
                found = Contradiction("name", sure, _surface_text(a, removed), _surface_text(b, added))
                if sure == "exclusive":
                    return found
                loose = loose or found
    return loose


def _surface_text(reading: ParsedText, words: tuple[str, ...]) -> str:
    return " ".join(reading.surface_forms.get(word, word) for word in words)


def _aligned(a: ParsedText, b: ParsedText) -> list[tuple[Clause, Clause, float]]:
    """Clauses with nearly the same words: each with its best match in the other text, and their similarity."""
    pairs = []
    for mine in a.clauses:
        ranked = [(_similarity(mine, other), other.negative == mine.negative, at) for at, other in enumerate(b.clauses)]
        share, _, at = max(ranked, default=(0.0, False, 0))
        if share > 0:
            pairs.append((mine, b.clauses[at], share))
    return pairs


def _similarity(mine: Clause, other: Clause) -> float:
    words, others = mine.word_set, other.word_set
    shared = words & others
    if len(shared) < 2 and not (len(words) == len(others) == 1 and shared):
        return 0.0
    share = jaccard(words, others)
    return share if share >= _CLAUSE_SHARED and overlap_coefficient(words, others) >= _CLAUSE_COVERED else 0.0
