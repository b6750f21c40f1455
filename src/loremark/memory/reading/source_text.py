"""Checks a claim against the words of a session: quotes, numbers and paths."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from loremark.memory.extraction.facts import cut_quote
from loremark.memory.paths import find_paths, parse_diff, parse_file_field
from loremark.memory.reading.transcript import Passage

_QUOTE_LEAST_CHARS = 4
_QUOTE_WORDS = 80
_NUMBER = re.compile(r"\d+(?:[.,:]\d+){0,6}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_LIST_MARK = re.compile(r"^[ \t]{0,20}\d{1,2}[.)][ \t]", re.MULTILINE)
_WORD = re.compile(r"\S+")


class _Spaced:
    """A text with whitespace collapsed, and a mapping back to the original."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.starts: list[int] = []
        self.places: list[int] = []
        words = []
        place = 0
        for found in _WORD.finditer(source):
            self.starts.append(found.start())
            self.places.append(place)
            words.append(found.group())
            place += len(found.group()) + 1
        self.text = " ".join(words)

    def find(self, words: str) -> str | None:
        place = self.text.find(words)
        return None if place < 0 else self.source[self._origin(place) : self._origin(place + len(words) - 1) + 1]

    def _origin(self, place: int) -> int:
        word = bisect_right(self.places, place) - 1
        return self.starts[word] + place - self.places[word]


class SourceText:
    """The words of a session, for checking what a model says about it."""

    def __init__(self, passages: Sequence[Passage], known: Iterable[str] = (), roots: tuple[str, ...] = ()) -> None:
        """``known``: texts of memory that the model was shown. A new rule may repeat what they say."""
        self._spaced = [(passage, _Spaced(passage.text)) for passage in passages]
        texts = [passage.text for passage in passages] + list(known)
        self._roots = roots
        self._numbers = frozenset(number for text in texts for number in _numbers(text))
        self._paths = frozenset(path for text in texts for path in self._paths_in(text))
        self._words = "\n".join(texts)

    def _paths_in(self, text: str) -> Iterable[str]:
        yield from find_paths(text, self._roots)
        if len(text) < 300 and (named := parse_file_field(text, self._roots)) is not None:
            yield named
        if "--- " in text:
            yield from (file.path for file in parse_diff(text))

    def find_quote(self, claimed: str, turn: int | None) -> tuple[Passage, str] | None:
        """Return the passage and its own words for a quote that differs at most in whitespace, or None.

        Models miscount passages, so the named one only comes first.
        """
        words = claimed.split()[:_QUOTE_WORDS]
        if sum(map(len, words)) < _QUOTE_LEAST_CHARS:
            return None
        for passage, text in sorted(self._spaced, key=lambda one: one[0].number != turn):
            if (own := text.find(" ".join(words))) is not None:
                return passage, cut_quote(own)
        return None

    def invented(self, claim: str) -> str | None:
        """Return a number or path of the claim that the session does not contain, or None."""
        for number in _numbers(_LIST_MARK.sub("", claim)):
            if len(number) > 1 and number not in self._numbers:
                return number
        return next((path for path in find_paths(claim, self._roots) if not self.has_path(path)), None)

    def has_path(self, path: str) -> bool:
        """Whether the session names this path, or a longer one that ends with it."""
        return path in self._paths or path in self._words or any(known.endswith("/" + path) for known in self._paths)


def _numbers(words: str) -> Iterable[str]:
    return (found.rstrip(".,:") for found in _NUMBER.findall(_THOUSANDS.sub("", words)))
