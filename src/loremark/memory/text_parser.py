"""Parses text into clauses with their polarity, names and quantities, ready for comparison."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.clause_splitter import split_clauses
from loremark.memory.exclusive_terms import ENVIRONMENTS, EXCLUSIVE_TERMS
from loremark.memory.lexicon import Token, look_up, tokenize
from loremark.memory.quantities import Quantity, parse_quantity
from loremark.memory.word_normalization import identifier_words

# Longer texts are documents, not facts.
MAX_PARSED_CHARS = 2_000
_MAX_CLAUSES = 16
_NEAR_WORDS = 4
_DENIED_WORDS = 1
_TITLE_CASE_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Clause:
    """One claim: its words in order, the positions of names among them, its polarity and its tense.

    ``superseded`` is what the text itself rejects ("instead of this"); ``past`` is merely in the past tense.
    """

    text: str
    words: tuple[str, ...]
    word_set: frozenset[str]
    name_positions: Mapping[str, int]
    values: tuple[Quantity, ...]
    negative: bool
    past: bool
    possible: bool
    superseded: bool
    relation: tuple[str, frozenset[str], frozenset[str]] | None
    antonyms: frozenset[tuple[int, int]]
    subject: frozenset[str]
    has_verb: bool


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A parsed title and content."""

    clauses: tuple[Clause, ...]
    content_clauses: tuple[Clause, ...]
    words: frozenset[str]
    names: frozenset[str]
    values: tuple[Quantity, ...]
    surface_forms: dict[str, str]
    title: tuple[str, ...]
    body: frozenset[str]
    title_names: frozenset[str]
    subject: frozenset[str]


_ANTONYM = "pole "
_NEVER_JOINED = EXCLUSIVE_TERMS.keys() | ENVIRONMENTS
_HEX_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")
_LINE_NUMBERS = re.compile(r"(?::\d+)+$")


@lru_cache(maxsize=2048)
def parse_text(text: str, title: str = "") -> ParsedText:
    """Parse a text and its title, which comes first. Only the beginning of a long text is read."""
    surface_forms: dict[str, str] = {}
    text = text[:MAX_PARSED_CHARS]
    titles = _clauses(title, surface_forms)
    content = _clauses(text, surface_forms)
    clauses = titles + content
    present = [clause for clause in clauses if not clause.superseded] or list(clauses)
    return ParsedText(
        clauses=clauses,
        content_clauses=content,
        words=frozenset(word for clause in present for word in clause.words),
        names=frozenset(name for clause in present for name in clause.name_positions),
        values=tuple(value for clause in present for value in clause.values),
        surface_forms=surface_forms,
        title=tuple(word for clause in titles for word in clause.words if not word.startswith(_ANTONYM)),
        body=frozenset(word for clause in content for word in clause.words),
        title_names=frozenset(name for clause in titles for name in clause.name_positions),
        subject=content[0].subject if content else frozenset(),
    )


def _clauses(text: str, surface_forms: dict[str, str]) -> tuple[Clause, ...]:
    pieces = split_clauses(text)[:_MAX_CLAUSES]
    return tuple(clause for piece, former in pieces if (clause := _clause(piece, former, surface_forms)) is not None)


def _clause(text: str, former: bool, surface_forms: dict[str, str]) -> Clause | None:
    reader = _ClauseParser(text, surface_forms)
    for index, token in enumerate(reader.tokens):
        if token[2] >= reader.skipped_to:
            reader.take(index, token)
    return reader.clause(former)


class _ClauseParser:
    """Walks the tokens of one clause and collects words, names and quantities."""

    def __init__(self, text: str, surface_forms: dict[str, str]) -> None:
        self.text = text
        self.surface_forms = surface_forms
        self.tokens = tokenize(text)
        self.skipped_to = 0
        self._capitals = _names_by_capital(self.tokens)
        self._words: list[str] = []
        self._places: dict[str, int] = {}
        self._past = False
        self._possible = False
        self._joined: tuple[str, str, int] | None = None
        self._values: list[tuple[int, str, str, str]] = []
        self._antonyms: set[tuple[int, int]] = set()
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
            self._words.extend(identifier_words(path.rpartition("/")[2]) if kind == "path" else [path.lower()])

    def clause(self, former: bool) -> Clause | None:
        words = self._words
        if not words and not self._values:
            return None
        subject_words = 1 if self._subject_words is None else self._subject_words
        negative = self._negative ^ former
        # "…, not 24": a value that is only negated no longer holds.
        former = former or (negative and bool(self._values) and len(words) <= _DENIED_WORDS and not subject_words > 1)
        word_set = frozenset(words)
        return Clause(
            text=" ".join(self.text.split()),
            words=tuple(words),
            word_set=word_set,
            name_positions=self._places,
            values=tuple(
                Quantity(measure, amount, written, frozenset(words[max(0, at - _NEAR_WORDS) : at + 2]), word_set)
                for at, measure, amount, written in self._values
            ),
            negative=negative,
            superseded=former,
            past=self._past,
            possible=self._possible,
            relation=self._related(),
            antonyms=frozenset(self._antonyms),
            subject=frozenset(word for word in words[:subject_words] if not word.startswith(_ANTONYM)),
            has_verb=self._subject_words is not None,
        )

    def _take_word(self, index: int, token: Token) -> None:
        raw = token[1]
        word = look_up(raw)
        if word.number is not None:
            self._take_number(token, word.number)
            return
        self._negative ^= word.negates
        self._past |= word.past
        self._possible |= word.possible
        if word.relation is not None and self._relation is None:
            self._relate(index, word.relation)
        if word.ends_subject and self._subject_words is None and self._words:
            self._subject_words = len(self._words)
        if word.is_ignored:
            return
        if word.antonym is not None:
            self._antonyms.add(word.antonym)
            self._words.append(f"{_ANTONYM}{word.antonym[0]}")
            self.surface_forms.setdefault(f"{_ANTONYM}{word.antonym[0]}", raw)
        elif word.is_name or index in self._capitals:
            self._take_name_at(token, word.name)
            self._words.extend(word.name_parts)
        else:
            self.surface_forms.setdefault(word.base, raw)
            self._words.extend(word.parts)

    def _take_number(self, token: Token, raw: str) -> None:
        _, _, start, end = token
        (measure, amount), self.skipped_to = parse_quantity(self.text, end, raw)
        written = self.text[start : max(self.skipped_to, end)].strip()
        self._values.append((len(self._words), measure, amount, written))

    def _take_name_at(self, token: Token, name: str) -> None:
        """Adjacent names are one: Solid Queue, not Solid and Queue."""
        _, raw, start, end = token
        if self._joined is not None and self._joined[2] + 1 == start and raw[0].isupper():
            first, written, _ = self._joined
            if first not in _NEVER_JOINED and name not in _NEVER_JOINED:
                self._places[first + name] = self._places.pop(first)
                name, raw = first + name, f"{written} {raw}"
        self._take_name(name, raw)
        self._joined = (name, raw, end) if raw[0].isupper() else None

    def _take_name(self, name: str, raw: str) -> None:
        self._places.setdefault(name, len(self._words))
        self.surface_forms.setdefault(name, raw)

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
    """Indexes of words that a capital makes a name: not the first word, and not in title case."""
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
