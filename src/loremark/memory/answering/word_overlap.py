"""The words, codes and identifiers of a text, and how much a question and a passage share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.answering.search_synonyms import normalize_query_word
from loremark.memory.vocabulary import STOP

_MAX_CHARS = 12_000
_QUESTION_WORDS = """
what when where which who whom whose why how did does do is are was were has have had can could would should tell show
find give me explain describe please know happen happened s t re ve ll d m don didn doesn isn wasn aren weren hasn haven
dont didnt doesnt isnt wasnt arent cant couldnt wont whats theres
"""
_STOP_WORDS = STOP | frozenset(_QUESTION_WORDS.split())
_TOKENS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
# Letters and digits that form a code: with a hyphen, with three digits, or in capitals.
_CODE = re.compile(
    r"\b(?:[A-Za-z]{1,10}(?:-[A-Za-z]{1,10}){0,2}-[A-Za-z]?\d+|[A-Za-z]{1,10}\d{3,}|\d*[A-Z]{1,6}\d{2,})\w*"
)
_WORD_AND_NUMBER = re.compile(r"\b([A-Za-z]{1,10})[ #-](\d{3,6})\b")
_NAME = re.compile(r"[^\W_]+(?:[_./:#@+-]+[^\W_]+)*")
_IS_NAME = re.compile(r"[_/]|\w\.\w|::|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{2}")
_MAX_NAME_CHARS = 120
_SEPARATORS = re.compile(r"[^a-z0-9]")
_PREFIX_CHARS = 5
_MAX_SUFFIX_CHARS = 4
_MAX_CHANGED_CHARS = 2


@dataclass(frozen=True, slots=True)
class WordBag:
    """The words of a text, with an index by prefix."""

    words: frozenset[str]
    starts: Mapping[str, tuple[str, ...]]

    def __contains__(self, word: str) -> bool:
        """Also matches other forms: two long words that differ only in their endings."""
        return word in self.words or (
            len(word) >= _PREFIX_CHARS
            and any(_same_stem(word, other) for other in self.starts.get(word[:_PREFIX_CHARS], ()))
        )


def _same_stem(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return same >= len(short) - _MAX_CHANGED_CHARS and (
        same == len(short) > _PREFIX_CHARS or len(long) - len(short) <= _MAX_SUFFIX_CHARS
    )


@lru_cache(maxsize=1024)
def word_bag(text: str) -> WordBag:
    """The content words of a text, each normalized."""
    words = frozenset(words_in(text))
    starts: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if len(word) >= _PREFIX_CHARS and not word.isdigit():
            starts[word[:_PREFIX_CHARS]].append(word)
    return WordBag(words, {start: tuple(found) for start, found in starts.items()})


def words_in(text: str, besides: frozenset[str] = frozenset()) -> Iterable[str]:
    """Yield the normalized words in order, without stop words and ``besides``."""
    for token in _TOKENS.findall(text[:_MAX_CHARS]):
        word = token.lower()
        if word not in _STOP_WORDS and word not in besides and (len(word) > 1 or word.isdigit()):
            yield normalize_query_word(word)


def weighted_coverage(words: Mapping[str, float], bag: WordBag) -> float:
    """The share of the words' weight that the bag contains; 0 if there are no words."""
    whole = sum(words.values())
    return sum(weight for word, weight in words.items() if word in bag) / whole if whole else 0.0


@lru_cache(maxsize=1024)
def find_codes(text: str) -> frozenset[str]:
    """Codes such as error codes, without separators. Another number is another code."""
    return frozenset(_SEPARATORS.sub("", code.lower()) for code in _CODE.findall(text[:_MAX_CHARS]))


def sole_identifier(question: str) -> frozenset[str]:
    """The identifier that makes up the whole question, without separators."""
    text = question.strip().rstrip("?!.")
    is_one = len(text) <= _MAX_NAME_CHARS and _NAME.fullmatch(text) and _IS_NAME.search(text)
    return frozenset({_SEPARATORS.sub("", text.lower())} - {""}) if is_one else frozenset()


@lru_cache(maxsize=1024)
def joined_identifiers(text: str) -> frozenset[str]:
    """The identifiers of a text, without separators."""
    return frozenset(_SEPARATORS.sub("", name) for name in find_identifiers(text))


def possible_codes(question: str) -> frozenset[str]:
    """A word and a number, such as "lab 1102". Only memory can tell whether it is a code."""
    return frozenset(f"{word}{number}".lower() for word, number in _WORD_AND_NUMBER.findall(question[:_MAX_CHARS]))


def matches_code(code: str, codes: Iterable[str]) -> bool:
    """E31 matches CLM-E31."""
    return any(known == code or known.endswith(code) for known in codes)


def find_identifiers(text: str) -> set[str]:
    """Identifiers, paths and abbreviations, lowercased."""
    return {
        token.lower()
        for token in _NAME.findall(text[:_MAX_CHARS])
        if len(token) <= _MAX_NAME_CHARS and _IS_NAME.search(token)
    }
