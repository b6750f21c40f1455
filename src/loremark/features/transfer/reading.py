"""Lines as they come in: decoded, bounded, and refused by the number of the line and one plain sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar, get_args

import msgspec

from loremark.base import clock, errors, ids, limits
from loremark.features.transfer.refs import time_ms
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
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SEPARATORS = (b",", b"[", b"{")
_AHEAD_MS = clock.DAY_MS
_TIMES: dict[type[Any], list[tuple[str, str]]] = {
    kind: [
        (field, name)
        for field, name in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
        if field.endswith("_ms")
    ]
    for kind in (*get_args(AnyLine), ItemConflict)
}
"""The fields of each kind that tell a time."""
_PREFIXES: dict[type[Any], str] = {ContextLine: "ctx", SessionLine: "ses", EventLine: "evt", ItemLine: "itm"}

T = TypeVar("T")


def refuse(number: int, sentence: str) -> NoReturn:
    raise errors.invalid(f"line {number}: {sentence}")


def read_lines(body: bytes) -> list[tuple[int, AnyLine]]:
    """The lines of a chunk with their numbers; empty ones are left out."""
    found = [(number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    if len(found) > CHUNK_LINES:
        refuse(found[CHUNK_LINES][0], f"there are more than {CHUNK_LINES} lines in one chunk")
    latest_ms = clock.now_ms() + _AHEAD_MS
    return [(number, _checked(number, _decode(number, line), latest_ms)) for number, line in found]


def _decode(number: int, line: bytes) -> AnyLine:
    if _holds_too_much(line):
        refuse(number, f"it holds more than {limits.BODY_VALUES} values")
    try:
        line.decode()  # the decoder does not look into what it skips
        head = _any_header.decode(line)
        if head.loremark == "export" and head.version != VERSION:
            refuse(number, f"version {_shown(head.version)} of the format is not known here, only {VERSION}")
        decoded: AnyLine = _decoder.decode(line)
        return decoded
    except msgspec.ValidationError as error:
        refuse(number, _worded(str(error)))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        refuse(number, "it is not valid JSON")


def _holds_too_much(line: bytes) -> bool:
    if len(line) <= limits.BODY_VALUES or sum(map(line.count, _SEPARATORS)) <= limits.BODY_VALUES:
        return False
    outside = _STRING.sub(b"", line)
    return sum(map(outside.count, _SEPARATORS)) > limits.BODY_VALUES


def _shown(value: object) -> str:
    return str(value)[:20] if isinstance(value, int | str) else "(none)"


def _worded(complaint: str) -> str:
    """The decoder's complaint as a sentence that names the field."""
    what, _, place = complaint.partition(" - at `$")
    field = place.rstrip("`").lstrip(".")
    unknown = re.fullmatch(r"Object contains unknown field `(.+)`", what, re.DOTALL)
    if unknown:
        return f"the field {unknown[1][:100]} is not known here"
    missing = re.fullmatch(r"Object missing required field `(.+)`", what, re.DOTALL)
    if missing:
        return f"{field}.{missing[1]} is required" if field else f"{missing[1]} is required"
    if what.startswith("Expected `object`") and not field:
        return "it must be an object"
    if "matching regex" in what:
        return f"{field or 'the line'} has an invalid form"
    if what.startswith("Invalid "):
        return f"{field or 'the line'} has a value that is not known here"
    return f"{field or 'the line'} is not as it must be: {what}"


def _checked(number: int, line: AnyLine, latest_ms: int) -> AnyLine:
    if isinstance(line, ContextLine | SessionLine | EventLine | ItemLine):
        if not ids.looks_valid(line.ref, _PREFIXES[type(line)]):
            refuse(number, "ref has an invalid form")
        if time_ms(line.ref) > latest_ms:
            refuse(number, "createdAtMs is in the future")
    if (late := _find_late(line, latest_ms)) is not None:
        refuse(number, f"{late} is in the future")
    if isinstance(line, EventLine):
        if not ids.looks_valid(line.session, "ses"):
            refuse(number, "session has an invalid form")
        if _is_too_deep(line.payload):
            refuse(number, f"payload is nested more than {limits.PAYLOAD_LEVELS} times")
    if isinstance(line, HeaderLine) and number != 1:
        refuse(number, "the line that says what it is must be the first")
    return line


def _find_late(line: AnyLine, latest_ms: int) -> str | None:
    """A time of the line, or of a conflict it tells of, that nothing can have happened at yet."""
    for part in (line, *(line.conflicts if isinstance(line, ItemLine) else ())):
        for field, name in _TIMES[type(part)]:
            if (getattr(part, field) or 0) > latest_ms:
                return name
    return None


def _is_too_deep(payload: dict[str, Any]) -> bool:
    level: list[Any] = [payload]
    for _ in range(limits.PAYLOAD_LEVELS):
        level = [entry for value in level for entry in _inside(value)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, dict) else value
    return (entry for entry in inner if isinstance(entry, dict | list))


def read_snapshot(number: int, line: RevisionLine) -> ItemSnapshot | ContextSnapshot:
    try:
        if line.of == "item":
            return msgspec.convert(line.snapshot, ItemSnapshot)
        return msgspec.convert(line.snapshot, ContextSnapshot)
    except msgspec.ValidationError as error:
        refuse(number, f"snapshot: {_worded(str(error))}")
