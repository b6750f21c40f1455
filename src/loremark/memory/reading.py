"""Reads a text into what can be compared: clauses with their sense, the names in them, and the values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.alternatives import ENVIRONMENTS, EXCLUSIVE
from loremark.memory.clauses import clauses_of
from loremark.memory.lexicon import Token, look_up, tokens_of
from loremark.memory.measures import Value, measured
from loremark.memory.words import name_words

# What is longer than this is a document, not a fact.
READ_CHARS = 2_000
_MAX_CLAUSES = 16
_NEAR_WORDS = 4
_DENIED_WORDS = 1
_TITLE_CASE_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Clause:
    """One claim: its words in order, where among them the names stand, whether it is denied, and of what time it is.

    ``former`` is what the text itself sets aside (instead of this); ``past`` is merely told in the past tense.
    """

    text: str
    words: tuple[str, ...]
    word_set: frozenset[str]
    places: Mapping[str, int]
    values: tuple[Value, ...]
    negative: bool
    past: bool
    possible: bool
    former: bool
    relation: tuple[str, frozenset[str], frozenset[str]] | None
    poles: frozenset[tuple[int, int]]
    subject: frozenset[str]
    has_verb: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole text, read."""

    clauses: tuple[Clause, ...]
    content: tuple[Clause, ...]
    words: frozenset[str]
    names: frozenset[str]
    values: tuple[Value, ...]
    said: dict[str, str]
    title: tuple[str, ...]
    body: frozenset[str]
    title_names: frozenset[str]
    subject: frozenset[str]


_POLE = "pole "
_NAMES_APART = EXCLUSIVE.keys() | ENVIRONMENTS
_HEX_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")
_LINE_NUMBERS = re.compile(r"(?::\d+)+$")


@lru_cache(maxsize=2048)
def read(text: str, title: str = "") -> Reading:
    """The clauses, names and values of a text and of its title, which comes first; of a long text, its beginning."""
    said: dict[str, str] = {}
    text = text[:READ_CHARS]
    titles = _clauses(title, said)
    content = _clauses(text, said)
    clauses = titles + content
    present = [clause for clause in clauses if not clause.former] or list(clauses)
    return Reading(
        clauses=clauses,
        content=content,
        words=frozenset(word for clause in present for word in clause.words),
        names=frozenset(name for clause in present for name in clause.places),
        values=tuple(value for clause in present for value in clause.values),
        said=said,
        title=tuple(word for clause in titles for word in clause.words if not word.startswith(_POLE)),
        body=frozenset(word for clause in content for word in clause.words),
        title_names=frozenset(name for clause in titles for name in clause.places),
        subject=content[0].subject if content else frozenset(),
    )


def _clauses(text: str, said: dict[str, str]) -> tuple[Clause, ...]:
    pieces = clauses_of(text)[:_MAX_CLAUSES]
    return tuple(clause for piece, former in pieces if (clause := _clause(piece, former, said)) is not None)


def _clause(text: str, former: bool, said: dict[str, str]) -> Clause | None:
    reader = _Reader(text, said)
    for index, token in enumerate(reader.tokens):
        if token[2] >= reader.skipped_to:
            reader.take(index, token)
    return reader.clause(former)


