"""Where a newcomer starts: programs, servers, tables of routes, browser code, scripts, each by its source file."""

from __future__ import annotations

import re

from cairn.memory.codebase.languages import language_of
from cairn.memory.codebase.records import Codebase, Entry
from cairn.memory.codebase.study.door_places import placed_doors
from cairn.memory.codebase.study.door_sources import SETTINGS, source_doors
from cairn.memory.codebase.study.doors import Doors, projects_of
from cairn.memory.codebase.study.mentions import mentions
from cairn.memory.codebase.study.onward import onward
from cairn.memory.codebase.study.placing import CODE, place_of
from cairn.memory.codebase.study.targets import declared_files, inputs_of_bundlers

_MOST = 40
_DECLARED, _STARTED, _INPUT, _LIBRARY, _BUILD = 104, 98, 80, 70, 60
_MENTIONED, _MENTIONED_LIFT, _COMMAND_LIFT = 66, 10, 16
_ONWARD = 52
_ALONE = 24
_PACKAGE = re.compile(r"(?:(?:src|lib|python)/)?([a-z]\w*)/__init__\.py")


def entry_points(codebase: Codebase) -> list[tuple[str, Entry]]:
    """What starts something or answers to somebody, what one opens first first; no tests, examples and documents."""
    doors = Doors(projects_of(codebase))
    for path, entry, group, weight in source_doors(codebase):
        doors.offer(path, entry, group, weight)
    for path, entry, group, weight in placed_doors(codebase.paths):
        if not SETTINGS.search(path):
            doors.offer(path, entry, group, weight)
    _declared(codebase, doors)
    _mentioned(codebase, doors)
    _onward(codebase, doors)
    _libraries(codebase, doors)
    return [(door.path, door.entry) for door in doors.ranked(_MOST)]


def _declared(codebase: Codebase, doors: Doors) -> None:
    for path, entry in declared_files(codebase):
        if entry.kind == "library":
            doors.offer(path, entry, "library", _LIBRARY)
        elif entry.name == "build":
            doors.offer(path, Entry("cli", "build script", 1), "build", _BUILD)
        else:
            doors.offer(
                path,
                entry,
                "console" if entry.kind == "cli" else "server",
                _DECLARED if entry.kind == "cli" else _STARTED,
            )
    for path, source in inputs_of_bundlers(codebase):
        doors.offer(path, Entry("main", f"input of {source.rpartition('/')[2]}", 1), "browser", _INPUT)


def _mentioned(codebase: Codebase, doors: Doors) -> None:
    """What a Dockerfile, a Procfile or a supervisor starts is a door, whatever it looks like."""
    said = mentions(codebase)
    for path, _ in said.files.items():
        if path in doors:
            doors.lift(path, _MENTIONED_LIFT)
        elif _language(codebase, path) in CODE or "." not in path.rpartition("/")[2]:
            doors.offer(path, Entry("cli", path.rpartition("/")[2], 1), "script", _MENTIONED)
    for door in doors.of("command"):
        if door.entry.name in said.commands:
            doors.lift(door.path, _COMMAND_LIFT)


def _language(codebase: Codebase, path: str) -> str | None:
    facts = codebase.files.get(path)
    return facts.language if facts is not None else language_of(path)


def _onward(codebase: Codebase, doors: Doors) -> None:
    programs = [door.path for door in doors.of("program", "console")]
    for path, name, telling in onward(codebase, programs):
        kind = "server" if "serve" in name.lower() else "main"
        doors.offer(
            path,
            Entry("server" if kind == "server" else "main", name or path.rpartition("/")[2], 1),
            "onward",
            _ONWARD + 20 * telling,
        )


def _libraries(codebase: Codebase, doors: Doors) -> None:
    """A codebase without a program is a library: then its root is the first thing to open."""
    for path in codebase.paths:
        found = _PACKAGE.fullmatch(path)
        if found is not None and place_of(path) == "own":
            is_its_name = found.group(1).replace("_", "") == codebase.name.lower().replace("-", "").replace("_", "")
            doors.offer(path, Entry("library", "package", 1), "library", 58 if is_its_name else 40)
    if not doors.of("program", "console", "server"):
        for door in doors.of("library"):
            doors.lift(door.path, _ALONE)
