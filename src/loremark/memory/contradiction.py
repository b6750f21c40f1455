"""Finds where two texts cannot both be true: opposite sense, other order, another value or name in the same place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loremark.memory.alternatives import ENVIRONMENTS, EXCLUSIVE
from loremark.memory.measures import Value
from loremark.memory.orders import orders
from loremark.memory.reading import Clause, Reading
from loremark.memory.words import covered_share, shared_share

Kind = Literal["sense", "order", "value", "name"]
# One of the two is wrong; they speak of two things; they name different things, which may mean nothing.
Grade = Literal["exclusive", "apart", "loose"]

_CLAUSE_COVERED = 0.6
_CLAUSE_SHARED = 0.4
# A plain "not" turns a claim round only if the rest of it is the same.
_DENIED_SHARED = 0.6
_VALUE_COVERED = 0.5
_MOST_NAMES = 12
_BEFORE_NAME = 3
_SHARED_BEFORE = 2
_SHORT_DENIAL = 2
_SAME_START = 2
_SHORT_END = 2
_LONG_END = 3
_PRONOUN = "one"  # a number only beside another one
_SUBJECT_CLAUSE_WORDS = 3


_GRAVITY: dict[Grade, int] = {"exclusive": 0, "apart": 1, "loose": 2}


@dataclass(frozen=True, slots=True)
class Clash:
    """Where two texts part, in the words of each."""

    kind: Kind
    grade: Grade
    mine: str
    other: str


@dataclass(frozen=True, slots=True)
class Clashes:
    """All that two texts clash over, by where it was found."""

    environment: Clash | None
    value: Clash | None
    name: Clash | None
    sense: Clash | None
    denial: Clash | None
    order: Clash | None
    replaced: Clash | None

    @property
    def gravest(self) -> Clash | None:
        """What is told as the reason; other environments make two things of whatever is said."""
        if self.environment is not None:
            return self.environment
        found = (self.value, self.name, self.sense, self.denial, self.order, self.replaced)
        given = [clash for clash in found if clash is not None]
        return min(given, key=lambda clash: _GRAVITY[clash.grade], default=None)


def find_clashes(a: Reading, b: Reading, *, reports: bool = False) -> Clashes:
    """``reports``: both tell of a fault or a task, where another name is often only another way to describe it."""
    here, there = sorted(a.names & ENVIRONMENTS), sorted(b.names & ENVIRONMENTS)
    apart = bool(here and there and not set(here) & set(there))
    return Clashes(
        # What holds in staging says nothing about production.
        environment=Clash("name", "apart", a.said[here[0]], b.said[there[0]]) if apart else None,
        value=_values(a, b),
        name=_names(a, b, reports=reports),
        sense=_sense(a, b),
        denial=_denied(a, b),
        order=_order(a, b),
        replaced=_replaced(a, b),
    )


def _values(a: Reading, b: Reading) -> Clash | None:
    only_a, only_b = _only(a.values, b.values), _only(b.values, a.values)
    loose: Clash | None = None
    for mine in only_a:
        for other in only_b:
            plain = {mine.measure, other.measure} <= {"number", "version"}
            exclusive = _same_measure(mine, other) or (plain and bool(mine.near & other.near))
            exclusive = exclusive and covered_share(mine.around, other.around) >= _VALUE_COVERED
            clash = Clash("value", "exclusive" if exclusive else "apart", mine.said, other.said)
            if exclusive:
                return clash
            if _PRONOUN not in (mine.said, other.said):
                loose = loose or clash
    shares_a_value = len(only_a) < len(a.values)
    return None if shares_a_value else loose


def _only(values: tuple[Value, ...], others: tuple[Value, ...]) -> list[Value]:
    return [value for value in values if not any(_is_told(value, other) for other in others)]


def _is_told(value: Value, other: Value) -> bool:
    """The same amount of the same thing; a bare number may be the one with a unit, unless it is a small one."""
    if value.amount != other.amount:
        return _is_part(value, other)
    if value.measure == other.measure:
        return True
    return "number" in (value.measure, other.measure) and (len(value.amount) > 1 or bool(value.near & other.near))


def _is_part(value: Value, other: Value) -> bool:
    """Python 3 and Python 3.11 do not clash: one is only more exact."""
    return any(
        longer.amount.startswith(f"{shorter.amount}.") and longer.measure in ("version", "number")
        for longer, shorter in ((value, other), (other, value))
    )


def _same_measure(mine: Value, other: Value) -> bool:
    return mine.measure == other.measure and mine.measure != "number"


def _names(a: Reading, b: Reading, *, reports: bool) -> Clash | None:
    only_a, only_b = _only_names(a, b), _only_names(b, a)
    pairs = [(mine, other) for mine in only_a[:_MOST_NAMES] for other in only_b[:_MOST_NAMES]]
    for mine, other in pairs:
        alternatives = bool(EXCLUSIVE.get(mine, frozenset()) & EXCLUSIVE.get(other, frozenset()))
        routes = a.said.get(mine, "").startswith("/") and b.said.get(other, "").startswith("/")
        if alternatives or routes or (not reports and _in_one_place(a, mine, b, other)):
            grade: Grade = "apart" if routes or (_is_subject(a, mine) and _is_subject(b, other)) else "exclusive"
            return Clash("name", grade, a.said.get(mine, mine), b.said.get(other, other))
    if pairs:
        mine, other = pairs[0]
        return Clash("name", "loose", a.said.get(mine, mine), b.said.get(other, other))
    return None


def _is_subject(reading: Reading, name: str) -> bool:
    """Staging does this, production does that: two things, and both can be so."""
    return any(_leads(clause, name) for clause in reading.clauses)


def _only_names(reading: Reading, other: Reading) -> list[str]:
    """Names of the one that the other does not know, not as a word, nor as a part of a longer name."""
    return sorted(
        name
        for name in reading.names - other.names - other.words
        if not any(name in known or known in name for known in other.names)
    )


def _in_one_place(a: Reading, mine: str, b: Reading, other: str) -> bool:
    """Two names behind the same words of clauses that share more: trained with LightGBM, trained with CatBoost."""
    others = [clause for clause in b.clauses if other in clause.places]
    for clause in a.clauses:
        if mine not in clause.places:
            continue
        for other_clause in others:
            same_start = _before(clause, mine) & _before(other_clause, other)
            leading = _leads(clause, mine) and _leads(other_clause, other) and _alike(clause, other_clause) > 0
            if leading or len(same_start - ENVIRONMENTS) >= _SHARED_BEFORE:
                return clause.negative == other_clause.negative and not (clause.possible and other_clause.possible)
    return False


def _before(clause: Clause, name: str) -> set[str]:
    at = clause.places.get(name, 0)
    return set(clause.words[max(0, at - _BEFORE_NAME) : at])


def _leads(clause: Clause, name: str) -> bool:
    return clause.places.get(name) == 0 and (clause.has_verb or len(clause.words) >= _SUBJECT_CLAUSE_WORDS)


def _sense(a: Reading, b: Reading) -> Clash | None:
    for mine, other, share in _aligned(a, b):
        turned = _turned(mine, other)
        denied = mine.negative != other.negative
        if (turned + denied) % 2 and (turned or share >= _DENIED_SHARED):
            return Clash("sense", "exclusive", mine.text, other.text)
    return None


def ends_are_turned(a: Reading, b: Reading) -> bool:
    """Two clauses of nearly the same words with the other end of a pair in one of them: on here, off there."""
    return any(_turned(mine, other) % 2 and mine.negative == other.negative for mine, other, _ in _aligned(a, b))


def _turned(mine: Clause, other: Clause) -> int:
    """Of how many pairs each clause has its own end."""
    ends, other_ends = dict(mine.poles), dict(other.poles)
    return sum(ends[axis] != other_ends[axis] for axis in ends.keys() & other_ends.keys())


def is_denied_outright(a: Reading, b: Reading) -> bool:
    """The very words of one claim, and a "not" in one of them only."""
    return any(
        mine.negative != other.negative and mine.poles == other.poles and mine.word_set == other.word_set
        for mine in a.clauses
        for other in b.clauses
        if len(mine.word_set) > 1 and not (mine.former or other.former)
    )


def _denied(a: Reading, b: Reading) -> Clash | None:
    """A short denial of what the other asserts about the same thing: "…, not Sidekiq" against "on Sidekiq"."""
    for denying, asserting, swapped in ((a, b, False), (b, a, True)):
        context = {word for clause in denying.clauses if not clause.negative for word in clause.words}
        for clause in denying.clauses:
            out = set(clause.words) - {"use"}
            if (
                not clause.negative
                or not 1 <= len(out) <= _SHORT_DENIAL
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
                    return Clash("sense", "exclusive", *(reversed(texts) if swapped else texts))
    return None


def _is_asserted(reading: Reading, denial: Clause, words: set[str]) -> bool:
    """Whether what a clause denies is asserted beside it; a name is so only as a whole, not by one of its words."""
    names = denial.places.keys()
    if names:
        return any(name in names for clause in reading.clauses if not clause.negative for name in clause.places)
    return bool(words)


def _order(a: Reading, b: Reading) -> Clash | None:
    turned = next((told for told in orders(a, b) if told.is_turned), None)
    return None if turned is None else Clash("order", "exclusive", turned.mine.text, turned.other.text)


def _replaced(a: Reading, b: Reading) -> Clash | None:
    """The same beginning, and then something else: components are styled with this, components are styled with that."""
    loose: Clash | None = None
    for mine in a.content:
        for other in b.content:
            stated = mine.has_verb or other.has_verb
            if not stated or (mine.possible and other.possible) or mine.negative or other.negative:
                continue
            start = next(
                (at for at, (one, two) in enumerate(zip(mine.words, other.words, strict=False)) if one != two), 0
            )
            gone, come = mine.words[start:], other.words[start:]
            subject_words = max(len(mine.subject), len(other.subject))
            if (
                start < max(_SAME_START, subject_words)
                or set(gone) & set(come)
                or set(gone) <= b.words
                or set(come) <= a.words
            ):
                continue
            if min(len(gone), len(come)) <= _SHORT_END and max(len(gone), len(come)) <= _LONG_END:
                sure: Grade = "exclusive" if mine.has_verb and other.has_verb else "apart"
                found = Clash("name", sure, _spoken(a, gone), _spoken(b, come))
                if sure == "exclusive":
                    return found
                loose = loose or found
    return loose


def _spoken(reading: Reading, words: tuple[str, ...]) -> str:
    return " ".join(reading.said.get(word, word) for word in words)


def _aligned(a: Reading, b: Reading) -> list[tuple[Clause, Clause, float]]:
    """Clauses that say nearly the same words, each with its best of the other text, and how alike they are."""
    pairs = []
    for mine in a.clauses:
        ranked = [(_alike(mine, other), other.negative == mine.negative, at) for at, other in enumerate(b.clauses)]
        share, _, at = max(ranked, default=(0.0, False, 0))
        if share > 0:
            pairs.append((mine, b.clauses[at], share))
    return pairs


def _alike(mine: Clause, other: Clause) -> float:
    words, others = mine.word_set, other.word_set
    shared = words & others
    if len(shared) < 2 and not (len(words) == len(others) == 1 and shared):
        return 0.0
    share = shared_share(words, others)
    return share if share >= _CLAUSE_SHARED and covered_share(words, others) >= _CLAUSE_COVERED else 0.0
