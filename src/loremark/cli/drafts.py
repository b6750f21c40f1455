"""A thing as a text for an editor: its fields in front, its content below."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from loremark.cli.kit import Stop

_FENCE = "---"
_LINE = "\n"


def write(fields: Mapping[str, Any], content: str) -> str:
    """Fields as ``name: value``, lists and odd texts as JSON."""
    lines = [f"{name}: {_written(value)}" for name, value in fields.items()]
    return "\n".join((_FENCE, *lines, _FENCE, "", content.rstrip("\n"), ""))


def read(text: str, fields: Mapping[str, Any], content: str) -> dict[str, Any]:
    """What a person has changed: the fields by their names, and ``content``."""
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[start].strip() != _FENCE:
        raise Stop(f"the text must begin with its fields between two lines of {_FENCE}")
    try:
        end = next(number for number in range(start + 1, len(lines)) if lines[number].strip() == _FENCE)
    except StopIteration:
        raise Stop(f"the line of {_FENCE} after the fields is gone") from None
    told = dict(_field(line, fields) for line in lines[start + 1 : end] if line.strip())
    changed = {name: value for name, value in told.items() if value != fields[name]}
    below = "\n".join(lines[end + 1 :]).removeprefix("\n").rstrip("\n")
    # What was written ends its last line, and a line may have ended in half of an ending.
    before = f"{content.rstrip(_LINE)}{_LINE}".replace("\r\n", _LINE).rstrip(_LINE)
    if below != before:
        changed["content"] = below
    return changed


def _field(line: str, fields: Mapping[str, Any]) -> tuple[str, Any]:
    name, colon, value = (part.strip() for part in line.partition(":"))
    if not colon or name not in fields:
        raise Stop(f"{line.strip()!r} is none of the fields: {', '.join(fields)}")
    known = fields[name]
    if isinstance(known, int):
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise Stop(f"{name} must be a number")
        return name, int(value)
    parsed = _parsed(value)
    if isinstance(known, list):
        listed = parsed if isinstance(parsed, list) else [part.strip() for part in value.split(",")]
        return name, [str(part) for part in listed if str(part)]
    return name, parsed if isinstance(parsed, str) else value


def _parsed(value: str) -> Any:
    if value[:1] not in ('"', "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _written(value: Any) -> str:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    text = str(value)
    odd = text != text.strip() or text[:1] in ('"', "[") or not text.isprintable()
    return json.dumps(text, ensure_ascii=False) if odd else text
