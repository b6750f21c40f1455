"""How many values a JSON text may hold. A few kilobytes can mean millions, and decoding them would block the server."""

from __future__ import annotations

from loremark.base import limits

_SEPARATORS = b",[{"
_OTHER_BYTES = bytes(set(range(256)) - set(b'",[{'))


def has_too_many_values(body: bytes) -> bool:
    """Return whether the text holds more values than are decoded."""
    if len(body) <= limits.BODY_VALUES or _count(body) <= limits.BODY_VALUES:
        return False
    # Without escapes every quotation mark begins or ends a string. Strings without separators are then empty.
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = unescaped.translate(None, _OTHER_BYTES).replace(b'""', b"")
    return _count(b"".join(marks.split(b'"')[::2])) > limits.BODY_VALUES


def _count(text: bytes) -> int:
    return sum(text.count(separator) for separator in _SEPARATORS)
