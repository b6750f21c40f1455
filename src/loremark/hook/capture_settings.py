"""What ``.loremark.toml`` says about capture: the prefix of private prompts, and excluded paths.

The file is part of the repository, so these settings can only leave something out, never add to what is captured.
"""

from __future__ import annotations

import json
import os
import re

from loremark.base.redaction.lazy_pattern import lazy_pattern
from loremark.hook import files, gitpaths
from loremark.hook.link import FILE, FILE_BYTES, read_settings

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from loremark.hook.exclusions import Exclusions

DEFAULT_PRIVATE_PREFIX = "[private]"
_EXCLUDE = lazy_pattern(r"^[ \t]*exclude[ \t]*=", re.MULTILINE)
_ARRAY = lazy_pattern(r"[ \t]*\[")
_TABLE = lazy_pattern(r"^[ \t]*\[", re.MULTILINE)
# One element of an array of strings, as in TOML: a comment, a string, a comma or the end.
_ELEMENT = lazy_pattern(r"\s*(?:#[^\n]*|(\"(?:[^\"\\\n]|\\.)*\")|'([^'\n]*)'|(,)|(\]))")


def private_prefix(folder: str) -> str:
    """Return how a private prompt starts in this folder; an empty string if no prompt is private."""
    text = _read(_find_folder(folder))
    return read_settings(text).get("private_prefix", DEFAULT_PRIVATE_PREFIX).strip()


def exclusions(folder: str) -> Exclusions:
    """Return the paths to leave out in this folder. If the list is not valid, that is all of them."""
    from loremark.hook.exclusions import Exclusions  # lazy: a prompt doesn't need it

    top = _find_folder(folder)
    patterns = parse_exclude(_read(top))
    return Exclusions(top, ["**"] if patterns is None else patterns)


def has_invalid_exclude(folder: str) -> bool:
    """Return whether the folder has a list of excluded paths that cannot be read."""
    return parse_exclude(_read(_find_folder(folder))) is None


def parse_exclude(text: str) -> list[str] | None:
    """Return the ``exclude`` list at the top of a TOML file, or None if it is not a list of strings."""
    table = _TABLE.search(text)
    text = text if table is None else text[: table.start()]
    found = _EXCLUDE.search(text)
    if found is None:
        return []
    at = found.end()
    opening = _ARRAY.match(text, at)
    if opening is None:
        return None
    at = opening.end()
    patterns: list[str] = []
    may_follow = True
    while (element := _ELEMENT.match(text, at)) is not None:
        at = element.end()
        basic, literal, comma, end = element.groups()
        if end is not None:
            return patterns
        if comma is not None:
            if may_follow:
                return None
            may_follow = True
        elif basic is not None or literal is not None:
            if not may_follow:
                return None
            pattern = _decode(basic) if basic is not None else literal
            if pattern is None:
                return None
            patterns.append(pattern)
            may_follow = False
    return None


def _decode(text: str) -> str | None:
    """Decode a basic string. JSON has the same escapes, except for those that no path needs."""
    try:
        return str(json.loads(text))
    except ValueError:
        return None


def _find_folder(folder: str) -> str:
    """Return the folder that contains the settings, or the folder itself."""
    return gitpaths.find_above(folder, FILE) or folder


def _read(top: str) -> str:
    data = files.read_bounded(os.path.join(top, FILE), FILE_BYTES, owner=True)
    return data.decode("utf-8", "replace") if data is not None else ""
