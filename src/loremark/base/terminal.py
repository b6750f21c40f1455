"""Terminal preferences from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping


def editor(environment: Mapping[str, str] | None = None) -> str | None:
    """Return the user's editor command, or None if not set."""
    given = os.environ if environment is None else environment
    return given.get("VISUAL") or given.get("EDITOR") or None


def wants_color(is_terminal: bool, environment: Mapping[str, str] | None = None) -> bool:
    """Return whether to print colors: NO_COLOR, then FORCE_COLOR, then whether the output is a terminal."""
    given = os.environ if environment is None else environment
    if given.get("NO_COLOR"):
        return False
    return bool(given.get("FORCE_COLOR")) or (is_terminal and given.get("TERM") != "dumb")
