"""The sentence a title was cut from, and what a sentence says without its asides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.extraction.titles import MAX_TITLE_CHARS

_WORD = re.compile(r"\w+")
_LEAST_WORDS = 3
_MOST_WORDS = 30
_ASIDE = re.compile(r"\s?(?:\([^()]{0,400}\)|\[[^\[\]]{0,400}\])")
_OPENED = re.compile(r"\s[(\[][^)\]]*$")
# Where a statement ends and something is said about it; a comma or a mere "and" may as well be within it.
_END = re.compile(
    r";\s|\s[—–-]\s|,?\s(?:because|since|so that|in order to|due to|otherwise|unless|whereas|although|and then)\s|"
    r",\s(?:which|who|where|while|so|but|until|when|if|as|for)\s",
    re.IGNORECASE,
)


def is_open(text: str) -> bool:
    """Whether a bracket is opened and not closed."""
    return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]"))


def whole_of(title: str, told: Sequence[str]) -> str | None:
    """The sentence that goes on as the title begins, from there on; None where none does."""
    words = _WORD.findall(title)[:_MOST_WORDS]
    if len(words) < _LEAST_WORDS:
        return None
    form = re.compile(r"\b" + r"\W{1,10}".join(map(re.escape, words)) + r"\w*", re.IGNORECASE)
    return next((sentence[found.start() :] for sentence in told if (found := form.search(sentence))), None)


def goes_on(title: str, whole: str) -> bool:
    """Whether the sentence has words that the title was cut off before."""
    return len(_WORD.findall(whole)) > len(_WORD.findall(title))


def main_of(sentence: str) -> str:
    """What it states, without asides, and no longer than a title; nothing where it cannot be parted so."""
    text = _OPENED.sub("", _ASIDE.sub("", sentence)).strip()
    if len(text) <= MAX_TITLE_CHARS:
        return text
    ends = [found.start() for found in _END.finditer(text) if found.start() <= MAX_TITLE_CHARS]
    return text[: ends[-1]].strip() if ends else ""