class _Reader:
    """Goes through the tokens of one clause and collects what they tell."""

    def __init__(self, text: str, said: dict[str, str]) -> None:
        self.text = text
        self.said = said
        self.tokens = tokens_of(text)
        self.skipped_to = 0
        self._capitals = _names_by_capital(self.tokens)
        self._words: list[str] = []
        self._places: dict[str, int] = {}
        self._past = False
        self._possible = False
        self._joined: tuple[str, str, int] | None = None
        self._values: list[tuple[int, str, str, str]] = []
        self._poles: set[tuple[int, int]] = set()
        self._relation: tuple[str, int, bool] | None = None
        self._subject_words: int | None = None
        self._negative = False

    def take(self, index: int, token: Token) -> None:
        kind, raw = token[:2]
        if kind == "word":
            self._take_word(index, token)
        elif kind == "number":
            if not _HEX_HASH.fullmatch(raw):
                self._take_number(token, raw)
        elif kind in ("date", "clock"):
            self._values.append((len(self._words), kind, raw.zfill(5), raw))
        else:
            path = _LINE_NUMBERS.sub("", raw).strip("./")
            self._take_name(path.lower(), raw)
            self._words.extend(name_words(path.rpartition("/")[2]) if kind == "path" else [path.lower()])

    def clause(self, former: bool) -> Clause | None:
        words = self._words
        if not words and not self._values:
            return None
        subject_words = 1 if self._subject_words is None else self._subject_words
        negative = self._negative ^ former
        # "…, not 24": a value that is only denied is one that no longer holds.
        former = former or (negative and bool(self._values) and len(words) <= _DENIED_WORDS and not subject_words > 1)
        word_set = frozenset(words)
        return Clause(
            text=" ".join(self.text.split()),
            words=tuple(words),
            word_set=word_set,
            places=self._places,
            values=tuple(
                Value(measure, amount, spoken, frozenset(words[max(0, at - _NEAR_WORDS) : at + 2]), word_set)
                for at, measure, amount, spoken in self._values
            ),
            negative=negative,
            former=former,
            past=self._past,
            possible=self._possible,
            relation=self._related(),
            poles=frozenset(self._poles),
            subject=frozenset(word for word in words[:subject_words] if not word.startswith(_POLE)),
            has_verb=self._subject_words is not None,
        )

    def _take_word(self, index: int, token: Token) -> None:
        raw = token[1]
        word = look_up(raw)
        if word.number is not None:
            self._take_number(token, word.number)
            return
        self._negative ^= word.turns
        self._past |= word.past
        self._possible |= word.possible
        if word.relation is not None and self._relation is None:
            self._relate(index, word.relation)
        if word.ends_subject and self._subject_words is None and self._words:
            self._subject_words = len(self._words)
        if word.silent:
            return
        if word.pole is not None:
            self._poles.add(word.pole)
            self._words.append(f"{_POLE}{word.pole[0]}")
            self.said.setdefault(f"{_POLE}{word.pole[0]}", raw)
        elif word.is_name or index in self._capitals:
            self._take_name_at(token, word.name)
            self._words.extend(word.name_parts)
        else:
            self.said.setdefault(word.base, raw)
            self._words.extend(word.parts)

    def _take_number(self, token: Token, raw: str) -> None:
        _, _, start, end = token
        (measure, amount), self.skipped_to = measured(self.text, end, raw)
        spoken = self.text[start : max(self.skipped_to, end)].strip()
        self._values.append((len(self._words), measure, amount, spoken))

    def _take_name_at(self, token: Token, name: str) -> None:
        """Names that stand side by side are one: Solid Queue, not Solid and Queue."""
        _, raw, start, end = token
        if self._joined is not None and self._joined[2] + 1 == start and raw[0].isupper():
            first, spoken, _ = self._joined
            if first not in _NAMES_APART and name not in _NAMES_APART:
                self._places[first + name] = self._places.pop(first)
                name, raw = first + name, f"{spoken} {raw}"
        self._take_name(name, raw)
        self._joined = (name, raw, end) if raw[0].isupper() else None

    def _take_name(self, name: str, raw: str) -> None:
        self._places.setdefault(name, len(self._words))
        self.said.setdefault(name, raw)

    def _relate(self, index: int, verb: str) -> None:
        following = self.tokens[index + 1][1].lower() if index + 1 < len(self.tokens) else ""
        swapped = verb == "after" or following == "by"
        self._relation = ("before" if verb == "after" else verb, len(self._words), swapped)

    def _related(self) -> tuple[str, frozenset[str], frozenset[str]] | None:
        if self._relation is None:
            return None
        verb, at, swapped = self._relation
        left, right = frozenset(self._words[:at]), frozenset(self._words[at:]) - {verb}
        return (verb, right, left) if swapped else (verb, left, right)


def _names_by_capital(tokens: list[Token]) -> set[int]:
    """Places of words that a capital makes a name: not at the start, and not where every word has one."""
    capital: set[int] = set()
    long_words = long_capitals = 0
    plain = [(index, raw) for index, (kind, raw, _, _) in enumerate(tokens) if kind == "word"]
    for index, raw in plain[1:]:
        is_capital, is_long = raw[0].isupper(), len(raw) > 3
        if is_capital:
            capital.add(index)
        long_words += is_long
        long_capitals += is_long and is_capital
    title_case = long_capitals >= 3 and long_capitals > long_words * _TITLE_CASE_SHARE
    return set() if title_case else capital
