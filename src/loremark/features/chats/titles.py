"""Titles made comparable, so that both engines find the same: whatever the case, the accents and the signs between."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from loremark.base import limits
from loremark.wire.shapes import VISIBLE_TEXT

# A word is a run of letters and digits, or a run of other signs; where a script puts no spaces, one character.
_WORD = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]+|(?:[^\w\s]|_)+"
)
_VISIBLE = re.compile(VISIBLE_TEXT)
_MOST_WORDS = limits.CHAT_TITLE_CHARS


def clean_title(title: str | None) -> str | None:
    """The title as it was given; None for one that shows nothing."""
    return title if title is not None and _VISIBLE.search(title) else None


def _comparable(text: str) -> str:
    """Without case and accents. Twice, because what case folding gives may be composed again."""
    for _ in range(2):
        text = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in text if unicodedata.category(character) != "Mn")


def title_words(title: str) -> str:
    """The words of a title, each after a space: a word begins where a space stands before it."""
    return "".join(f" {word}" for word in dict.fromkeys(_WORD.findall(_comparable(title))))


def wanted_words(search: str) -> list[str] | None:
    """What a title's words must begin with; None where no title could have so many words."""
    words = _longest(_WORD.findall(_comparable(search)))
    return words if len(words) <= _MOST_WORDS else None


def _longest(words: Iterable[str]) -> list[str]:
    """A word that begins another one asks for nothing more."""
    kept: list[str] = []
    for word in sorted(set(words), reverse=True):
        if not kept or not kept[-1].startswith(word):
            kept.append(word)
    return kept
