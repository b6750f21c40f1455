"""Regular expressions that run only on texts containing a required word, which most texts do not."""

from __future__ import annotations

import re

# Characters that match a plain letter when a pattern ignores case.
_LOOKALIKES = str.maketrans("ſıİ", "sii")


def fold_case(text: str) -> str:
    """Lowercase a text the way a case-insensitive pattern sees it."""
    return text.lower() if text.isascii() else text.translate(_LOOKALIKES).lower()


class PrefilteredPattern:
    """A case-insensitive pattern, and words separated by ``|`` of which every match contains at least one.

    Checking for the words costs about a hundredth of the search.
    """

    __slots__ = ("_required", "pattern")

    def __init__(self, required: str, pattern: str) -> None:
        self._required = tuple(required.split("|"))
        self.pattern = re.compile(pattern, re.IGNORECASE)

    def may_match(self, folded: str) -> bool:
        """``folded`` is the text after ``fold_case``."""
        for word in self._required:  # noqa: SIM110 - any() takes twice as long
            if word in folded:
                return True
        return False

    def matches(self, text: str, folded: str) -> bool:
        """``folded`` is the same text after ``fold_case``."""
        return self.may_match(folded) and self.pattern.search(text) is not None

    def substitute(self, replacement: str, text: str, folded: str) -> tuple[str, str]:
        """Replace all matches; return the text and its folded form."""
        if self.may_match(folded):
            text, count = self.pattern.subn(replacement, text)
            return text, fold_case(text) if count else folded
        return text, folded
