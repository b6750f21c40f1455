"""Parses bodies and query strings into wire types, with readable validation errors."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec

from loremark.base import errors, limits
from loremark.base.errors import ErrorKind
from loremark.base.json_values import has_too_many_values
from loremark.web.request import Request

_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_TYPE_WORDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def read_json(request: Request, raw: bytes, kind: type[Any], *, optional: bool) -> Any:
    """Parse the body. All of it must be valid JSON, including unknown fields."""
    if not raw:
        if optional:
            raw = b"{}"
        else:
            raise errors.BODY_REQUIRED()
    else:
        require_json(request)
    if b"\\u0000" in raw and _ESCAPED_NUL.search(raw):
        raise errors.NUL_CHARACTER()
    if has_too_many_values(raw):
        raise errors.invalid(f"Request body must have at most {limits.BODY_VALUES} values")
    try:
        decoded = msgspec.json.decode(raw)
    except msgspec.ValidationError:  # a number out of range
        return _read_known(raw, kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise errors.MALFORMED_JSON() from error
    try:
        return msgspec.convert(decoded, kind)
    except msgspec.ValidationError as error:
        raise errors.invalid(explain(error, kind)) from error


def _read_known(raw: bytes, kind: type[Any]) -> Any:
    """Parse a body with a number out of range, which is allowed in unknown fields."""
    try:
        json.loads(raw.decode(), parse_int=float, parse_constant=_refuse_constant)
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise errors.invalid(explain(error, kind)) from error
    except (ValueError, RecursionError, msgspec.DecodeError) as error:
        raise errors.MALFORMED_JSON() from error


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not valid JSON")


def require_json(request: Request) -> None:
    if request.headers.get(b"content-type", b"").split(b";", 1)[0].strip().lower() != b"application/json":
        raise errors.UNSUPPORTED_MEDIA_TYPE()


def read_query(request: Request, kind: type[Any]) -> Any:
    """Parse the query string. If a name is repeated the last value counts.

    The type may define ``refusals``: its own errors for invalid parameters.
    """
    try:
        pairs = dict(parse_qsl(request.query_string.decode("ascii"), keep_blank_values=True, errors="strict"))
    except (UnicodeDecodeError, ValueError) as error:
        raise errors.invalid("The query string is not valid UTF-8") from error
    if any("\0" in name or "\0" in value for name, value in pairs.items()):
        raise errors.NUL_CHARACTER()
    given: dict[str, Any] = {}
    for name, (field, plain) in _query_fields(cast(Hashable, kind)).items():
        if not pairs.get(name) and field.required:
            raise errors.invalid(f"{name} is required")
        if name not in pairs:
            continue
        try:
            given[field.name] = msgspec.convert(pairs[name], plain, strict=False)
        except msgspec.ValidationError as error:
            own: Mapping[str, ErrorKind] = getattr(kind, "refusals", {})
            raise (
                own[name]() if name in own else errors.invalid(f"{name} {_requirement(str(error), name, kind)}")
            ) from error
    return kind(**given)


@lru_cache(maxsize=256)
def _query_fields(kind: Hashable) -> dict[str, tuple[msgspec.structs.FieldInfo, Any]]:
    """Return the parameters by name with their types, without None: a parameter is present or absent, never null."""
    return {field.encode_name: (field, without_none(field.type)) for field in msgspec.structs.fields(cast(Any, kind))}


def without_none(kind: Any) -> Any:
    parts = [part for part in typing.get_args(kind) if part is not type(None)]
    return parts[0] if type(None) in typing.get_args(kind) and len(parts) == 1 else kind


def explain(error: msgspec.ValidationError, kind: Any) -> str:
    """Turn the decoder's error into a sentence that names the field."""
    match = _AT.match(str(error))
    assert match is not None
    what, path = match["what"], (match["path"] or "$")
    field = path.removeprefix("$").removeprefix(".")
    missing = re.fullmatch(r"Object missing required field `(.+)`", what)
    if missing:
        return f"{field}.{missing[1]} is required" if field else f"{missing[1]} is required"
    if not field:
        return errors.BODY_REQUIRED.text
    if what.endswith("out of range"):
        named = field.partition("[...]")[0]
        return f"{named} {'is' if named == field else 'contains a number that is'} out of range"
    return f"{field} {_requirement(what, field, kind)}"


def _requirement(what: str, field: str, kind: Any) -> str:
    choices = _choices(kind, field)
    if choices:
        return f"must be one of {', '.join(choices)}"
    length = re.match(r"Expected `(?:str|array)` of length ([<>]=) (\d+)", what)
    if length and length[2] == "1" and length[1] == ">=":
        return "must not be empty"
    if length:
        bound = "at least" if length[1] == ">=" else "at most"
        return f"must have {bound} {length[2]} {'entries' if 'array' in what else 'characters'}"
    bound_match = re.match(r"Expected `(?:int|float)` ([<>]=?) (\S+)", what)
    if bound_match:
        return f"must be {'at least' if '>' in bound_match[1] else 'at most'} {bound_match[2].removesuffix('.0')}"
    if re.search(r"a multiple of 1(?:\.0)?$", what):
        return "must be a whole number"
    if "matching regex" in what:
        return "has an invalid format"
    expected = re.match(r"Expected `([^`]+)`", what)
    if expected:
        words = [_TYPE_WORDS.get(word.strip(), word.strip()) for word in expected[1].split("|")]
        return f"must be {' or '.join(words)}"
    return "is not valid"


def _choices(kind: Any, field: str) -> list[str]:
    """Return the allowed values of a top-level enum field."""
    for known in msgspec.structs.fields(kind):
        if known.encode_name == field:
            return _literal_words(known.type)
    return []


def _literal_words(kind: Any) -> list[str]:
    if typing.get_origin(kind) is typing.Literal:
        return [str(value).lower() if isinstance(value, bool) else str(value) for value in typing.get_args(kind)]
    return [word for part in typing.get_args(kind) for word in _literal_words(part)]
