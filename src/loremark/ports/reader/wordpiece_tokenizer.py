"""WordPiece as in BERT, uncased: words and signs, each cut into the longest pieces of the vocabulary."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

_CHARACTERS_PER_TEXT = 16_384
_CHARACTERS_PER_WORD = 100
_WORDS_REMEMBERED = 30_000
_IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


class WordPieceTokenizer:
    """Built from the vocabulary, in the order of the ids."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = {piece: number for number, piece in enumerate(pieces)}
        self._start, self._end, self._unknown = (self._pieces[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        self._cut = lru_cache(_WORDS_REMEMBERED)(self._cut_word)

    def encode_pair(self, first: str, second: str, most_of_first: int, most: int) -> tuple[list[int], list[int]]:
        """Return at most ``most`` token ids of two texts, and 0 or 1 for the text each belongs to.

        A long first text keeps its start and its end.
        """
        head = self._cut_text(first, most_of_first * 8)
        if len(head) > most_of_first:
            head = [*head[: most_of_first // 2], *head[-most_of_first // 2 :]]
        head = [self._start, *head, self._end]
        tail = [*self._cut_text(second, most - len(head) - 1), self._end]
        return [*head, *tail], [0] * len(head) + [1] * len(tail)

    def _cut_text(self, text: str, most: int) -> list[int]:
        found: list[int] = []
        for word in _words(text[:_CHARACTERS_PER_TEXT]):
            found += self._cut(word)
            if len(found) >= most:
                break
        return found[:most]

    def _cut_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _CHARACTERS_PER_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self._pieces.get(word[start:end] if start == 0 else f"##{word[start:end]}")
                if piece is not None:
                    found.append(piece)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(found)


def _words(text: str) -> Iterator[str]:
    """Words without case and accents; each sign and each ideograph is a word of its own."""
    word: list[str] = []
    for letter in text.lower() if text.isascii() else unicodedata.normalize("NFD", text.lower()):
        kind = _kind(letter)
        if kind == "letter":
            word.append(letter)
        elif kind != "mark":
            if word:
                yield "".join(word)
                word = []
            if kind == "sign":
                yield letter
    if word:
        yield "".join(word)


@lru_cache(4_096)
def _kind(letter: str) -> str:
    """``letter``, ``sign``, ``space``, or ``mark`` for what is left out."""
    if letter.isspace():
        return "space"
    category = unicodedata.category(letter)
    if category in ("Mn", "Cc", "Cf") or letter in "\0\ufffd":
        return "mark"
    code = ord(letter)
    is_sign = category[0] == "P" or (code < 128 and not letter.isalnum())
    return "sign" if is_sign or any(low <= code <= high for low, high in _IDEOGRAPHS) else "letter"
