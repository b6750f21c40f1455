"""Statements in a prompt that say on purpose what to remember: "Decision: …", "we always …", "remember that …"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MAX_STATEMENTS = 10
_STATEMENT_CHARS = 1_000
_TITLE_CHARS = 120
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_STATEMENTS = (
    ("decision", re.compile(r"decision\s?:|we (?:have |'ve )?(?:decided|agreed|chose|settled)\b", re.IGNORECASE)),
    ("convention", re.compile(r"(?:convention|rule)\s?:|we (?:always|never)\b|(?:please )?always\b", re.IGNORECASE)),
    ("note", re.compile(r"(?:please )?(?:remember|note)\b(?: that)?\s?:?", re.IGNORECASE)),
)


def find_statements(prompts: Iterable[str]) -> list[dict[str, str]]:
    """Return the statements as changes of a ``session_save`` event."""
    found: list[dict[str, str]] = []
    for sentence in (one.strip(" \t-*>") for prompt in prompts for one in _SENTENCE.split(prompt)):
        for category, pattern in _STATEMENTS:
            if pattern.match(sentence) and len(found) < _MAX_STATEMENTS and not sentence.endswith("?"):
                statement = sentence[:_STATEMENT_CHARS]
                found.append({"category": category, "title": statement[:_TITLE_CHARS], "content": statement})
                break
    return found
