"""How large a text of the memory is for a model."""

from __future__ import annotations

from loremark.ports.llm import tokens


def count_tokens(text: str) -> int:
    """How much of a model's attention a text costs."""
    return tokens.count(text)
