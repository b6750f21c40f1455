"""The terms a text is found by: stems of its words, and every name, path and code as written."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from loremark.memory.ranking.stems import stem
from loremark.memory.vocabulary import STOP

MAX_TEXT_CHARS = 20_000
"""Characters read of one text. The rest of a document adds little about its topic."""

MAX_QUESTION_WORDS = 24
"""Distinct words of a question that count; with more, the rarest."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LONGEST_TOKEN = 120
_TOKENS = re.compile(r"[^\W_]+(?:[_./:#@+'’-]{1,3}[^\W_]+)*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_IS_NAME = re.compile(r"[_/]|[^\W\d]\.[^\W\d]|::|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]-\d")
_NOT_A_NAME = re.compile(r"\d+(?:st|nd|rd|th|s|pm|am|h|ms|k|m)|(?:and|or|he|his|w)/\w+", re.IGNORECASE)
_ASKING = _words(
    "what when where which who whom whose why how did does do is are was were has have had can could would should tell"
    " show find give me explain describe please s t re ve ll d m don didn doesn isn wasn aren weren hasn haven many"
    " much kind type"
)
STOP_WORDS = STOP | _ASKING

_SPEAKER = re.compile(r"\s*([A-Z][\w'’-]{0,40}):\s")
_CAPITAL = re.compile(r"[A-Z][a-z]+")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|years?|since|recently|soon"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(r"\s*(?:since )?(?:when|what (?:date|year|month|day)|how long)\b", re.IGNORECASE)


def term_hash(term: str) -> int:
    """A 32-bit hash of a word."""
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=4).digest(), "little")


def name_hash(name: str) -> int:
    """A 32-bit hash of a name, distinct from that of a word."""
    return term_hash("=" + name.lower())


@lru_cache(maxsize=65_536)
def _terms_of_token(token: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The word and name hashes of a token."""
    token = token[:_LONGEST_TOKEN]
    parts = (part.lower() for part in _PARTS.findall(token))
    words = tuple(term_hash(stem(part)) for part in parts if part not in STOP_WORDS)
    if _IS_NAME.search(token) is None or _NOT_A_NAME.fullmatch(token):
        return words, ()
    names = {token, token.rsplit("/", 1)[-1]}
    return words, tuple(sorted(name_hash(name) for name in names))


@dataclass(frozen=True, slots=True)
class TextTerms:
    """The terms of an item's text. ``length`` counts its words."""

    counts: Counter[int]
    length: int
    speaker: int
    asks: bool
    tells_time: bool


def read_text(said: str, besides: str) -> TextTerms:
    """The terms of an item's text, and of its metadata (schema key, files and tags)."""
    said = said[:MAX_TEXT_CHARS]
    counts: Counter[int] = Counter()
    names: set[int] = set()
    length = 0
    for token in _TOKENS.findall(f"{said}\n{besides[:MAX_TEXT_CHARS]}"):
        words, whole = _terms_of_token(token)
        counts.update(words)
        names.update(whole)
        length += len(words)
    counts.update(names)
    speaker = _SPEAKER.match(said)
    return TextTerms(
        counts,
        length,
        name_hash(speaker.group(1)) if speaker else 0,
        said.rstrip().endswith("?"),
        _TIME.search(said) is not None,
    )


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The terms of a question. ``spread`` says for each word whether similar words count; they do not for people's
    names."""

    words: tuple[int, ...]
    spread: tuple[bool, ...]
    names: tuple[tuple[str, int], ...]
    people: frozenset[int]
    asks_when: bool


@lru_cache(maxsize=256)
def read_question(text: str) -> QuestionTerms:
    words: dict[int, bool] = {}
    names: dict[int, str] = {}
    first = True
    for token in _TOKENS.findall(text[:MAX_TEXT_CHARS]):
        found, whole = _terms_of_token(token)
        is_plain = first or not token[0].isupper()
        first = False
        for word in found:
            words.setdefault(word, is_plain)
        for name in whole:
            names.setdefault(name, token)
    return QuestionTerms(
        tuple(words),
        tuple(words.values()),
        tuple((written, name) for name, written in names.items()),
        frozenset(name_hash(name) for name in _CAPITAL.findall(text[:MAX_TEXT_CHARS])),
        _ASKS_WHEN.match(text) is not None,
    )
