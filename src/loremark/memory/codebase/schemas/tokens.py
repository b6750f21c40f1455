"""Tokenizer for schema languages: skips comments, marks strings."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_CHARS = 1_000_000
MAX_MODELS = 200
MAX_FIELDS = 40
_MAX_NAME_CHARS = 120
_FARTHEST_LOOK = 4


class Token(NamedTuple):
    text: str
    """A word, a symbol or a string."""
    at: int
    quoted: str = ""
    """The text between quotes."""


_END = Token("", -1)


class Tokens:
    """A token stream with lookahead; returns empty tokens at the end."""

    def __init__(self, content: str, pattern: re.Pattern[str]) -> None:
        """``pattern`` has a group ``string`` and a group ``word``; other matches are dropped."""
        self._content = content[:MAX_CHARS]
        self._tokens = [
            Token(match.group()[:_MAX_NAME_CHARS], match.start())
            if match.lastgroup == "word"
            else Token("'", match.start(), match.group()[: _MAX_NAME_CHARS + 2].strip("\"'`[]"))
            for match in pattern.finditer(self._content)
            if match.lastgroup is not None
        ]
        self._count = len(self._tokens)
        self._tokens += [_END] * (_FARTHEST_LOOK + 1)
        self._next = 0

    @property
    def is_done(self) -> bool:
        return self._next >= self._count

    def peek(self, distance: int = 0) -> str:
        return self._tokens[self._next + distance].text

    def take(self) -> Token:
        token = self._tokens[self._next]
        if self._next < self._count:
            self._next += 1
        return token

    def skip(self, *words: str) -> None:
        """Consumes these keywords if all of them follow, ignoring case."""
        if all(self.peek(at).upper() == word for at, word in enumerate(words)):
            self._next += len(words)

    def line(self, token: Token) -> int:
        return self._content.count("\n", 0, max(token.at, 0)) + 1
