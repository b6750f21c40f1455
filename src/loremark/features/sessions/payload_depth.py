"""How deeply event payloads may be nested: deep enough for any tool, shallow enough to be read recursively."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loremark.base import limits

LEFT_OUT = f"(left out: nested more than {limits.PAYLOAD_LEVELS} levels deep)"


def is_too_deep(payload: Any, encoded: bytes | str, levels: int = limits.PAYLOAD_LEVELS) -> bool:
    """Return whether a payload is nested more deeply. ``encoded``: the same as JSON."""
    brackets = (b"{", b"[") if isinstance(encoded, bytes) else ("{", "[")
    if sum(map(encoded.count, brackets)) < levels:  # type: ignore[arg-type]
        return False
    level = [payload]
    for _ in range(levels):
        level = [entry for value in level for entry in _entries(value)]
        if not level:
            return False
    return True


def cut(payload: Any) -> Any:
    """Replace, in place, what is nested too deeply by a note."""
    level = [payload]
    for _ in range(limits.PAYLOAD_LEVELS - 2):
        level = [entry for value in level for entry in _entries(value)]
    for value in level:
        if isinstance(value, dict | list):
            places: Any = value.items() if isinstance(value, dict) else enumerate(value)
            for place, entry in list(places):
                if isinstance(entry, dict | list):
                    value[place] = LEFT_OUT
    return payload


def _entries(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
