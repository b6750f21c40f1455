"""N-gram features for the item classifier: words, word pairs, and the first words."""

from __future__ import annotations

import re
from itertools import pairwise

_SEEN_CHARS = 1_000
_NAMED = re.compile(r"`[^`]{0,200}`|\S*/\S+")
_WORD = re.compile(r"⌂|[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[;:→?!(,.]")
_NAME = " ⌂ "
_NUMBER = "#"


def ngram_features(title: str, content: str) -> set[str]:
    """Names and numbers are replaced by placeholders: what is said about them matters, not which they are."""
    found: set[str] = set()
    for place, text in (("t", title), ("c", content)):
        plain = _NAMED.sub(_NAME, text[:_SEEN_CHARS]).lower()
        words = [_NUMBER if word.isdigit() else word for word in _WORD.findall(plain)]
        if not words:
            continue
        found.update(words)
        found.update(map(" ".join, pairwise(words)))
        found.add(f"{place}^{words[0]}")
        found.add(f"{place}^^{' '.join(words[:2])}")
    return found
