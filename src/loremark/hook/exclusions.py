"""Paths that a project leaves out of capture, given as patterns like those in ``.gitignore``.

A pattern with a slash at its start or middle is relative to the folder, any other matches at every level. A slash at
the end matches folders only. ``*`` and ``?`` stay within a name, ``**`` stands for any number of folders. Everything
below an excluded folder is excluded. There is no ``!``.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from loremark.base.redaction.lazy_pattern import lazy_pattern

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_ANY = "**"
# Where a path can start or end in a command line: blanks, quotes, operators, and before option values.
_SEPARATORS = lazy_pattern(r"[\s'\"`;|&<>()\[\]{},=:@$]+")
_QUOTED = lazy_pattern(r"\"([^\"]*)\"|'([^']*)'")


class Exclusions:
    """The patterns of one folder."""

    def __init__(self, folder: str, patterns: Iterable[str]) -> None:
        self._folder = folder
        self._patterns = [segments for pattern in patterns if (segments := _parse(pattern))]

    @property
    def is_empty(self) -> bool:
        return not self._patterns

    def covers(self, path: str) -> bool:
        """Return whether this absolute, normalized path is excluded."""
        names = self._names(path)
        return bool(names) and any(_matches(pattern, names) for pattern in self._patterns)

    def mentioned_in(self, text: str, folders: Sequence[str]) -> bool:
        """Return whether a word of the text is an excluded path, relative to one of these folders, or such a folder."""
        if not self._patterns:
            return False
        for word in dict.fromkeys(_words(text)):
            for folder in folders:
                path = os.path.normpath(os.path.join(folder, word))
                if self.covers(path) or (self._names(path) and self.covers(os.path.join(path, "_"))):
                    return True
        return False

    def _names(self, path: str) -> list[str]:
        """Return the names of a path below the folder; none if it is the folder itself or outside."""
        inside = path.startswith(self._folder.rstrip(os.sep) + os.sep)
        return path[len(self._folder.rstrip(os.sep)) + 1 :].split(os.sep) if inside else []


def _parse(pattern: str) -> list[str]:
    """Return the pattern's segments so that they match whole paths, or none for an empty pattern."""
    text = pattern.strip()
    names = [name for name in text.split("/") if name not in ("", ".")]
    if not names:
        return []
    is_anchored = "/" in text.rstrip("/")
    below = ["*", _ANY] if text.endswith("/") else [_ANY]
    return [*([] if is_anchored else [_ANY]), *names, *below]


def _matches(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Match segment by segment. After a mismatch only the last ``**`` is extended, so the time is bounded."""
    at = place = 0
    resume: tuple[int, int] | None = None
    while place < len(names):
        if at < len(pattern) and pattern[at] == _ANY:
            resume = (at, place)
            at += 1
        elif at < len(pattern) and fnmatchcase(names[place], pattern[at]):
            at, place = at + 1, place + 1
        elif resume is not None:
            resume = (resume[0], resume[1] + 1)
            at, place = resume[0] + 1, resume[1]
        else:
            return False
    return all(segment == _ANY for segment in pattern[at:])


def _words(text: str) -> Iterator[str]:
    """Yield everything in a command line that may be a path."""
    yield from (word for word in _SEPARATORS.split(text) if word)
    for double, single in _QUOTED.findall(text):
        yield double or single
    if "\\ " in text:
        yield from (word.replace("\0", " ") for word in _SEPARATORS.split(text.replace("\\ ", "\0")) if "\0" in word)
