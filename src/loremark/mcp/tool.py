"""Define a tool: its name and description, its argument and result types, and its function."""

from __future__ import annotations

import re
import typing
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec

from loremark.mcp.errors import ToolError
from loremark.mcp.formatting import NOTICE, one_line
from loremark.mcp.memory import Memory

Progress = Callable[[float, float | None, str], Awaitable[None]]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class for tool arguments. All tools take ``project``."""

    project: typing.Annotated[
        str,
        msgspec.Meta(
            max_length=200,
            description="Project ID or exact name. Defaults to the current folder's project, or the only project.",
        ),
    ] = ""


class Result(msgspec.Struct, kw_only=True, rename="camel"):
    """Base class for tool results."""


class MemoryResult(Result, kw_only=True):
    """Base class for results that contain text from memory, marked with a notice."""

    notice: str = NOTICE


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class Tool(Generic[A, R]):
    """One tool. ``run`` executes it, ``render`` formats the result as text."""

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[R]
    run: Callable[[Memory, A, Progress], Awaitable[R]]
    render: Callable[[R], str]
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return schema_of(self.arguments)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        return schema_of(self.result)

    def read(self, given: dict[str, Any] | None) -> A:
        """Validate the arguments, treating ``null`` as missing. Raises ToolError with one sentence."""
        given_values = {name: value for name, value in (given or {}).items() if value is not None}
        try:
            return msgspec.convert(given_values, self.arguments, strict=False)
        except msgspec.ValidationError as error:
            raise ToolError(explain(str(error), self.arguments)) from None


AnyTool = Tool[Any, Any]


def schema_of(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a type without references, which some clients don't support."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
    whole: dict[str, Any] = _inline_refs(schema, parts)
    return whole


def _inline_refs(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline_refs(entry, parts) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inline_refs(parts[schema["$ref"]], parts)
    # Drop class names and docstrings, which are internal, and empty defaults.
    ours = ("title", "description") if "properties" in schema else ()
    whole = {
        name: (
            {field: _inline_refs(entry, parts) for field, entry in value.items()}
            if name == "properties"
            else _inline_refs(value, parts)
        )
        for name, value in schema.items()
        if name not in ours and not (name == "default" and value in _EMPTY_DEFAULTS)
    }
    return {"type": "string", **whole} if "enum" in whole else whole


_EMPTY_DEFAULTS: tuple[Any, ...] = ("", [], (), NOTICE)
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
    """Turn a decoder error into a sentence that names the argument."""
    match = _AT.match(complaint)
    assert match is not None
    what, field = match["what"], one_line((match["path"] or "$").removeprefix("$").removeprefix("."), 60)
    names = [known.encode_name for known in msgspec.structs.fields(kind)]
    missing = re.fullmatch(r"Object missing required field `(.+)`", what)
    if missing:
        return f"The argument {f'{field}.{missing[1]}' if field else missing[1]} is required."
    unknown = re.fullmatch(r"Object contains unknown field `(.+)`", what, re.DOTALL)
    if unknown:
        return f"Unknown argument {one_line(unknown[1], 60)}. Valid arguments: {', '.join(names)}."
    choices = re.match(r"Invalid enum value", what)
    if choices:
        return f"The argument {field} must be one of {', '.join(_choices(kind, field)) or 'the listed values'}."
    return f"The argument {field or 'list'} {_requirement(what)}."


def _requirement(what: str) -> str:
    length = re.match(r"Expected `(?:str|array)` of length ([<>]=) (\d+)", what)
    if length and length[2] == "1" and length[1] == ">=":
        return "must not be empty"
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
