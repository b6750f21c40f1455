"""Title search that ignores case, accents and punctuation, and works the same on both database engines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from loremark.base import limits
from loremark.base.redaction.redactor import redact
from loremark.wire.shapes import VISIBLE_TEXT

# A word is a run of letters and digits or of other symbols, or one character in scripts without spaces.
_WORD = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]+|(?:[^\w\s]|_)+"
)
_VISIBLE = re.compile(VISIBLE_TEXT)
_MAX_WORDS = limits.CHAT_TITLE_CHARS


def clean_title(title: str | None) -> str | None:
    """Return the title without secrets, or None if it has no visible characters."""
    return redact(title)[0] if title is not None and _VISIBLE.search(title) else None


def _normalize(text: str) -> str:
    """Remove case and accents. Runs twice, because case folding can produce composed characters."""
    for _ in range(2):
        text = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in text if unicodedata.category(character) != "Mn")


def title_words(title: str) -> str:
    """Return the title's words, each preceded by a space to mark its beginning."""
    return "".join(f" {word}" for word in dict.fromkeys(_WORD.findall(_normalize(title))))


def search_words(search: str) -> list[str] | None:
    """Return the required word prefixes, or None if no title can have that many words."""
    words = _drop_prefixes(_WORD.findall(_normalize(search)))
    return words if len(words) <= _MAX_WORDS else None


def _drop_prefixes(words: Iterable[str]) -> list[str]:
    """Drop words that are a prefix of another one."""
    longest: list[str] = []
    for word in sorted(set(words), reverse=True):
        if not longest or not longest[-1].startswith(word):
            longest.append(word)
    return longest
