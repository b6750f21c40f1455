"""A light English stemmer: forms of one word share a stem, different words rarely do."""

from __future__ import annotations

from functools import lru_cache

_VOWELS = frozenset("aeiouy")
_LONG_ENDINGS = (
    ("ization", "iz"),
    ("isation", "iz"),
    ("ation", "at"),
    ("tion", "t"),
    ("ement", ""),
    ("ment", ""),
    ("ness", ""),
    ("ly", ""),
)
_SHORTEST_ROOT = 4


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lowercase English word; other words are returned unchanged."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    word = _without_time(_without_number(word))
    for ending, instead in _LONG_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            word = word[: -len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == "y" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _without_number(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    return word[:-1] if word[-1] == "s" and not word.endswith(("ss", "us", "is")) else word


def _without_time(word: str) -> str:
    for ending in ("ing", "ed"):
        left = word[: -len(ending)]
        if word.endswith(ending) and len(left) >= 3 and not _VOWELS.isdisjoint(left):
            doubled = len(left) > 3 and left[-1] == left[-2] and left[-1] not in "lsz"
            return left[:-1] if doubled else left
    return word
