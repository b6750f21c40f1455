"""Where a newcomer starts: programs, servers, tables of routes, browser code, scripts, each by its source file."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

from loremark.memory.codebase.graph.graph import Graph
from loremark.memory.codebase.graph.places import all_above, directory_of
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import Codebase, Entry
from loremark.memory.codebase.study.door_parts import heads_of_directories, named_parts
from loremark.memory.codebase.study.door_places import is_stub, placed_doors, process_doors
from loremark.memory.codebase.study.door_roles import main_parts, own_scripts, public_parts, role_doors
from loremark.memory.codebase.study.door_settings import settings_doors
from loremark.memory.codebase.study.door_sources import SETTINGS, size_of, source_doors
from loremark.memory.codebase.study.door_wiring import SERVER_PART, facades, namesakes, put_aside, wiring_doors
from loremark.memory.codebase.study.doors import Doors, Group, projects_of
from loremark.memory.codebase.study.mentions import is_pipeline, mentions
from loremark.memory.codebase.study.onward import onward
from loremark.memory.codebase.study.placing import CODE, place_of
from loremark.memory.codebase.study.targets import declared_files, inputs_of_bundlers

_MOST = 80
_DECLARED, _STARTED, _INPUT, _LIBRARY, _BUILD = 104, 98, 80, 68, 60
_DESKTOP, _ASKED_FOR, _CALLED_LIKE_IT = 84, 14, 16
_MENTIONED, _MENTIONED_LIFT, _COMMAND_LIFT = 76, 14, 16
_ONWARD, _LONG_SCRIPT = 52, 5.0
_SERVERS_ONWARD = 4
_OF_TOOLS = 14.0
_TOOLS = re.compile(
    r"(?:^|/)(?:[\w-]*(?:eslint|tsconfig|prettier|stylelint|babel|vite-plugin|jest)[\w-]*|types|typings|utils?|constants)/package\.json$|"
    r"(?:^|/)(?:configs?|tooling)/"
)
_GATEWAYS = ("/wsgi.py", "/asgi.py")
_LIFT = 4.0
_BUILDERS_OF_LIBRARIES = ("tsdown.", "tsup.", "unbuild.", "build.config.", "rollup.")
_OF_THE_WEB = 6
_FIRST_PACK = re.compile(
    r"/(?:packs|entry-?points?)/(?:[\w-]+/)?(?:application|main|index|app|base|core|common|admin|public)\.[jt]sx?$"
)
_ASIDE = 8.0
_SIDE_ROOMS = re.compile(
    r"(?:utils?|tools|perf|hack|scripts|misc|dev|contrib|benchmarks|releases?|build-?tools|release-?builder)/|"
    r"[^/]{0,60}(?:examples?|samples?)/",
    re.IGNORECASE,
)
_ALONE = 24
_SMALL = 9.0
_MIDDLING = 3.0
"""Half of what a file of middling size is worth more than an empty one."""
_SCRIPTED = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "astro"))
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
            doors.offer(path, entry, group, weight + _at_its_place(codebase, path, group))
    _declared(codebase, doors, targets)
    _mentioned(codebase, doors)
    _namesakes(codebase, doors)
    _onward(codebase, doors, graph)
    _libraries(codebase, doors)
    facades(codebase, doors)
    heads_of_directories(codebase, doors)
    named_parts(codebase, doors)
    is_web = len(doors.of("table", "controller")) >= _OF_THE_WEB
    for path, entry, group, weight in (
        *process_doors(codebase.paths), *settings_doors(codebase), *role_doors(codebase), *public_parts(codebase),
        *main_parts(codebase, is_web), *wiring_doors(codebase), *own_scripts(codebase),
    ):  # fmt: skip
        doors.offer(path, entry, group, weight)
    _roots_first(codebase, doors)
    put_aside(doors)
    namesakes(doors)
    return [(door.path, door.entry) for door in doors.ranked(_MOST)]


def _at_its_place(codebase: Codebase, path: str, group: Group) -> float:
    """What a file is worth beyond its place: by its size, its name among its neighbours, the room it lies in."""
    match group:
        case "script":
            facts = codebase.files.get(path)
            return min(_LONG_SCRIPT, facts.lines / 25) if facts else 0.0
        case "library":
            return size_of(codebase, path) - _SMALL if path.endswith(".go") else 0.0
        case "table":
            return size_of(codebase, path) / 2 - _MIDDLING
        case "browser":
            return size_of(codebase, path) / 2 - _MIDDLING + (_LIFT if _FIRST_PACK.search(path) else 0.0)
        case "program":
            return size_of(codebase, path) / 2 - _MIDDLING - (_ASIDE if _SIDE_ROOMS.match(path) else 0.0)
        case _:
            return 0.0


def _is_empty(codebase: Codebase, path: str) -> bool:
    """Whether a file was read and only marks its directory."""
    facts = codebase.files.get(path)
    return facts is not None and not facts.symbols and not facts.imports


def _declared(codebase: Codebase, doors: Doors, targets: list[tuple[str, Entry, str]]) -> None:
    asked = _asked_for(codebase)
    for path, entry, manifest in targets:
        if entry.kind == "library":
            used = asked.get(manifest, 0)
            is_desktop = any(one.name == "electron" for one in codebase.files[manifest].dependencies)
            if is_desktop:
                doors.offer(path, Entry("main", "desktop", 1), "program", _DESKTOP)
            elif "dist" not in path.split("/"):
                cost = _OF_TOOLS if _TOOLS.search(manifest) else 0.0
                doors.offer(path, entry, "library", _LIBRARY + min(_ASKED_FOR, 3 * log2(1 + used)) - cost)
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
        weight = _INPUT - _MIDDLING + size_of(codebase, path) / 2
        said = Entry("main", f"input of {source.rpartition('/')[2]}", 1)
        if source.rpartition("/")[2].startswith(_BUILDERS_OF_LIBRARIES):
            doors.offer(path, said, "server" if SERVER_PART.search(path) else "library", _LIBRARY)
        else:
            group = doors.group(path)
            doors.offer(path, said, group if group in ("program", "server") else "browser", weight)


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
        if facts.language not in _SCRIPTED:
            continue
        asked = {_package(one.target) for one in facts.imports if not one.target.startswith(".")} & names.keys()
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


def _namesakes(codebase: Codebase, doors: Doors) -> None:
    """A script or program that is called like the project is the project's own."""
    own = codebase.name.lower()
    for door in doors.of("script", "options", "command"):
        if door.path.rpartition("/")[2].partition(".")[0].lower() == own:
            doors.lift(door.path, _CALLED_LIKE_IT)


