"""What the environment says about a person at a terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping


def editor(environment: Mapping[str, str] | None = None) -> str | None:
    """The command of the person's editor, as they wrote it; None where they named none."""
    given = os.environ if environment is None else environment
    return given.get("VISUAL") or given.get("EDITOR") or None


def wants_colours(is_terminal: bool, environment: Mapping[str, str] | None = None) -> bool:
    """NO_COLOR and FORCE_COLOR as everybody means them; else whether a person looks at it."""
    given = os.environ if environment is None else environment
    if given.get("NO_COLOR"):
        return False
    return bool(given.get("FORCE_COLOR")) or (is_terminal and given.get("TERM") != "dumb")
