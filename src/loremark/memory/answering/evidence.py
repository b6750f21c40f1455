"""What a question and a passage have in common, word by word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.answering.phrasing import plain_word
from loremark.memory.vocabulary import STOP

_LONGEST = 12_000
_ASKING_TEXT = """
what when where which who whom whose why how did does do is are was were has have had can could would should tell show
find give me explain describe please know happen happened s t re ve ll d m don didn doesn isn wasn aren weren hasn haven
dont didnt doesnt isnt wasnt arent cant couldnt wont whats theres
"""
_STOPPED = STOP | frozenset(_ASKING_TEXT.split())
_TOKENS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
# Letters and digits that name one thing: with a hyphen, with three digits, or written in capitals.
_CODE = re.compile(
    r"\b(?:[A-Za-z]{1,10}(?:-[A-Za-z]{1,10}){0,2}-[A-Za-z]?\d+|[A-Za-z]{1,10}\d{3,}|\d*[A-Z]{1,6}\d{2,})\w*"
)
_WORD_AND_NUMBER = re.compile(r"\b([A-Za-z]{1,10})[ #-](\d{3,6})\b")
_NAME = re.compile(r"[^\W_]+(?:[_./:#@+-]+[^\W_]+)*")
_IS_NAME = re.compile(r"[_/]|\w\.\w|::|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{2}")
_LONGEST_NAME = 120
_JOINTS = re.compile(r"[^a-z0-9]")
_START = 5
_ENDING = 4
_CHANGED = 2


@dataclass(frozen=True, slots=True)
class Bag:
    """The words of a text, and where to look for those that begin alike."""

    words: frozenset[str]
    starts: Mapping[str, tuple[str, ...]]

    def __contains__(self, word: str) -> bool:
        """Also in another form: two long words that differ only in their endings are one."""
        return word in self.words or (
            len(word) >= _START and any(_alike(word, other) for other in self.starts.get(word[:_START], ()))
        )


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return same >= len(short) - _CHANGED and (same == len(short) > _START or len(long) - len(short) <= _ENDING)


@lru_cache(maxsize=1024)
def bag_of(text: str) -> Bag:
    """The words that carry meaning, each in the one form that stands for its synonyms."""
    words = frozenset(words_in(text))
    starts: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if len(word) >= _START and not word.isdigit():
            starts[word[:_START]].append(word)
    return Bag(words, {start: tuple(found) for start, found in starts.items()})


def words_in(text: str, besides: frozenset[str] = frozenset()) -> Iterable[str]:
    """In order, as they are compared; without those that say nothing, and others ``besides``."""
    for token in _TOKENS.findall(text[:_LONGEST]):
        word = token.lower()
        if word not in _STOPPED and word not in besides and (len(word) > 1 or word.isdigit()):
            yield plain_word(word)


def share_of(words: Mapping[str, float], bag: Bag) -> float:
    """How much of the words' weight the bag holds; of none it holds nothing."""
    whole = sum(words.values())
    return sum(weight for word, weight in words.items() if word in bag) / whole if whole else 0.0


@lru_cache(maxsize=1024)
def codes_in(text: str) -> frozenset[str]:
    """Names such as error codes, without their joints: another number is another thing."""
    return frozenset(_JOINTS.sub("", code.lower()) for code in _CODE.findall(text[:_LONGEST]))


def only_name(question: str) -> frozenset[str]:
    """An identifier that is the whole question, without its joints: nothing else can be meant."""
    text = question.strip().rstrip("?!.")
    is_one = len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) and _IS_NAME.search(text)
    return frozenset({_JOINTS.sub("", text.lower())} - {""}) if is_one else frozenset()


@lru_cache(maxsize=1024)
def joined_names(text: str) -> frozenset[str]:
    """The identifiers of a text, without their joints."""
    return frozenset(_JOINTS.sub("", name) for name in names_in(text))


def loose_codes(question: str) -> frozenset[str]:
    """A word and a number, such as "lab 1102": it may be a code, which only memory can tell."""
    return frozenset(f"{word}{number}".lower() for word, number in _WORD_AND_NUMBER.findall(question[:_LONGEST]))


def names_code(code: str, codes: Iterable[str]) -> bool:
    """E31 is meant by CLM-E31."""
    return any(known == code or known.endswith(code) for known in codes)


def names_in(text: str) -> set[str]:
    """Identifiers, paths and short forms as they stand, in small letters."""
    return {
        token.lower()
        for token in _NAME.findall(text[:_LONGEST])
        if len(token) <= _LONGEST_NAME and _IS_NAME.search(token)
    }
