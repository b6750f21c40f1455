"""Reads a text into what can be compared: clauses with their sense, the names in them, and the values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from cairn.memory.alternatives import ENVIRONMENTS, EXCLUSIVE
from cairn.memory.clauses import clauses_of
from cairn.memory.measures import NUMBER_WORDS, Value, measured
from cairn.memory.vocabulary import DENIALS, NEGATIONS, PAST, POLES, POSSIBLE, PREDICATE, STOP, SYNONYMS
from cairn.memory.words import canonical, name_words

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
    places: tuple[tuple[str, int], ...]
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
_FILE_END = (
    r"\.(?:py|pyi|tsx?|jsx?|mjs|cjs|go|rs|rb|java|kt|cs|cpp|cc|c|h|php|swift|sql|sh|ya?ml|toml|json|md|txt|html|css|scss"
    r"|lock|cfg|ini|env|proto|tf)\b"
)
_TOKEN = re.compile(
    rf"""
    (?P<flag>(?<![\w-])--[A-Za-z][\w-]*)
    |(?P<path>
        (?:[\w.@~$*-]{{1,80}})?(?:/[\w.@{{}}*<>:-]{{1,80}}){{2,12}}/?
        |(?<![\w.])[.~]{{0,2}}/[\w.@{{}}*<>:-]{{1,80}}/?
        |[a-z_.]{{1,40}}/(?=[\w.-]{{0,80}}[_.])[\w.-]{{1,80}}
        |[\w-]{{1,80}}(?:\.[\w-]{{1,40}}){{0,4}}{_FILE_END}(?::\d+)*
    )
    |(?P<date>\b\d{{4}}-\d\d(?:-\d\d)?\b)
    |(?P<clock>\b\d{{1,2}}:\d\d\b)
    |(?P<number>(?<![\w#])v?\d[\d_,]*(?:\.\d+)*(?![\d_]))
    |(?P<word>[^\W\d_][\w+\#’'-]*(?:(?:\.|::)[^\W\d_]\w*)*(?:\(\))?|_\w+)
    """,
    re.VERBOSE,
)
_HEX_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")
_RELATIONS = {"before", "after", *map(canonical, ("depend", "call", "import", "wrap", "override", "extend", "own"))}
_PLAIN_NAME = re.compile(r"[^a-z0-9+#]")


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
        names=frozenset(name for clause in present for name, _ in clause.places),
        values=tuple(value for clause in present for value in clause.values),
        said=said,
        title=tuple(word for clause in titles for word in clause.words if not word.startswith(_POLE)),
        body=frozenset(word for clause in content for word in clause.words),
        title_names=frozenset(name for clause in titles for name, _ in clause.places),
        subject=content[0].subject if content else frozenset(),
    )


def _clauses(text: str, said: dict[str, str]) -> tuple[Clause, ...]:
    pieces = clauses_of(text)[:_MAX_CLAUSES]
    return tuple(clause for piece, former in pieces if (clause := _clause(piece, former, said)) is not None)


def _clause(text: str, former: bool, said: dict[str, str]) -> Clause | None:
    reader = _Reader(text, said)
    for index, token in enumerate(reader.tokens):
        if token.start() >= reader.skipped_to:
            reader.take(index, token)
    return reader.clause(former)


class _Reader:
    """Goes through the tokens of one clause and collects what they tell."""

    def __init__(self, text: str, said: dict[str, str]) -> None:
        self.text = text
        self.said = said
        self.tokens = list(_TOKEN.finditer(text))
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

    def take(self, index: int, token: re.Match[str]) -> None:
        kind, raw = str(token.lastgroup), token.group()
        if kind == "word":
            self._take_word(index, token, raw)
        elif kind == "number":
            if not _HEX_HASH.fullmatch(raw):
                self._take_number(token, raw)
        elif kind in ("date", "clock"):
            self._values.append((len(self._words), kind, raw.zfill(5), raw))
        else:
            path = re.sub(r"(?::\d+)+$", "", raw).strip("./")
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
        return Clause(
            text=" ".join(self.text.split()),
            words=tuple(words),
            word_set=frozenset(words),
            places=tuple(self._places.items()),
            values=tuple(
                Value(measure, amount, spoken, frozenset(words[max(0, at - _NEAR_WORDS) : at + 2]), frozenset(words))
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

    def _take_word(self, index: int, token: re.Match[str], raw: str) -> None:
        lower = raw.lower().removesuffix("()").removesuffix("'s").removesuffix("’s").strip("'’-_")
        if lower in NUMBER_WORDS:
            self._take_number(token, str(NUMBER_WORDS[lower]))
            return
        base = canonical(lower)
        self._negative ^= lower in NEGATIONS or lower in DENIALS
        base = DENIALS.get(lower, base)
        self._past |= lower in PAST
        self._possible |= lower in POSSIBLE
        self._find_relation(index, lower, base)
        if lower in PREDICATE and self._subject_words is None and self._words:
            self._subject_words = len(self._words)
        if lower in NEGATIONS or lower in STOP or lower in ("before", "after", ""):
            return
        if lower in POLES:
            self._poles.add(POLES[lower])
            self._words.append(f"{_POLE}{POLES[lower][0]}")
            self.said.setdefault(f"{_POLE}{POLES[lower][0]}", raw)
        elif _is_name(raw, lower, index in self._capitals):
            self._take_name_at(token, _name(lower), raw)
            self._words.extend(name_words(raw.removesuffix("()").removesuffix("'s")))
        elif "-" in base:
            self._words.extend(canonical(part) for part in base.split("-") if part and part not in STOP)
            self.said.setdefault(base, raw)
        else:
            self.said.setdefault(base, raw)
            self._words.append(base)

    def _take_number(self, token: re.Match[str], raw: str) -> None:
        (measure, amount), self.skipped_to = measured(self.text, token.end(), raw)
        spoken = self.text[token.start() : max(self.skipped_to, token.end())].strip()
        self._values.append((len(self._words), measure, amount, spoken))

    def _take_name_at(self, token: re.Match[str], name: str, raw: str) -> None:
        """Names that stand side by side are one: Solid Queue, not Solid and Queue."""
        if self._joined is not None and self._joined[2] + 1 == token.start() and raw[0].isupper():
            first, spoken, _ = self._joined
            if not {first, name} & (EXCLUSIVE.keys() | ENVIRONMENTS):
                self._places[first + name] = self._places.pop(first)
                name, raw = first + name, f"{spoken} {raw}"
        self._take_name(name, raw)
        self._joined = (name, raw, token.end()) if raw[0].isupper() else None

    def _take_name(self, name: str, raw: str) -> None:
        self._places.setdefault(name, len(self._words))
        self.said.setdefault(name, raw)

    def _find_relation(self, index: int, lower: str, base: str) -> None:
        verb = lower if lower in ("before", "after") else base
        if verb in _RELATIONS and self._relation is None:
            following = self.tokens[index + 1].group().lower() if index + 1 < len(self.tokens) else ""
            swapped = verb == "after" or following == "by"
            self._relation = ("before" if verb == "after" else verb, len(self._words), swapped)

    def _related(self) -> tuple[str, frozenset[str], frozenset[str]] | None:
        if self._relation is None:
            return None
        verb, at, swapped = self._relation
        left, right = frozenset(self._words[:at]), frozenset(self._words[at:]) - {verb}
        return (verb, right, left) if swapped else (verb, left, right)


def _names_by_capital(tokens: list[re.Match[str]]) -> set[int]:
    """Places of words that a capital makes a name: not at the start, and not where every word has one."""
    plain = [index for index, token in enumerate(tokens) if token.lastgroup == "word"]
    capital = {index for index in plain[1:] if tokens[index].group()[0].isupper()}
    long_words = {index for index in plain[1:] if len(tokens[index].group()) > 3}
    title_case = len(capital & long_words) >= 3 and len(capital & long_words) > len(long_words) * _TITLE_CASE_SHARE
    return set() if title_case else capital


def _is_name(raw: str, lower: str, capital: bool) -> bool:
    odd = any(letter.isupper() or letter.isdigit() or letter in "_.#+" for letter in raw[1:])
    return capital or odd or _known_name(lower) is not None


def _name(lower: str) -> str:
    return _known_name(lower) or _PLAIN_NAME.sub("", lower)


def _known_name(lower: str) -> str | None:
    """The name that the tables of alternatives know this word by, whatever its form."""
    forms = (lower, SYNONYMS.get(lower, lower), lower.removesuffix("s"))
    return next((form for form in forms if form in EXCLUSIVE or form in ENVIRONMENTS), None)
