"""Where a newcomer starts: programs, servers, tables of routes, browser code, scripts, each by its source file."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

from cairn.memory.codebase.graph.graph import Graph
from cairn.memory.codebase.languages import language_of
from cairn.memory.codebase.records import Codebase, Entry
from cairn.memory.codebase.study.door_places import is_stub, placed_doors
from cairn.memory.codebase.study.door_sources import SETTINGS, size_bonus, source_doors
from cairn.memory.codebase.study.doors import Doors, projects_of, steps_to
from cairn.memory.codebase.study.mentions import is_pipeline, mentions
from cairn.memory.codebase.study.onward import onward
from cairn.memory.codebase.study.placing import CODE, place_of
from cairn.memory.codebase.study.targets import declared_files, inputs_of_bundlers

_MOST = 40
_DECLARED, _STARTED, _INPUT, _LIBRARY, _BUILD = 104, 98, 80, 68, 60
_DESKTOP, _ASKED_FOR = 84, 14
_MENTIONED, _MENTIONED_LIFT, _COMMAND_LIFT = 76, 14, 16
_ONWARD, _LONG_SCRIPT = 52, 5.0
_HEADER = 12
_LARGE, _MOST_LARGEST, _LARGEST_WEIGHT = 250, 6, 38
_ALONE = 24
_MIDDLING = 3.0
"""Half of what a file of middling size is worth more than an empty one."""
_CALLED_LIKE_IT, _ITS_NAME, _ROLE_WEIGHT = 56, 8, 46
_ROOTS = ("/__init__.py", "/index.ts", "/index.js", ".rb", "/lib.rs")
_COMPILED = (".c", ".cc", ".cpp", ".cxx", ".go", ".rs", ".zig", ".d", ".swift")
_PART_ENDINGS = (
    *(
        "y",
        "l",
        "c",
        "cc",
        "cpp",
        "cxx",
        "go",
        "rs",
        "zig",
        "swift",
        "py",
        "rb",
        "js",
        "ts",
        "jsx",
        "tsx",
        "php",
        "java",
    ),
    *("kt", "cs", "ex", "lua", "pl", "h", "hpp"),
)
_ROLE = re.compile(
    r"server|client|daemon|cmd|commands?|cli|options?|config|cfg|conf|control|parser?|lexer|execute|exec|eval|interpreter|"
    r"builtins?|loop|event_?loop|core|engine|app|api|runtime|kernel|vm|repl|networking|network|router|routes|"
    r"master|main_?loop|threads?|workers?|scheduler|proto(?:col)?(?:_\w{1,20})?|connections?|session|listener|dispatch(?:er)?|"
    r"command_?line|cmdline|ui|tui|display|settings|input|output|storage|database|db|cache|plugins?|modules?|"
    r"handlers?|hooks|proxy|auth|registry|managers?|services?|boot|host|startup",
    re.IGNORECASE,
)
_OF_CLASSES = (".cs", ".java", ".kt")
_BY_DIRECTORY, _LIKE_ITS_PLACE = (".go", ".c", ".cc", ".cpp"), 46
_PACKAGE = re.compile(r"(?:(?:src|lib|python)/)?([a-z]\w*)/__init__\.py")


def entry_points(codebase: Codebase, graph: Graph | None = None) -> list[tuple[str, Entry]]:
    """What starts something or answers to somebody, what one opens first first; no tests, examples and documents.

    ``graph``: the imports of the codebase, where they are worked out already.
    """
    doors = Doors(projects_of(codebase))
    targets = declared_files(codebase)
    declared = [path for path, entry, _ in targets if entry.kind == "cli" and entry.name != "build"]
    for path, entry, group, weight in source_doors(codebase, declared):
        doors.offer(path, entry, group, weight)
    for path, entry, group, weight in placed_doors(codebase.paths):
        if not SETTINGS.search(path):
            facts = codebase.files.get(path) if group == "script" else None
            weight += min(_LONG_SCRIPT, facts.lines / 25) if facts else 0.0
            weight += _size(codebase, path) / 2 - _MIDDLING if group in ("browser", "program", "table") else 0.0
            doors.offer(path, entry, group, weight)
    _declared(codebase, doors, targets)
    _mentioned(codebase, doors)
    _onward(codebase, doors, graph)
    _libraries(codebase, doors)
    _heads_of_directories(codebase, doors)
    _named_parts(codebase, doors)
    return [(door.path, door.entry) for door in doors.ranked(_MOST)]


def _size(codebase: Codebase, path: str) -> float:
    facts = codebase.files.get(path)
    return size_bonus(facts) if facts is not None else 0.0


def _declared(codebase: Codebase, doors: Doors, targets: list[tuple[str, Entry, str]]) -> None:
    asked = _asked_for(codebase)
    for path, entry, manifest in targets:
        if entry.kind == "library":
            used = asked.get(manifest, 0)
            is_desktop = any(one.name == "electron" for one in codebase.files[manifest].dependencies)
            if is_desktop:
                doors.offer(path, Entry("main", "desktop", 1), "program", _DESKTOP)
            elif "dist" not in path.split("/"):
                doors.offer(path, entry, "library", _LIBRARY + min(_ASKED_FOR, 3 * log2(1 + used)))
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
        weight = _INPUT - _MIDDLING + _size(codebase, path) / 2
        doors.offer(path, Entry("main", f"input of {source.rpartition('/')[2]}", 1), "browser", weight)


def _asked_for(codebase: Codebase) -> dict[str, int]:
    """How many files outside of it import each package of a workspace, by its manifest."""
    names = {
        facts.signs["name"]: path
        for path, facts in sorted(codebase.files.items(), reverse=True)
        if path.endswith("package.json") and "name" in facts.signs and place_of(path) == "own"
    }
    if len(names) < 2:
        return {}
    found: Counter[str] = Counter()
    for path, facts in codebase.files.items():
        asked = {_package(imported.target) for imported in facts.imports} & names.keys()
        found.update(names[name] for name in asked if not path.startswith(names[name].removesuffix("package.json")))
    return dict(found)


def _package(target: str) -> str:
    """The package that an import names: ``@team/core/deep`` is of ``@team/core``."""
    return "/".join(target.split("/", 2)[: 2 if target.startswith("@") else 1])


def _mentioned(codebase: Codebase, doors: Doors) -> None:
    """What a Dockerfile, a Procfile or a supervisor starts is a door, whatever it looks like."""
    said = mentions(codebase)
    paths = frozenset(codebase.paths)
    for path, source in said.files.items():
        if is_pipeline(source) or (path not in doors and is_stub(path, paths)):
            continue
        doors.lift(path, _MENTIONED_LIFT)
        if _language(codebase, path) in CODE or "." not in path.rpartition("/")[2]:
            doors.offer(path, Entry("cli", path.rpartition("/")[2], 1), "script", _MENTIONED)
    for door in doors.of("command"):
        if door.entry.name in said.commands:
            doors.lift(door.path, _COMMAND_LIFT)


def _language(codebase: Codebase, path: str) -> str | None:
    facts = codebase.files.get(path)
    return facts.language if facts is not None else language_of(path)


def _onward(codebase: Codebase, doors: Doors, graph: Graph | None) -> None:
    programs = [door.path for door in doors.of("program", "console")]
    consoles = frozenset(door.path for door in doors.of("console"))
    for path, name, telling in onward(codebase, programs, consoles, graph):
        said = f"the program goes on with {name}" if name else "the program goes on here"
        doors.offer(path, Entry("main", said, 1), "onward", _ONWARD + 16 * telling + _size(codebase, path) / 2)


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


def _last_word(stem: str) -> str:
    """The last of the words that a name in capitals is made of: ``CoreAppHost`` is a host."""
    found = re.search(r"[A-Z][a-z]{1,30}$", stem)
    return found.group() if found is not None else stem


def _is_called_like(stem: str, directory: str) -> bool:
    """Whether a file speaks for its directory: ``model/model.go``, ``http/ngx_http.c``."""
    return len(directory) > 2 and (stem == directory or stem.endswith(f"_{directory}"))


def _heads_of_directories(codebase: Codebase, doors: Doors) -> None:
    for path, facts in codebase.files.items():
        if path.endswith(_BY_DIRECTORY) and facts.lines >= _LARGE and place_of(path) == "own":
            directory, _, file = path.rpartition("/")
            stem = file.partition(".")[0]
            if _is_called_like(stem, directory.rpartition("/")[2]):
                said = f"the {stem} of the program"
                doors.offer(path, Entry("main", said, 1), "onward", _LIKE_ITS_PLACE + size_bonus(facts))


def _named_parts(codebase: Codebase, doors: Doors) -> None:
    """What is called like the project itself, and the parts beside its program that are called for what they do."""
    own = re.sub(r"[^a-z0-9]", "", codebase.name.lower())
    beside = {door.path.rpartition("/")[0] for door in doors.of("program") if door.path.endswith(_COMPILED)}
    beside |= {door.path.rpartition("/")[0] for door in doors.of("library")[:3] if door.path.endswith(_ROOTS)}
    beside |= {""} if "go.mod" in codebase.files else set()
    beside |= {door.path.rpartition("/")[0] for door in doors.of("program")[:2] if door.path.endswith(_OF_CLASSES)}
    parts: dict[tuple[str, str], tuple[int, str, float]] = {}
    sources: list[tuple[int, str, float]] = []
    for path in codebase.paths:
        directory, _, file = path.rpartition("/")
        stem, _, ending = file.partition(".")
        if place_of(path) != "own" or ending not in _PART_ENDINGS:
            continue
        facts = codebase.files.get(path) if directory in beside else None
        if facts is not None and facts.lines >= _LARGE and path.endswith(_COMPILED):
            sources.append((-facts.lines, path, size_bonus(facts)))
        is_its_name = bool(own) and stem.lower().replace("-", "").replace("_", "") == own
        if (
            is_its_name
            and steps_to(path) <= 1
            and directory.rpartition("/")[2] not in ("config", "configs", "settings", "dist")
        ):
            doors.lift(path, _ITS_NAME)
            doors.offer(path, Entry("library", stem, 1), "library", _CALLED_LIKE_IT + _size(codebase, path))
        elif directory in beside and _ROLE.fullmatch(
            _last_word(stem) if path.endswith(_OF_CLASSES) else stem.strip("_")
        ):
            # Of a grammar, a source and its header the one that a person writes first.
            rank = _PART_ENDINGS.index(ending)
            if rank <= parts.get((directory, stem), (99, "", 0.0))[0]:
                parts[directory, stem] = (rank, path, _size(codebase, path))
    largest = [(path, size) for _, path, size in sorted(sources)]
    for path, size in largest[:_MOST_LARGEST]:
        doors.offer(path, Entry("main", "a main part of the program", 1), "onward", _LARGEST_WEIGHT + size)
    for (_, stem), (_, path, size) in sorted(parts.items()):
        weight = _ROLE_WEIGHT + size - (_HEADER if path.endswith((".h", ".hpp")) else 0)
        doors.offer(path, Entry("main", f"the {stem.strip('_')} of the program", 1), "onward", weight)
