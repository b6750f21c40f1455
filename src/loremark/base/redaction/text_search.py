"""Finds candidate positions with fast substring search, so regular expressions never scan a whole long text.

A regular expression holds the GIL for the whole call, so each call reads one chunk of the text or a single secret.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing typing takes longer than the rest of this package
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int, str]

PIECE_CHARS = 32_768
# Upper bound for a shape including its lookahead.
_SHAPE_CHARS = 320
# A Cyrillic keyword and its ASCII stand-in, which has the same length and is not a word.
_CYRILLIC, CYRILLIC_SIGN = "пароль", "parolj"


def fold_case(text: str) -> str:
    """Return the text as lowercase ASCII of the same length; other characters become question marks."""
    if text.isascii():
        return "".join(map(str.lower, split_chunks(text)))
    if "п" in text or "П" in text:
        text = "".join(_one_case(piece) for piece in split_chunks(text)).replace(_CYRILLIC, CYRILLIC_SIGN)
    return "".join(_one_case(piece).encode("ascii", "replace").decode("ascii").lower() for piece in split_chunks(text))


def _one_case(piece: str) -> str:
    """Lowercase without changing the length."""
    if not piece.isascii():
        # With IGNORECASE, re matches the long s, the Turkish i's and the Kelvin sign as plain letters.
        for odd, plain in (("\u017f", "s"), ("\u0131", "i"), ("\u0130", "i"), ("\u212a", "k")):
            piece = piece.replace(odd, plain)
    return piece.lower()


def split_chunks(text: str) -> Iterator[str]:
    """Split the text into chunks, for operations on single characters."""
    return (text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS))


def find_all(lower: str, words: Sequence[str]) -> list[int]:
    """Return the sorted positions of all the words."""
    found: list[int] = []
    for word in words:
        at = lower.find(word)
        while at >= 0:
            found.append(at)
            at = lower.find(word, at + 1)
    if len(words) > 1:
        found.sort()
    return found


def shift_back(places: list[int], before: Sequence[int]) -> list[int]:
    """Return the sorted positions that many characters before each place."""
    if len(before) == 1 and not before[0]:
        return places
    return sorted(at - chars for at in places for chars in before if chars <= at)


def find_shape(text: str, shape: re.Pattern[str]) -> list[int]:
    """Return the sorted start positions of a shape, which must be short including its lookahead."""
    return [
        match.start()
        for at in range(0, len(text), PIECE_CHARS)
        for match in shape.finditer(text, at, at + PIECE_CHARS + _SHAPE_CHARS)
        if match.start() < at + PIECE_CHARS
    ]


def find_shape_near(text: str, shape: re.Pattern[str], places: list[int], near: tuple[int, int]) -> list[int]:
    """Return the sorted start positions of a shape within so many characters before and after a place."""
    before, behind = near
    windows: list[tuple[int, int]] = []
    for at in places:
        start, end = max(0, at - before), at + behind
        if windows and start <= windows[-1][1] and end - windows[-1][0] <= PIECE_CHARS:
            start = windows.pop()[0]
        windows.append((start, end))
    return sorted(match.start() for window in windows for match in shape.finditer(text, *window))


def matches(text: str, pattern: re.Pattern[str], places: Sequence[int]) -> Iterator[re.Match[str]]:
    """Yield what ``finditer`` would find, given all positions where a match can start."""
    match, end = pattern.match, 0
    for at in places:
        if at >= end and (found := match(text, at)) is not None:
            end = found.end()
            yield found


def replace_spans(text: str, spans: Sequence[Span]) -> str:
    """Replace each of the sorted spans by its text."""
    kept: list[str] = []
    position = 0
    for start, end, words in spans:
        kept += (text[position:start], words)
        position = end
    kept.append(text[position:])
    return "".join(kept)
