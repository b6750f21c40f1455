"""How deeply event payloads may be nested: deep enough for any tool, shallow enough to be read recursively."""

from __future__ import annotations

from typing import Any

from loremark.base import limits

LEFT_OUT = f"(left out: nested more than {limits.PAYLOAD_LEVELS} levels deep)"


def is_too_deep(payload: Any, encoded: bytes | str, levels: int = limits.PAYLOAD_LEVELS - 1) -> bool:
    """Return whether a payload has more nested containers. ``encoded``: the same as JSON.

    A stored one may have one more than a sent one, because a large text becomes a reference.
    """
    brackets = (b"{", b"[") if isinstance(encoded, bytes) else ("{", "[")
    if sum(map(encoded.count, brackets)) <= levels:  # type: ignore[arg-type]
        return False
    level = [payload]
    for _ in range(levels):
        level = [entry for value in level for entry in _containers_in(value)]
        if not level:
            return False
    return True


def cut(payload: Any) -> Any:
    """Replace, in place, what is nested too deeply by a note."""
    level = [payload]
    for _ in range(limits.PAYLOAD_LEVELS - 1):
        level = [entry for value in level for entry in _containers_in(value)]
    for value in level:
        places = value.items() if isinstance(value, dict) else enumerate(value)
        for place, entry in list(places):
            if isinstance(entry, dict | list):
                value[place] = LEFT_OUT
    return payload


def _containers_in(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value
    return [entry for entry in inner if isinstance(entry, dict | list)]
