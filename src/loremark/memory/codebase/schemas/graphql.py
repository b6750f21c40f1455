"""Reads types, inputs and interfaces from GraphQL schemas."""

from __future__ import annotations

import re

from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.records import Model
from loremark.memory.codebase.schemas.tokens import MAX_FIELDS, MAX_MODELS, Token, Tokens

_TOKENS = re.compile(
    r"\#[^\n]*+|(?P<string>\"\"\"(?:[^\"\\]|\\.|\\|\"(?!\"\"))*+(?:\"\"\")?|\"(?:[^\"\\\n]|\\.)*+\"?)"
    r"|(?P<word>[^\W\d]\w*+|[{}()\[\]:=|&@!])",
    re.DOTALL,
)
_DEFINITIONS = frozenset(("type", "input", "interface"))
_SCALARS = words("Int Float String Boolean ID DateTime Date Time JSON Upload")


class _Type:
    def __init__(self, at: Token) -> None:
        self.at = at
        self.fields: dict[str, None] = {}
        self.targets: dict[str, None] = {}


def read(content: str) -> tuple[Model, ...]:
    tokens = Tokens(content, _TOKENS)
    found: dict[str, _Type] = {}
    plain: set[str] = set(_SCALARS)
    while not tokens.is_done:
        token = tokens.take()
        sign = token.text
        name = tokens.peek()
        if sign in ("scalar", "enum") and name.isidentifier():
            plain.add(tokens.take().text)
        elif sign in _DEFINITIONS and name.isidentifier() and (name in found or len(found) < MAX_MODELS):
            _read_type(tokens, found.setdefault(tokens.take().text, _Type(token)))
        elif sign == "{":
            _skip(tokens)
    return tuple(
        Model(
            name,
            "schema",
            tokens.line(kind.at),
            tuple(kind.fields)[:MAX_FIELDS],
            tuple(target for target in kind.targets if target not in plain)[:MAX_FIELDS],
        )
        for name, kind in found.items()
    )


def _read_type(tokens: Tokens, kind: _Type) -> None:
    """The interfaces, then the fields, skipping arguments and directives."""
    if tokens.peek() == "implements":
        tokens.take()
        while tokens.peek() == "&" or (tokens.peek().isidentifier() and tokens.peek() not in _DEFINITIONS):
            token = tokens.take()
            if token.text != "&":
                kind.targets[token.text] = None
    while tokens.peek() == "@":
        tokens.take()
        tokens.take()
        if tokens.peek() == "(":
            tokens.take()
            _skip(tokens)
    if tokens.peek() != "{":
        return
    tokens.take()
    name = ""
    while not tokens.is_done:
        token = tokens.take()
        sign = token.text
        if sign == "}":
            return
        if sign == "(":
            _skip(tokens)
        elif sign == "@":
            tokens.take()
        elif sign == ":" and name:
            kind.fields[name] = None
            while tokens.peek() == "[":
                tokens.take()
            if tokens.peek().isidentifier():
                kind.targets[tokens.take().text] = None
            name = ""
        elif sign.isidentifier():
            name = sign


def _skip(tokens: Tokens) -> None:
    """Skips to the end of the brackets just opened."""
    depth = 1
    while depth and not tokens.is_done:
        sign = tokens.take().text
        depth += (sign in ("(", "{")) - (sign in (")", "}"))
