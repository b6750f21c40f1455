"""Token counts of stored texts."""

from __future__ import annotations

from loremark.ports.llm import tokens


def count_tokens(text: str) -> int:
    """Return the number of tokens in a text."""
    return tokens.count(text)
