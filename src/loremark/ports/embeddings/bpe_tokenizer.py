"""Byte pair encoding as in GPT-2 and RoBERTa.

A text is split into words (with the preceding space), numbers and runs of symbols. The bytes of each are merged pair by
pair, best-ranked pair first, until no known pair is left.

Special tokens such as ``<mask>`` in a text are treated as plain text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

TOKENS_PER_TEXT = 512
"""The model's context length; the rest of a text is ignored."""

_CHARACTERS_PER_TEXT = 32_768
"""Bounds the cost of huge texts: 512 tokens rarely exceed 4,000 characters."""

_CHARACTERS_PER_WORD = 100
"""Merging is quadratic in the word's length, so longer words are split. No token is this long."""

_WORDS_REMEMBERED = 30_000
_CHARACTERS_REMEMBERED = 10_000

_START, _END = "<s>", "</s>"
_NEVER = 1 << 30

_LETTER, _NUMBER, _SIGN, _WHITE = "a", "0", "!", "\n"
_WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[a-z]+| ?0+| ?[!']+|[ \n]+(?![^ \n])|[ \n]+")
"""Matches text in which each character was replaced by its class; see ``_Kinds``."""


class BpeTokenizer:
    """Built from the vocabulary and the merges in order of rank."""

    def __init__(self, pieces: Mapping[str, int], pairs: Sequence[str]) -> None:
        self._pieces = pieces
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(pairs)}
        self._kinds = _Kinds()
        self._cut = lru_cache(_WORDS_REMEMBERED)(self._cut_word)

    def encode(self, text: str) -> list[int]:
        """Return at most ``TOKENS_PER_TEXT`` token ids, including start and end."""
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
    """Merge each pair of this rank, from the left."""
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
    """Maps each character to a representative of its class, so a simple pattern can split words.

    Lowercase ASCII letters map to themselves, because contractions such as ``'re`` are words of their own. The cache is
    bounded, because texts are untrusted.
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
    """Map printable bytes to themselves and the others to characters from 256 on, as in GPT-2."""
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


_CHARACTER_OF_BYTE = _characters_of_bytes()
