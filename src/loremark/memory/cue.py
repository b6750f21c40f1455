"""Patterns that are looked for only where they can be: a text that lacks their words is not searched."""

from __future__ import annotations

import re

# Letters that a pattern takes for a plain one when it does not look at case.
_LOOKALIKES = str.maketrans("ſıİ", "sii")


def small_letters(text: str) -> str:
    """The text as a pattern sees it that does not look at case."""
    return text.lower() if text.isascii() else text.translate(_LOOKALIKES).lower()


class Cue:
    """A pattern without case, and what every text holds that it matches: one of these, apart by bars.

    Most texts hold none of it, and to see that costs a hundredth of the search.
    """

    __slots__ = ("_holds", "pattern")

    def __init__(self, holds: str, pattern: str) -> None:
        self._holds = tuple(holds.split("|"))
        self.pattern = re.compile(pattern, re.IGNORECASE)

    def may_be_in(self, seen: str) -> bool:
        """``seen``: a text in small letters."""
        for word in self._holds:  # noqa: SIM110 - any() takes twice as long
            if word in seen:
                return True
        return False

    def is_in(self, text: str, seen: str) -> bool:
        """``seen``: the same text in small letters."""
        return self.may_be_in(seen) and self.pattern.search(text) is not None

    def put(self, into: str, text: str, seen: str) -> tuple[str, str]:
        """The text with something else where the pattern is, and that text in small letters."""
        if self.may_be_in(seen):
            text, times = self.pattern.subn(into, text)
            return text, small_letters(text) if times else seen
        return text, seen
