"""Finds the sentence a title was cut from, and the main clause of a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.extraction.titles import MAX_TITLE_CHARS

_WORD = re.compile(r"\w+")
_MIN_WORDS = 3
_MAX_WORDS = 30
_ASIDE = re.compile(r"\s?(?:\([^()]{0,400}\)|\[[^\[\]]{0,400}\])")
_OPENED = re.compile(r"\s[(\[][^)\]]*$")
# Where a statement ends and a subordinate clause starts; a comma or "and" alone may be within it.
_END = re.compile(
    r";\s|\s[—–-]\s|,?\s(?:because|since|so that|in order to|due to|otherwise|unless|whereas|although|and then)\s|"
    r",\s(?:which|who|where|while|so|but|until|when|if|as|for)\s",
    re.IGNORECASE,
)


def is_open(text: str) -> bool:
    """Whether a bracket is opened and not closed."""
    return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]"))


def find_full_sentence(title: str, sentences: Sequence[str]) -> str | None:
    """The sentence that continues the title, from there on; None if there is none."""
    words = _WORD.findall(title)[:_MAX_WORDS]
    if len(words) < _MIN_WORDS:
        return None
    form = re.compile(r"\b" + r"\W{1,10}".join(map(re.escape, words)) + r"\w*", re.IGNORECASE)
    return next((sentence[found.start() :] for sentence in sentences if (found := form.search(sentence))), None)


def continues(title: str, whole: str) -> bool:
    """Whether the sentence has words beyond the title."""
    return len(_WORD.findall(whole)) > len(_WORD.findall(title))


def main_clause(sentence: str) -> str:
    """The statement without asides, at most as long as a title; empty if it cannot be shortened."""
    text = _OPENED.sub("", _ASIDE.sub("", sentence)).strip()
    if len(text) <= MAX_TITLE_CHARS:
        return text
    ends = [found.start() for found in _END.finditer(text) if found.start() <= MAX_TITLE_CHARS]
    return text[: ends[-1]].strip() if ends else ""
