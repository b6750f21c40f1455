"""Reading bodies and queries into wire shapes, and saying in one plain sentence what does not fit."""

from __future__ import annotations

import re
import typing
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from cairn.base import errors
from cairn.web.request import Request

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


def read_json(request: Request, raw: bytes, decoder: msgspec.json.Decoder[Any], *, optional: bool) -> Any:
    """The body as the route's shape."""
    if not raw:
        if optional:
            raw = b"{}"
        else:
            raise errors.BODY_REQUIRED()
    elif not _is_json(request.headers.get(b"content-type", b"")):
        raise errors.UNSUPPORTED_MEDIA_TYPE()
    if b"\\u0000" in raw and _ESCAPED_NUL.search(raw):
        raise errors.NUL_CHARACTER()
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise errors.invalid(explain(error, decoder.type)) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise errors.MALFORMED_JSON() from error


def _is_json(content_type: bytes) -> bool:
    return content_type.split(b";", 1)[0].strip().lower() == b"application/json"


def read_query(request: Request, kind: type[Any]) -> Any:
    """The query string as the route's shape; of a repeated name the last one counts."""
    try:
        pairs = parse_qsl(request.query_string.decode("ascii"), keep_blank_values=True, errors="strict")
    except (UnicodeDecodeError, ValueError) as error:
        raise errors.invalid("The query string is not valid UTF-8") from error
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise errors.NUL_CHARACTER()
    try:
        return msgspec.convert(dict(pairs), kind, strict=False)
    except msgspec.ValidationError as error:
        raise errors.invalid(explain(error, kind)) from error


def explain(error: msgspec.ValidationError, kind: Any) -> str:
    """The decoder's complaint as a sentence that names the field."""
    match = _AT.match(str(error))
    assert match is not None
    what, path = match["what"], (match["path"] or "$")
    field = path.removeprefix("$").removeprefix(".")
    missing = re.fullmatch(r"Object missing required field `(.+)`", what)
    if missing:
        return f"{field}.{missing[1]} is required" if field else f"{missing[1]} is required"
    if not field:
        return errors.BODY_REQUIRED.text
    return f"{field} {_requirement(what, field, kind)}"


def _requirement(what: str, field: str, kind: Any) -> str:
    choices = _choices(kind, field)
    if choices:
        return f"must be one of {', '.join(choices)}"
    length = re.match(r"Expected `(?:str|array)` of length ([<>]=) (\d+)", what)
    if length:
        bound = "at least" if length[1] == ">=" else "at most"
        return f"must have {bound} {length[2]} {'entries' if 'array' in what else 'characters'}"
    bound_match = re.match(r"Expected `(?:int|float)` ([<>]=?) (\S+)", what)
    if bound_match:
        return f"must be {'at least' if '>' in bound_match[1] else 'at most'} {bound_match[2]}"
    if "matching regex" in what:
        return "has an invalid form"
    expected = re.match(r"Expected `([^`]+)`", what)
    if expected:
        words = [_TYPE_WORDS.get(word.strip(), word.strip()) for word in expected[1].split("|")]
        return f"must be {' or '.join(words)}"
    return "is not valid"


def _choices(kind: Any, field: str) -> list[str]:
    """The closed set of words a top-level field allows, if it has one."""
    for known in msgspec.structs.fields(kind):
        if known.encode_name == field:
            return _literal_words(known.type)
    return []


def _literal_words(kind: Any) -> list[str]:
    if typing.get_origin(kind) is typing.Literal:
        return [str(value).lower() if isinstance(value, bool) else str(value) for value in typing.get_args(kind)]
    return [word for part in typing.get_args(kind) for word in _literal_words(part)]
