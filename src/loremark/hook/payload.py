"""What an agent hands to its hook: read from standard input within bounds of size and time, and decoded."""

from __future__ import annotations

import json
import os
import select

from loremark.base import clock

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 8 << 20
SECONDS = 2.0
_PIECE = 1 << 16
_PAUSE = 0.05
_DRAINED = 64 << 20
_LONG_CHARS = 10_000  # what was cut and is shorter may be a name, and half a name is another one
_BLANKS = " \t\r\n"


def read_input(handle: int = 0, seconds: float = SECONDS) -> bytes:
    """What comes until the end, the bound or the time is reached; what is beyond the bound is read and forgotten."""
    stop = clock.monotonic() + seconds
    kept: list[bytes] = []
    size = 0
    while size < _DRAINED:
        left = stop - clock.monotonic()
        may_be_all = bool(kept) and kept[-1].rstrip().endswith(b"}")
        if left <= 0 or not select.select([handle], [], [], min(left, _PAUSE) if may_be_all else left)[0]:
            # Some agents leave it open: what is a whole object then was all.
            if left > 0 and may_be_all and not _is_whole(b"".join(kept)):
                continue
            break
        piece = os.read(handle, _PIECE)
        if not piece:
            break
        if size < MOST_BYTES:
            kept.append(piece)
        size += len(piece)
    return b"".join(kept)[:MOST_BYTES]


def _is_whole(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def decode(data: bytes) -> dict[str, Any] | None:
    """The object that the bytes tell; of one that was cut, or goes wrong further on, the fields before that."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff" + _BLANKS)
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _fields_of(text) or None
    return value if isinstance(value, dict) else None


def _fields_of(text: str) -> dict[str, Any]:
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
            return decoder.raw_decode(text[at:] + '"')[0], len(text)  # a text that was cut: what there is of it
        raise


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANKS:
        at += 1
    return at
