"""Regular expressions that are compiled when first used: a hook runs for a moment and needs few of them."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # not from typing, which takes longer to load than all that is here
if TYPE_CHECKING:
    from typing import Any


class _Late:
    """Stands for a pattern; what is asked of it is taken from the compiled one, and kept."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not there yet; a name that a pattern has not is told as such.
        value = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)
        return value


def late(source: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, for every use but pickling and comparing."""
    pattern: Any = _Late(source, flags)
    made: re.Pattern[str] = pattern
    return made
