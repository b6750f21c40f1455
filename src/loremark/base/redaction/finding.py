"""Where a form may begin: short words of it are looked up first, so that no expression reads a long text whole.

A call into an expression keeps every other thread waiting. Here one reads a piece of a text, or a single secret.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # not from typing, which takes longer to load than all that is here
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int, str]

PIECE_CHARS = 32_768
# A shape and what it looks at behind itself are never longer.
_SHAPE_CHARS = 320
# A word of another script, and what stands for it where all is ASCII: as long, and no word.
_CYRILLIC, CYRILLIC_SIGN = "пароль", "parolj"


def folded(text: str) -> str:
    """The text in lower case and ASCII, letter for letter; what is neither is a question mark."""
    if text.isascii():
        return "".join(map(str.lower, pieces_of(text)))
    if "п" in text or "П" in text:
        text = "".join(_one_case(piece) for piece in pieces_of(text)).replace(_CYRILLIC, CYRILLIC_SIGN)
    return "".join(_one_case(piece).encode("ascii", "replace").decode("ascii").lower() for piece in pieces_of(text))


def _one_case(piece: str) -> str:
    """Lower case, in which no letter becomes two."""
    if not piece.isascii():
        # A pattern that ignores case takes the long s, the odd letters i and the sign of Kelvin for the plain ones.
        for odd, plain in (("\u017f", "s"), ("\u0131", "i"), ("\u0130", "i"), ("\u212a", "k")):
            piece = piece.replace(odd, plain)
    return piece.lower()


def pieces_of(text: str) -> Iterator[str]:
    """The text in parts of a size, for what looks at each letter alone."""
    return (text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS))


def places_of(lower: str, words: Sequence[str]) -> list[int]:
    """Where one of the words stands, in order."""
    found: list[int] = []
    for word in words:
        at = lower.find(word)
        while at >= 0:
            found.append(at)
            at = lower.find(word, at + 1)
    if len(words) > 1:
        found.sort()
    return found


def starts(places: list[int], before: Sequence[int]) -> list[int]:
    """So many letters before each place, in order."""
    if len(before) == 1 and not before[0]:
        return places
    return sorted(at - chars for at in places for chars in before if chars <= at)


def shaped(text: str, shape: re.Pattern[str]) -> list[int]:
    """Where a shape begins, in order: all its letters and those it looks at are few."""
    return [
        match.start()
        for at in range(0, len(text), PIECE_CHARS)
        for match in shape.finditer(text, at, at + PIECE_CHARS + _SHAPE_CHARS)
        if match.start() < at + PIECE_CHARS
    ]


def shaped_near(text: str, shape: re.Pattern[str], places: list[int], near: tuple[int, int]) -> list[int]:
    """Where a shape begins, in order, that stands so many letters before and behind a place."""
    before, behind = near
    windows: list[tuple[int, int]] = []
    for at in places:
        start, end = max(0, at - before), at + behind
        if windows and start <= windows[-1][1] and end - windows[-1][0] <= PIECE_CHARS:
            start = windows.pop()[0]
        windows.append((start, end))
    return sorted(match.start() for window in windows for match in shape.finditer(text, *window))


def matches(text: str, pattern: re.Pattern[str], places: Sequence[int]) -> Iterator[re.Match[str]]:
    """What a search for the pattern would find, where every beginning is among the places."""
    match, end = pattern.match, 0
    for at in places:
        if at >= end and (found := match(text, at)) is not None:
            end = found.end()
            yield found


def put(text: str, spans: Sequence[Span]) -> str:
    """The text with each span, in order, replaced by its words."""
    kept: list[str] = []
    position = 0
    for start, end, words in spans:
        kept += (text[position:start], words)
        position = end
    kept.append(text[position:])
    return "".join(kept)
