"""Parsing and validation of import lines. Errors name the line number and the problem."""

from __future__ import annotations

import re
from typing import Any, NoReturn, TypeVar, get_args

import msgspec

from loremark.base import clock, errors, ids, limits
from loremark.base.json_values import has_too_many_values
from loremark.features.sessions.payload_depth import is_too_deep
from loremark.wire.transfer import (
    CHUNK_LINES,
    VERSION,
    AnyHeader,
    AnyLine,
    ContextLine,
    ContextSnapshot,
    EventLine,
    HeaderLine,
    ItemConflict,
    ItemLine,
    ItemSnapshot,
    RevisionLine,
    SessionLine,
)

_decoder = msgspec.json.Decoder(AnyLine)
_any_header = msgspec.json.Decoder(AnyHeader)
_CLOCK_SKEW_MS = clock.DAY_MS
_TIMES: dict[type[Any], list[tuple[str, str]]] = {
    kind: [
        (field, name)
        for field, name in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
        if field.endswith("_ms")
    ]
    for kind in (*get_args(AnyLine), ItemConflict)
}
"""The timestamp fields of each kind of line."""
_PREFIXES: dict[type[Any], str] = {ContextLine: "ctx", SessionLine: "ses", EventLine: "evt", ItemLine: "itm"}

T = TypeVar("T")


def refuse(number: int, sentence: str) -> NoReturn:
    raise errors.invalid(f"line {number}: {sentence}")


def read_lines(body: bytes) -> list[tuple[int, AnyLine]]:
    """Parse the non-empty lines of a chunk, with their line numbers."""
    found = [(number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    if len(found) > CHUNK_LINES:
        refuse(found[CHUNK_LINES][0], f"a chunk can have at most {CHUNK_LINES} lines")
    latest_ms = clock.now_ms() + _CLOCK_SKEW_MS
    return [(number, _checked(number, _decode(number, line), line, latest_ms)) for number, line in found]


def _decode(number: int, line: bytes) -> AnyLine:
    if has_too_many_values(line):
        refuse(number, f"more than {limits.BODY_VALUES} values")
    try:
        line.decode()  # the decoder does not validate skipped text
        head = _any_header.decode(line)
        if head.loremark == "export" and head.version != VERSION:
            refuse(number, f"unsupported format version {_short(head.version)}, expected {VERSION}")
        decoded: AnyLine = _decoder.decode(line)
        return decoded
    except msgspec.ValidationError as error:
        refuse(number, _explain(str(error)))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        refuse(number, "invalid JSON")


def _short(value: object) -> str:
    return str(value)[:20] if isinstance(value, int | str) else "(none)"


def _explain(error: str) -> str:
    """Rewrite the decoder's error as a sentence that names the field."""
    what, _, place = error.partition(" - at `$")
    field = place.rstrip("`").lstrip(".")
    unknown = re.fullmatch(r"Object contains unknown field `(.+)`", what, re.DOTALL)
    if unknown:
        return f"unknown field {unknown[1][:100]}"
    missing = re.fullmatch(r"Object missing required field `(.+)`", what, re.DOTALL)
    if missing:
        return f"{field}.{missing[1]} is required" if field else f"{missing[1]} is required"
    if what.startswith("Expected `object`") and not field:
        return "must be a JSON object"
    if "matching regex" in what:
        return f"{field or 'the line'} has an invalid format"
    if what.startswith("Invalid "):
        return f"{field or 'the line'} has an unknown value"
    return f"{field or 'the line'} is invalid: {what}"


def _checked(number: int, line: AnyLine, encoded: bytes, latest_ms: int) -> AnyLine:
    if isinstance(line, ContextLine | SessionLine | EventLine | ItemLine):
        if not ids.looks_valid(line.ref, _PREFIXES[type(line)]):
            refuse(number, "ref has an invalid format")
        if ids.created_at_ms(line.ref) > latest_ms:
            refuse(number, "createdAtMs is in the future")
    if (late := _find_late(line, latest_ms)) is not None:
        refuse(number, f"{late} is in the future")
    if isinstance(line, EventLine):
        if not ids.looks_valid(line.session, "ses"):
            refuse(number, "session has an invalid format")
        if is_too_deep(line.payload, encoded):
            refuse(number, f"payload is nested more than {limits.PAYLOAD_LEVELS} levels deep")
    if isinstance(line, HeaderLine) and number != 1:
        refuse(number, "the header must be the first line")
    return line


def _find_late(line: AnyLine, latest_ms: int) -> str | None:
    """The name of a timestamp of the line or its conflicts that is in the future."""
    for part in (line, *(line.conflicts if isinstance(line, ItemLine) else ())):
        for field, name in _TIMES[type(part)]:
            if (getattr(part, field) or 0) > latest_ms:
                return name
    return None


def read_snapshot(number: int, line: RevisionLine) -> ItemSnapshot | ContextSnapshot:
    try:
        if line.kind == "item":
            return msgspec.convert(line.snapshot, ItemSnapshot)
        return msgspec.convert(line.snapshot, ContextSnapshot)
    except msgspec.ValidationError as error:
        refuse(number, f"snapshot: {_explain(str(error))}")
