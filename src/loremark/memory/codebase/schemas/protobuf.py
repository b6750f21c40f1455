"""Reads Protocol Buffers messages and services."""

from __future__ import annotations

import re

from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.records import Model
from loremark.memory.codebase.schemas.tokens import MAX_FIELDS, MAX_MODELS, Token, Tokens

_TOKENS = re.compile(
    r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?)"
    r"|(?P<word>\.?[^\W\d]\w*+(?:\.\w++)*+|[{}<>;=,()\[\]])"
)
_SCALARS = words(
    "double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes"
)
_MODIFIERS = frozenset(("repeated", "optional", "required"))


class _Block:
    """An open pair of braces; its fields belong to the enclosing message."""

    def __init__(self, name: str, at: Token, kind: str) -> None:
        self.name, self.at, self.kind = name, at, kind
        self.fields: list[str] = []
        self.targets: list[str] = []


def read(content: str) -> tuple[Model, ...]:
    tokens = Tokens(content, _TOKENS)
    stack: list[_Block] = []
    found: list[_Block] = []
    statement: list[str] = []
    while not tokens.is_done:
        token = tokens.take()
        sign = token.text
        if sign == "{":
            block = _opened(statement, stack, token)
            if block.name and block not in stack[-1:] and len(found) < MAX_MODELS:
                found.append(block)
            stack.append(block)
        elif sign == "}" and stack:
            stack.pop()
        elif sign == ";" and stack:
            _read_statement(statement, stack[-1])
        if sign in ("{", "}", ";"):
            statement = []
        elif len(statement) < 40:
            statement.append(sign)
    return tuple(
        Model(
            block.name,
            "message",
            tokens.line(block.at),
            tuple(block.fields[:MAX_FIELDS]),
            tuple(dict.fromkeys(block.targets))[:MAX_FIELDS],
        )
        for block in found
    )


def _opened(statement: list[str], stack: list[_Block], at: Token) -> _Block:
    words = statement[-3:] if len(statement) > 2 else statement
    outer = stack[-1] if stack else None
    if words[:1] == ["message"] and len(words) == 2:
        around = outer.name + "." if outer is not None and outer.kind == "message" else ""
        return _Block((around + words[1])[:200], at, "message")
    if words[:1] == ["service"] and len(words) == 2:
        return _Block(words[1], at, "service")
    if words[:1] == ["oneof"] and outer is not None:
        return outer
    if outer is not None and outer.kind == "service":
        _read_statement(statement, outer)  # a call with options
    return _Block("", at, "other")


def _read_statement(statement: list[str], block: _Block) -> None:
    if block.kind == "service":
        if statement[:1] == ["rpc"] and len(statement) > 1:
            block.fields.append(statement[1])
            block.targets += [
                _target(word) for word in statement[2:] if _is_type(word) and word not in ("returns", "stream")
            ]
        return
    if block.kind != "message" or "=" not in statement or statement[0] in ("option", "reserved", "extensions"):
        return
    words = statement[: statement.index("=")]
    if len(words) < 2:
        return
    block.fields.append(words[-1])
    kinds = words[-3:-2] if words[0] == "map" else [word for word in words[:-1] if word not in _MODIFIERS]
    if words[0] == "map" and ">" in words:
        kinds = [words[words.index(">") - 1]]
    block.targets += [_target(word) for word in kinds if _is_type(word)]


def _is_type(word: str) -> bool:
    is_name = word[:1] == "." or word[:1].isidentifier()
    return is_name and word not in _SCALARS and not word.lstrip(".").startswith("google.protobuf.")


def _target(word: str) -> str:
    return word.lstrip(".")
