"""File paths as memory items store them: relative to the project root, with forward slashes."""

from __future__ import annotations

import os
from collections.abc import Iterable


def relative_to_project(names: Iterable[str], folder: str | None = None) -> list[str]:
    """Make paths relative to the project root. Paths outside the project stay unchanged."""
    here = os.path.realpath(folder or os.getcwd())
    root = _project_root(here)
    return list(dict.fromkeys(_relative(name, here, root) for name in names if name))


def comma_separated(names: Iterable[str]) -> str | None:
    """Project-relative paths as a query parameter. Paths that contain a comma are skipped."""
    return ",".join(name for name in relative_to_project(names) if "," not in name) or None


def _project_root(here: str) -> str:
    from loremark.hook.gitpaths import find_repository
    from loremark.hook.link import find_link

    around = find_repository(here)
    if around is not None:
        return around.top
    link = find_link(here)
    return link.folder if link is not None else here


def _relative(name: str, here: str, root: str) -> str:
    path = os.path.normpath(os.path.join(here, name))
    inside = path == root or path.startswith(root.rstrip(os.sep) + os.sep)
    return os.path.relpath(path, root).replace(os.sep, "/") if inside else name
