"""How much a text tells: what it says beyond its title, why, and of what by name."""

from __future__ import annotations

import re

from loremark.memory.brain.entries import LEAST_TOLD, Text

_READ_CHARS = 500
"""A text is known by its beginning; of some no more is read."""
_ENOUGH_BYTES = 200
"""So many bytes of new words, some thirty words, and more would hardly add to it. Bytes, for not all put spaces."""
_TITLE_BYTES = 40
_OF_TITLE = 0.5
"""What a title is longer than titles are tells something too, if less than a text that adds to it."""
_OF_WORDS = 1.0
_OF_REASON = 0.12
_MOST_REASONS = 2
_OF_NAME = 0.12
_OF_FIGURE = 0.12

_NAME = re.compile(r"[a-z][A-Z]")
_FIGURE = re.compile(r"[\s(]\d")
"""Neither the number of an issue nor the version at the end of a name."""
_REASONS = {
    *("because", "since", "otherwise", "instead", "rather", "unless", "until", "previously", "therefore", "so"),
    *("avoid", "avoids", "avoiding", "prevent", "prevents", "causes", "caused", "causing", "without"),
    *("never", "always", "must", "only", "cannot"),
    *("weil", "sonst", "statt", "damit", "nie", "immer", "muss", "nur"),
    *("parce", "sinon", "plutôt", "jamais", "toujours", "porque", "sino", "nunca", "siempre"),
}
_EDGES = ".,:;!?()[]\"'`*…。，、 \n"
# What stands between words, but for what stands within links and names.
_SPACED = str.maketrans(dict.fromkeys(',;!?()[]"`*…。，、', " "))


def repeats(title: str, content: str) -> bool:
    """Whether a text is its title once more, but for the first letter's case and what stands at the edges."""
    return len(content) <= len(title) + len(_EDGES) and _bare(content) == _bare(title)


def _bare(text: str) -> str:
    text = " ".join(text.split()).strip(_EDGES)
    return text[:1].lower() + text[1:]


def tells(text: Text) -> float:
    """From 0.4, for what only repeats a short title, to 1.88. Words that come again are not new."""
    title = text.title.strip(_EDGES).lower()
    beginning = text.content[:_READ_CHARS]
    # The title as a whole first: where no spaces stand between words it is one word with what follows it.
    rest = beginning.lower().replace(title, " ", 1) if title else beginning.lower()
    known = set(title.translate(_SPACED).split())
    new = set(rest.translate(_SPACED).split()) - known
    if "://" in rest:
        new = {word for word in new if "//" not in word}
    amount = _bytes("".join(new)) + _OF_TITLE * max(0, _bytes(title) - _TITLE_BYTES)
    value = LEAST_TOLD + _OF_WORDS * min(1.0, amount / _ENOUGH_BYTES)
    value += _OF_REASON * min(_MOST_REASONS, len(_REASONS & new) + len(_REASONS & known))
    if "_" in beginning or "`" in beginning or "()" in beginning or _NAME.search(beginning) is not None:
        value += _OF_NAME
    if _FIGURE.search(beginning) is not None:
        value += _OF_FIGURE
    return value


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))
