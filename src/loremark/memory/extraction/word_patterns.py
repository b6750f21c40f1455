"""Word sets, content words and case-insensitive patterns."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z0-9]+")
_CONTINUED = re.compile(r"\\\n\s*")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_CAPITALS = re.compile(r"\\.|[A-Z]+", re.DOTALL)


def words_from(text: str) -> frozenset[str]:
    """A set of whitespace-separated words."""
    return frozenset(text.split())


_STOP = words_from(
    """
    a about after all also an and any are as at be because been before but by can could did do does done for from had
    has have how i if in into is it its just make may more most must need new no not now of on one only or our out
    over own per same should since so some still such than that the their them then there these they this those
    through to too under up us use used using very via was we were what when where which while who why will with
    within would you your
    """
)


def content_terms(text: str) -> frozenset[str]:
    """The content words, lowercased and without common endings."""
    found = set(_WORD.findall(text[:20_000].lower())) - _STOP
    return frozenset(_ENDING.sub("", word) if len(word) > 4 else word for word in found)


def coverage(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of ``part`` contained in ``whole``; an empty part is fully covered."""
    return len(part & whole) / len(part) if part else 1.0


class CaseInsensitivePattern:
    """A pattern that ignores case by matching lowercase against lowercase; matches are lowercase too.

    Faster than ``re.IGNORECASE`` for many alternatives: the engine can skip them by their first letter.
    """

    __slots__ = ("pattern",)

    def __init__(self, pattern: str) -> None:
        self.pattern = re.compile(
            _CAPITALS.sub(lambda found: found[0] if found[0][0] == "\\" else found[0].lower(), pattern)
        )

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self.pattern.search(text.lower(), start)

    def match(self, text: str) -> re.Match[str] | None:
        return self.pattern.match(text.lower())

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.pattern.fullmatch(text.lower())

    def findall(self, text: str) -> list[str]:
        return self.pattern.findall(text.lower())


def compile_phrases(lines: str, *, start: bool = False) -> CaseInsensitivePattern:
    """Compile one pattern from many lines, each an alternative. A trailing backslash continues a line."""
    whole = _CONTINUED.sub("", lines.strip())
    alternatives = "|".join(line.strip() for line in whole.splitlines())
    before = r"^\W{0,4}" if start else r"(?<!\w)(?=[\w,`])"
    return CaseInsensitivePattern(f"{before}(?:{alternatives})(?!\\w)")
