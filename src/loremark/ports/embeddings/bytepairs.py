"""Byte pair encoding as GPT-2 and RoBERTa have it: the numbers of a text's pieces, as the model has learnt them.

A text is cut into words, each with the space before it, into numbers and into runs of signs; the bytes of each are
joined pair by pair, always the pair that the model's list names first, until none of the list is left.

``<mask>`` and its like in a text are read as any other text: nobody steers the model with them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

TOKENS_PER_TEXT = 512
"""As many as the model was trained for; what comes after them is not read."""

_CHARACTERS_PER_TEXT = 32_768
"""So that a text of megabytes costs no more than its beginning: 512 tokens are seldom beyond 4,000 characters."""

_CHARACTERS_PER_WORD = 100
"""Joining pairs grows with the square of a word's length: what is longer is cut. No word of the list is as long."""

_WORDS_REMEMBERED = 30_000
_CHARACTERS_REMEMBERED = 10_000

_START, _END = "<s>", "</s>"
_NEVER = 1 << 30

_LETTER, _NUMBER, _SIGN, _WHITE = "a", "0", "!", "\n"
_WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[a-z]+| ?0+| ?[!']+|[ \n]+(?![^ \n])|[ \n]+")
"""Of a text in which each character was replaced by one of its kind: see ``_Kinds``."""


class BytePairs:
    """Built of the numbers of all pieces and of the pairs that are joined, the first first."""

    def __init__(self, pieces: Mapping[str, int], pairs: Sequence[str]) -> None:
        self._pieces = pieces
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(pairs)}
        self._kinds = _Kinds()
        self._cut = lru_cache(_WORDS_REMEMBERED)(self._cut_word)

    def encode(self, text: str) -> list[int]:
        """At most ``TOKENS_PER_TEXT`` numbers, those of beginning and end included."""
        room = TOKENS_PER_TEXT - 1
        found = [self._pieces[_START]]
        for word in self._words(text[:_CHARACTERS_PER_TEXT]):
            found += self._cut(word)
            if len(found) >= room:
                break
        return [*found[:room], self._pieces[_END]]

    def _words(self, text: str) -> Iterator[str]:
        for match in _WORDS.finditer(text.translate(self._kinds)):
            for start in range(match.start(), match.end(), _CHARACTERS_PER_WORD):
                yield text[start : min(start + _CHARACTERS_PER_WORD, match.end())]

    def _cut_word(self, word: str) -> tuple[int, ...]:
        parts = [_CHARACTER_OF_BYTE[byte] for byte in word.encode("utf-8", "replace")]
        while len(parts) > 1:
            ranks = [self._ranks.get(pair, _NEVER) for pair in pairwise(parts)]
            best = min(ranks)
            if best == _NEVER:
                break
            parts = _joined(parts, ranks, best)
        return tuple(self._pieces[part] for part in parts)


def _joined(parts: list[str], ranks: list[int], best: int) -> list[str]:
    """With each pair of this rank made one, from the left."""
    joined: list[str] = []
    at = 0
    while at < len(parts):
        if at < len(ranks) and ranks[at] == best:
            joined.append(parts[at] + parts[at + 1])
            at += 2
        else:
            joined.append(parts[at])
            at += 1
    return joined


class _Kinds(dict[int, str]):
    """A character of the same kind for each, found when it is first met, so that a plain pattern finds the words.

    Small ASCII letters stand for themselves, for the endings after an apostrophe are words of their own. The memory
    is bounded: texts come from anywhere.
    """

    def __missing__(self, code: int) -> str:
        kind = _kind(chr(code))
        if len(self) < _CHARACTERS_REMEMBERED:
            self[code] = kind
        return kind


def _kind(character: str) -> str:
    if "a" <= character <= "z" or character in "' ":
        return character
    if character.isspace() and character not in "\x1c\x1d\x1e\x1f":
        return _WHITE
    category = unicodedata.category(character)
    return _LETTER if category.startswith("L") else _NUMBER if category.startswith("N") else _SIGN


def _characters_of_bytes() -> list[str]:
    """Printable bytes stand for themselves, the others for characters from 256 on: pieces are text without spaces."""
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


_CHARACTER_OF_BYTE = _characters_of_bytes()
