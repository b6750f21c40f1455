"""How many values a JSON text may hold. A few kilobytes can mean millions, and decoding them would block the server."""

from __future__ import annotations

import re

from loremark.base import limits

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SEPARATORS = (b",", b"[", b"{")


def has_too_many_values(body: bytes) -> bool:
    """Return whether the text holds more values than are decoded."""
    if len(body) <= limits.BODY_VALUES or sum(map(body.count, _SEPARATORS)) <= limits.BODY_VALUES:
        return False
    outside = _STRING.sub(b"", body)
    return sum(map(outside.count, _SEPARATORS)) > limits.BODY_VALUES
