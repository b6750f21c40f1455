"""Regular expressions compiled on first use, because a short-lived hook needs only a few of them."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing typing takes longer than the rest of this package
if TYPE_CHECKING:
    from typing import Any


class _Late:
    """Proxy for a pattern that compiles it on first access and caches its attributes."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Called only for attributes that are not cached yet.
        value = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a lazily compiled pattern. It does not support pickling or comparison."""
    pattern: Any = _Late(source, flags)
    made: re.Pattern[str] = pattern
    return made
