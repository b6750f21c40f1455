"""A tool: its name and words for the model, the shapes of its arguments and its result, and what it does."""

from __future__ import annotations

import re
import typing
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec

from loremark.mcp.memory import Memory
from loremark.mcp.problem import Problem
from loremark.mcp.shown import NOTICE, one_line

Progress = Callable[[float, float | None, str], Awaitable[None]]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a tool is given. ``project`` is known to all of them."""

    project: typing.Annotated[
        str,
        msgspec.Meta(
            max_length=200,
            description="Project id or exact name. Leave out for the project of this folder, or the only one there is.",
        ),
    ] = ""


class Result(msgspec.Struct, kw_only=True, rename="camel"):
    """What a tool answers."""


class Remembered(Result, kw_only=True):
    """Texts from memory, with the note that they are just that."""

    notice: str = NOTICE


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class Tool(Generic[A, R]):
    """One tool. ``run`` does it, ``tell`` says the result in words."""

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[R]
    run: Callable[[Memory, A, Progress], Awaitable[R]]
    tell: Callable[[R], str]
    reads_only: bool = True
    destroys: bool = False
    repeats_safely: bool = True

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return schema_of(self.arguments)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        return schema_of(self.result)

    def read(self, given: dict[str, Any] | None) -> A:
        """The arguments in their shape, or the problem in one sentence. ``null`` is as good as left out."""
        told = {name: value for name, value in (given or {}).items() if value is not None}
        try:
            return msgspec.convert(told, self.arguments, strict=False)
        except msgspec.ValidationError as error:
            raise Problem(explain(str(error), self.arguments)) from None


AnyTool = Tool[Any, Any]


def schema_of(kind: type[Any]) -> dict[str, Any]:
    """The JSON schema of a shape in one piece: references are not understood by every client."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
    whole: dict[str, Any] = _put_in(schema, parts)
    return whole


def _put_in(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_put_in(entry, parts) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _put_in(parts[schema["$ref"]], parts)
    # Shapes are named after classes, and their docstrings are for us; an empty default says nothing.
    ours = ("title", "description") if "properties" in schema else ()
    whole = {
        name: (
            {field: _put_in(entry, parts) for field, entry in value.items()}
            if name == "properties"
            else _put_in(value, parts)
        )
        for name, value in schema.items()
        if name not in ours and not (name == "default" and value in _SAYS_NOTHING)
    }
    return {"type": "string", **whole} if "enum" in whole else whole


_SAYS_NOTHING: tuple[Any, ...] = ("", [], (), NOTICE)
_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_WORDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


def explain(complaint: str, kind: type[Any]) -> str:
    """The decoder's complaint as a sentence that names the argument."""
    match = _AT.match(complaint)
    assert match is not None
    what, field = match["what"], one_line((match["path"] or "$").removeprefix("$").removeprefix("."), 60)
    names = [known.encode_name for known in msgspec.structs.fields(kind)]
    missing = re.fullmatch(r"Object missing required field `(.+)`", what)
    if missing:
        return f"The argument {f'{field}.{missing[1]}' if field else missing[1]} is required."
    unknown = re.fullmatch(r"Object contains unknown field `(.+)`", what, re.DOTALL)
    if unknown:
        return f"There is no argument {one_line(unknown[1], 60)}; there are: {', '.join(names)}."
    choices = re.match(r"Invalid enum value", what)
    if choices:
        return f"The argument {field} must be one of {', '.join(_choices(kind, field)) or 'the listed words'}."
    return f"The argument {field or 'list'} {_requirement(what)}."


def _requirement(what: str) -> str:
    length = re.match(r"Expected `(?:str|array)` of length ([<>]=) (\d+)", what)
    if length:
        bound = "at least" if length[1] == ">=" else "at most"
        return f"must have {bound} {length[2]} {'entries' if 'array' in what else 'characters'}"
    bound_match = re.match(r"Expected `(?:int|float)` ([<>]=?) (\S+)", what)
    if bound_match:
        return f"must be {'at least' if '>' in bound_match[1] else 'at most'} {bound_match[2]}"
    expected = re.match(r"Expected `([^`]+)`", what)
    if expected:
        words = [_WORDS.get(word.strip(), word.strip()) for word in expected[1].split("|")]
        return f"must be {' or '.join(words)}"
    return "is not valid"


def _choices(kind: type[Any], field: str) -> list[str]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return _literals(hints.get(field.split("[")[0]))


def _literals(kind: Any) -> list[str]:
    if typing.get_origin(kind) is typing.Literal:
        return [str(value) for value in typing.get_args(kind)]
    return [word for part in typing.get_args(kind) for word in _literals(part)]
