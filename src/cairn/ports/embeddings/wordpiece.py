"""BERT's WordPiece: the numbers of a text's word pieces, as the model has learnt them.

Characters are cleaned one by one (accents and control characters go, capitals become small, punctuation and Han
characters stand alone), words are split at white space, and each word is cut from the left into the longest
pieces that the vocabulary holds.

``[MASK]`` and its like in a text are read as any other text: nobody steers the model with them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

TOKENS_PER_TEXT = 256
"""As many as the model was trained for; what comes after them is not read."""

_CHARACTERS_PER_TEXT = 32_768
"""So that a text of megabytes costs no more than its beginning: 256 tokens are seldom beyond 2,000 characters."""

_CHARACTERS_PER_WORD = 100
_WORDS_REMEMBERED = 30_000
_CHARACTERS_REMEMBERED = 10_000

_HAN = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),  # the gap before it is the reference's own
    (0x2F800, 0x2FA1F),
)
_UNSEEN = ("Cc", "Cf", "Co", "Cs")
"""Control, format, private use, and half characters, which JSON can bring."""


class WordPiece:
    """Built of the vocabulary, a piece for each line; pieces inside a word begin with ``##``."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = {piece: number for number, piece in enumerate(pieces)}
        self._first, self._last = self._pieces["[CLS]"], self._pieces["[SEP]"]
        self._unknown = (self._pieces["[UNK]"],)
        self._characters = _Characters()
        self._cut = lru_cache(_WORDS_REMEMBERED)(self._cut_word)

    def encode(self, text: str) -> list[int]:
        """At most ``TOKENS_PER_TEXT`` numbers, those of beginning and end included."""
        room = TOKENS_PER_TEXT - 1
        found = [self._first]
        for word in text[:_CHARACTERS_PER_TEXT].translate(self._characters).split():
            found += self._cut(word) if len(word) <= _CHARACTERS_PER_WORD else self._unknown
            if len(found) >= room:
                break
        return [*found[:room], self._last]

    def _cut_word(self, word: str) -> tuple[int, ...]:
        """The word's pieces; a word that cannot be cut up wholly is one unknown piece."""
        found: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self._pieces.get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return self._unknown
            found.append(piece)
            start, prefix = end, "##"
        return tuple(found)


class _Characters(dict[int, str]):
    """What each character becomes, found when it is first met. The memory is bounded: texts come from anywhere."""

    def __missing__(self, code: int) -> str:
        becomes = _clean(chr(code))
        if len(self) < _CHARACTERS_REMEMBERED:
            self[code] = becomes
        return becomes


def _clean(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character in "\0\ufffd" or unicodedata.category(character) in _UNSEEN:
        return ""
    if character.isspace():
        return " "
    # Small letters one by one: of a whole word, Python would make another sigma at its end.
    bare = [part for part in unicodedata.normalize("NFD", character) if unicodedata.category(part) != "Mn"]
    cleaned = "".join(f" {part} " if _is_punctuation(part) else part for part in "".join(map(str.lower, bare)))
    return f" {cleaned} " if _is_han(ord(character)) else cleaned


def _is_punctuation(character: str) -> bool:
    """Also ``$``, ``+``, ``<`` and other ASCII symbols, which Unicode does not call so."""
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character).startswith("P")


def _is_han(code: int) -> bool:
    return any(first <= code <= last for first, last in _HAN)
