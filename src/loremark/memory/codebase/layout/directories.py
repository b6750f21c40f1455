"""Lists the main directories with their roles."""

from __future__ import annotations

from dataclasses import dataclass

from loremark.memory.codebase.layout.directory_selection import select_directories
from loremark.memory.codebase.layout.directory_stats import directory_stats
from loremark.memory.codebase.layout.roles import role
from loremark.memory.codebase.records import Codebase

_MAX_LANGUAGES = 3


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory and everything below it: role, files, lines, main languages."""

    path: str
    role: str
    files: int
    lines: int
    languages: tuple[str, ...]


def main_directories(codebase: Codebase) -> list[Directory]:
    """Up to 24 directories, sorted by path; the first 15 selected hold most of the code."""
    parts = directory_stats(codebase)
    found: list[Directory] = []
    for path in sorted(select_directories(parts)):
        part = parts[path]
        languages = sorted(part.languages, key=lambda name: (-part.languages[name], name))[:_MAX_LANGUAGES]
        found.append(Directory(path, role(path, part), part.files, part.lines, tuple(languages)))
    return found
