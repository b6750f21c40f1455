"""Normalizes words for comparison: stemmed, synonyms unified, identifiers split into their parts."""

from __future__ import annotations

import re
from functools import lru_cache

from loremark.memory.exclusive_terms import EXCLUSIVE_TERMS
from loremark.memory.vocabulary import STOP, SYNONYMS

_PARTS = re.compile(r"[A-Z]{2,}s\b|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENDINGS = (("ies", "y", 5), ("sses", "ss", 6), ("tions", "t", 9), ("tion", "t", 8), ("ing", "", 6), ("ed", "", 5))


def stem(word: str) -> str:
    """A rough stem: most forms of a word share it."""
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending, instead, shortest in _ENDINGS:
        if word.endswith(ending) and len(word) >= shortest:
            cut = word[: -len(ending)] + instead
            return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "lsz" else cut.rstrip("e")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.rstrip("e") if len(word) > 3 else word


@lru_cache(maxsize=8192)
def canonical(word: str) -> str:
    """The word that represents all forms and synonyms of this one."""
    if word in SYNONYMS:
        return SYNONYMS[word]
    root = stem(word)
    return SYNONYMS.get(root, root)


def identifier_words(name: str) -> list[str]:
    """Split an identifier into words, so ``retry_policy`` matches "the retry policy"."""
    lower = name.lower()
    parts = _PARTS.findall(name)
    if len(parts) < 2 or lower in EXCLUSIVE_TERMS:
        return [canonical(lower)]
    return [canonical(part.lower()) for part in parts if part.lower() not in STOP and len(part) > 1] or [
        canonical(lower)
    ]


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared words divided by all words."""
    return len(a & b) / len(a | b) if a or b else 1.0


def overlap_coefficient(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared words divided by the words of the smaller set."""
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
