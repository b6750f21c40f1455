"""Reads Prisma models with their fields and relations."""

from __future__ import annotations

import re

from loremark.memory.codebase.records import Model
from loremark.memory.codebase.schemas.tokens import MAX_FIELDS, MAX_MODELS, Tokens

_TOKENS = re.compile(r"//[^\n]*+|(?P<string>\"(?:[^\"\\\n]|\\.)*+\"?)|(?P<word>[^\W\d]\w*+|@+[\w.]*+|[{}()\n])")
_BLOCKS = frozenset(("model", "view", "type"))


def read(content: str) -> tuple[Model, ...]:
    tokens = Tokens(content, _TOKENS)
    found: dict[str, tuple[int, dict[str, str]]] = {}
    while not tokens.is_done and len(found) < MAX_MODELS:
        keyword = tokens.take()
        if keyword.text in _BLOCKS and tokens.peek().isidentifier() and tokens.peek(1) == "{":
            name = tokens.take().text
            tokens.take()
            found.setdefault(name, (tokens.line(keyword), _read_fields(tokens)))
        elif keyword.text == "{":
            _read_fields(tokens)
    return tuple(
        Model(
            name,
            "orm",
            line,
            tuple(types)[:MAX_FIELDS],
            tuple(dict.fromkeys(kind for kind in types.values() if kind in found))[:MAX_FIELDS],
        )
        for name, (line, types) in found.items()
    )


def _read_fields(tokens: Tokens) -> dict[str, str]:
    """Names and types up to the end of the block; a line is a field if it starts with two words."""
    types: dict[str, str] = {}
    is_first = True
    while not tokens.is_done:
        word = tokens.take().text
        if word == "}":
            break
        if is_first and word.isidentifier() and tokens.peek().isidentifier():
            types.setdefault(word, tokens.take().text)
        is_first = word == "\n"
    return types
