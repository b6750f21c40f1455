"""Read an agent's hook payload from stdin, bounded in size and time, and decode it."""

from __future__ import annotations

import json
import os
import select

from loremark.base import clock

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 8 << 20
TIMEOUT_S = 2.0
_READ_BYTES = 1 << 16
_QUIET_S = 0.05
_DRAIN_BYTES = 64 << 20
_LONG_CHARS = 10_000  # shorter truncated strings may be names, and half a name is a different name
_WHITESPACE = " \t\r\n"


def read_stdin(handle: int = 0, seconds: float = TIMEOUT_S) -> bytes:
    """Read until EOF, the size limit or the timeout. Input beyond the limit is drained and dropped."""
    deadline = clock.monotonic() + seconds
    chunks: list[bytes] = []
    size = 0
    while size < _DRAIN_BYTES:
        remaining = deadline - clock.monotonic()
        may_be_complete = bool(chunks) and chunks[-1].rstrip().endswith(b"}")
        if (
            remaining <= 0
            or not select.select([handle], [], [], min(remaining, _QUIET_S) if may_be_complete else remaining)[0]
        ):
            # Some agents never close stdin: stop once there is a complete object.
            if remaining > 0 and may_be_complete and not _is_complete(b"".join(chunks)):
                continue
            break
        chunk = os.read(handle, _READ_BYTES)
        if not chunk:
            break
        if size < MAX_BYTES:
            chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)[:MAX_BYTES]


def _is_complete(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def decode(data: bytes) -> dict[str, Any] | None:
    """Parse a JSON object. If it is truncated or invalid, return the fields before the damage."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff" + _WHITESPACE)
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _parse_fields(text) or None
    return value if isinstance(value, dict) else None


def _parse_fields(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    decoder = json.JSONDecoder(strict=False)
    at = 1
    try:
        while len(found) < 100:
            at = _skip(text, at)
            if text[at] != '"':
                break
            name, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            if text[at] != ":":
                break
            at = _skip(text, at + 1)
            found[name], at = _value(decoder, text, at)
            at = _skip(text, at)
            if text[at] != ",":
                break
            at += 1
    except (ValueError, RecursionError, IndexError):
        return found
    return found


def _value(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    try:
        return decoder.raw_decode(text, at)
    except ValueError:
        if text[at] == '"' and len(text) - at > _LONG_CHARS and "\\" not in text[-6:]:
            return decoder.raw_decode(text[at:] + '"')[0], len(text)  # keep what there is of a truncated string
        raise


def _skip(text: str, at: int) -> int:
    while text[at] in _WHITESPACE:
        at += 1
    return at
