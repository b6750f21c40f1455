"""The directories that a new colleague must know, and what each is for."""

from __future__ import annotations

from dataclasses import dataclass

from loremark.memory.codebase.layout.parts import parts_of
from loremark.memory.codebase.layout.picking import pick
from loremark.memory.codebase.layout.roles import role
from loremark.memory.codebase.records import Codebase

_MOST_LANGUAGES = 3


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory with all below it: what it is for, how many files and lines it has, its main languages."""

    path: str
    role: str
    files: int
    lines: int
    languages: tuple[str, ...]


def main_directories(codebase: Codebase) -> list[Directory]:
    """Up to twenty-four directories, in the order of their paths; the first fifteen picked hold most of the code."""
    parts = parts_of(codebase)
    found: list[Directory] = []
    for path in sorted(pick(parts)):
        part = parts[path]
        languages = sorted(part.languages, key=lambda name: (-part.languages[name], name))[:_MOST_LANGUAGES]
        found.append(Directory(path, role(path, part), part.files, part.lines, tuple(languages)))
    return found
