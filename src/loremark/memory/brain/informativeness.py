"""Estimates how much a text says: beyond its title, with reasons, names and numbers."""

from __future__ import annotations

import re

from loremark.memory.brain.entries import MIN_INFORMATIVENESS, Text

_READ_CHARS = 500
"""The beginning of a text is representative, and for some texts no more is loaded."""
_MAX_BYTES = 200
"""About thirty new words; more adds little. Counted in bytes, since not all languages use spaces."""
_TITLE_BYTES = 40
_TITLE_WEIGHT = 0.5
"""A long title says something too, if less than a text that adds to it."""
_WORDS_WEIGHT = 1.0
_REASON_WEIGHT = 0.12
_MAX_REASONS = 2
_NAME_WEIGHT = 0.12
_NUMBER_WEIGHT = 0.12

_NAME = re.compile(r"[a-z][A-Z]")
_NUMBER = re.compile(r"[\s(]\d")
"""Neither an issue number nor a version at the end of a name."""
_REASONS = {
    *("because", "since", "otherwise", "instead", "rather", "unless", "until", "previously", "therefore", "so"),
    *("avoid", "avoids", "avoiding", "prevent", "prevents", "causes", "caused", "causing", "without"),
    *("never", "always", "must", "only", "cannot"),
    *("weil", "sonst", "statt", "damit", "nie", "immer", "muss", "nur"),
    *("parce", "sinon", "plutôt", "jamais", "toujours", "porque", "sino", "nunca", "siempre"),
}
_EDGES = ".,:;!?()[]\"'`*…。，、 \n"
# Separators between words, except those within links and names.
_SPACED = str.maketrans(dict.fromkeys(',;!?()[]"`*…。，、', " "))


def repeats_title(title: str, content: str) -> bool:
    """Whether a text only repeats its title, ignoring the case of the first letter and surrounding punctuation."""
    return len(content) <= len(title) + len(_EDGES) and _bare(content) == _bare(title)


def _bare(text: str) -> str:
    text = " ".join(text.split()).strip(_EDGES)
    return text[:1].lower() + text[1:]


def informativeness(text: Text) -> float:
    """From 0.4, for text that only repeats a short title, to 1.88. Repeated words count once."""
    title = text.title.strip(_EDGES).lower()
    beginning = text.content[:_READ_CHARS]
    # Remove the whole title first: without spaces it forms one word with what follows.
    rest = beginning.lower().replace(title, " ", 1) if title else beginning.lower()
    known = set(title.translate(_SPACED).split())
    new = set(rest.translate(_SPACED).split()) - known
    if "://" in rest:
        new = {word for word in new if "//" not in word}
    amount = _bytes("".join(new)) + _TITLE_WEIGHT * max(0, _bytes(title) - _TITLE_BYTES)
    value = MIN_INFORMATIVENESS + _WORDS_WEIGHT * min(1.0, amount / _MAX_BYTES)
    value += _REASON_WEIGHT * min(_MAX_REASONS, len(_REASONS & new) + len(_REASONS & known))
    if "_" in beginning or "`" in beginning or "()" in beginning or _NAME.search(beginning) is not None:
        value += _NAME_WEIGHT
    if _NUMBER.search(beginning) is not None:
        value += _NUMBER_WEIGHT
    return value


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))