def _language(codebase: Codebase, path: str) -> str | None:
    facts = codebase.files.get(path)
    return facts.language if facts is not None else language_of(path)


def _onward(codebase: Codebase, doors: Doors, graph: Graph | None) -> None:
    programs = [door.path for door in doors.of("program", "console")]
    programs += [door.path for door in doors.of("server")[:_SERVERS_ONWARD]]
    consoles = frozenset(door.path for door in doors.of("console"))
    for path, name, telling in onward(codebase, programs, consoles, graph):
        said = f"the program goes on with {name}" if name else "the program goes on here"
        if path.endswith("config/boot.rb"):
            # Every application in Rails has it, and it only loads gems.
            continue
        doors.lift(path, _LIFT)
        doors.offer(path, Entry("main", said, 1), "onward", _ONWARD + 16 * telling + size_of(codebase, path) / 2)


def _libraries(codebase: Codebase, doors: Doors) -> None:
    """A codebase without a program is a library: then its root is the first thing to open."""
    starts = bool(doors.of("program", "console", "server"))
    for path in codebase.paths:
        found = _PACKAGE.fullmatch(path) if path.endswith("/__init__.py") else None
        if found is not None and place_of(path) == "own" and not (starts and _is_empty(codebase, path)):
            is_its_name = found.group(1).replace("_", "") == codebase.name.lower().replace("-", "").replace("_", "")
            doors.offer(path, Entry("library", "package", 1), "library", 58 if is_its_name else 40)
    if not starts:
        for door in doors.of("library"):
            doors.lift(door.path, _ALONE)


def _roots_first(codebase: Codebase, doors: Doors) -> None:
    """Where every app of a project has such a file, the one of the project itself brings the others together."""
    roots = {directory_of(path) for path in codebase.paths if path.endswith(_GATEWAYS)}
    if not roots:
        return
    for door in doors.of("schema", "job", "plugin", "settings"):
        if not roots.isdisjoint(all_above((door.path,), "/")):
            doors.lift(door.path, _LIFT)
