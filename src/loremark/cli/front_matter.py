"""Items and contexts as editable text: fields as front matter, then the content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from loremark.cli.framework import CommandError

_FENCE = "---"
_LINE = "\n"


def dump(fields: Mapping[str, Any], content: str) -> str:
    """Format fields as ``name: value`` lines; lists and unusual strings as JSON."""
    lines = [f"{name}: {_format_value(value)}" for name, value in fields.items()]
    return "\n".join((_FENCE, *lines, _FENCE, "", content.rstrip("\n"), ""))


def parse_changes(text: str, fields: Mapping[str, Any], content: str) -> dict[str, Any]:
    """The fields that were changed, including ``content``."""
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[start].strip() != _FENCE:
        raise CommandError(f"the text must start with its fields between two {_FENCE} lines")
    try:
        end = next(number for number in range(start + 1, len(lines)) if lines[number].strip() == _FENCE)
    except StopIteration:
        raise CommandError(f"the {_FENCE} line after the fields is missing") from None
    edited = dict(_parse_field(line, fields) for line in lines[start + 1 : end] if line.strip())
    changed = {name: value for name, value in edited.items() if value != fields[name]}
    below = "\n".join(lines[end + 1 :]).removeprefix("\n").rstrip("\n")
    # ``dump`` ends the content with a newline, and the content may have ended in a lone carriage return.
    before = f"{content.rstrip(_LINE)}{_LINE}".replace("\r\n", _LINE).rstrip(_LINE)
    if below != before:
        changed["content"] = below
    return changed


def _parse_field(line: str, fields: Mapping[str, Any]) -> tuple[str, Any]:
    name, colon, value = (part.strip() for part in line.partition(":"))
    if not colon or name not in fields:
        raise CommandError(f"{line.strip()!r} is not a known field; the fields are: {', '.join(fields)}")
    known = fields[name]
    if isinstance(known, int):
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise CommandError(f"{name} must be a number")
        return name, int(value)
    parsed = _parse_value(value)
    if isinstance(known, list):
        listed = parsed if isinstance(parsed, list) else [part.strip() for part in value.split(",")]
        return name, [str(part) for part in listed if str(part)]
    return name, parsed if isinstance(parsed, str) else value


def _parse_value(value: str) -> Any:
    if value[:1] not in ('"', "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    text = str(value)
    needs_quoting = text != text.strip() or text[:1] in ('"', "[") or not text.isprintable()
    return json.dumps(text, ensure_ascii=False) if needs_quoting else text
