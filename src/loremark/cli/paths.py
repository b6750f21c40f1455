"""File names as the memory knows them: from the project's top folder down, with slashes."""

from __future__ import annotations

import os
from collections.abc import Iterable


def in_project(names: Iterable[str], folder: str | None = None) -> list[str]:
    """Names as typed in this folder, made relative to the project's; what lies outside stays as it was written."""
    here = os.path.realpath(folder or os.getcwd())
    top = _top(here)
    return list(dict.fromkeys(_relative(name, here, top) for name in names if name))


def listed(names: Iterable[str]) -> str | None:
    """The same as one text with commas, as addresses hold it; a name with a comma in it cannot be told so."""
    return ",".join(name for name in in_project(names) if "," not in name) or None


def _top(here: str) -> str:
    from loremark.hook.link import find_link
    from loremark.hook.place import find_repository

    around = find_repository(here)
    if around is not None:
        return around.top
    link = find_link(here)
    return link.folder if link is not None else here


def _relative(name: str, here: str, top: str) -> str:
    whole = os.path.normpath(os.path.join(here, name))
    inside = whole == top or whole.startswith(top.rstrip(os.sep) + os.sep)
    return os.path.relpath(whole, top).replace(os.sep, "/") if inside else name
