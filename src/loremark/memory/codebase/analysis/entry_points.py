"""Lists the entry points of a codebase: programs, servers, route tables, browser code, scripts."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

from loremark.memory.codebase.analysis.entry_candidates import EntryCandidates, Group, projects_of
from loremark.memory.codebase.analysis.entry_parts import add_directory_heads, add_named_parts
from loremark.memory.codebase.analysis.entry_paths import is_stub, path_entries, process_entries
from loremark.memory.codebase.analysis.entry_roles import main_parts, own_scripts, public_parts, role_entries
from loremark.memory.codebase.analysis.entry_settings import settings_entries
from loremark.memory.codebase.analysis.entry_sources import SETTINGS, size_of, source_entries
from loremark.memory.codebase.analysis.entry_wiring import (
    SERVER_PART,
    add_facade_crates,
    add_matching_controllers,
    demote_build_programs,
    wiring_entries,
)
from loremark.memory.codebase.analysis.launch_references import is_pipeline, launch_references
from loremark.memory.codebase.analysis.path_roles import CODE, path_role
from loremark.memory.codebase.analysis.program_flow import follow_programs
from loremark.memory.codebase.analysis.program_targets import bundler_inputs, declared_files
from loremark.memory.codebase.graph.import_graph import ImportGraph
from loremark.memory.codebase.graph.path_index import all_above, directory_of
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import Codebase, Entry

_MAX = 80
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
"""Half of the size bonus of an average file."""
_SCRIPTED = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "astro"))
_PACKAGE = re.compile(r"(?:(?:src|lib|python)/)?([a-z]\w*)/__init__\.py")


def entry_points(codebase: Codebase, graph: ImportGraph | None = None) -> list[tuple[str, Entry]]:
    """The entry points in reading order, without tests, examples and documents.

    ``graph``: the imports of the codebase, if they are already known.
    """
    candidates = EntryCandidates(projects_of(codebase))
    targets = declared_files(codebase)
    declared = [path for path, entry, _ in targets if entry.kind == "cli" and entry.name != "build"]
    for path, entry, group, weight in source_entries(codebase, declared):
        candidates.add(path, entry, group, weight)
    for path, entry, group, weight in path_entries(codebase.paths):
        if not SETTINGS.search(path):
            candidates.add(path, entry, group, weight + _at_its_place(codebase, path, group))
    _declared(codebase, candidates, targets)
    _mentioned(codebase, candidates)
    _namesakes(codebase, candidates)
    _onward(codebase, candidates, graph)
    _libraries(codebase, candidates)
    add_facade_crates(codebase, candidates)
    add_directory_heads(codebase, candidates)
    add_named_parts(codebase, candidates)
    is_web = len(candidates.in_groups("table", "controller")) >= _OF_THE_WEB
    for path, entry, group, weight in (
        *process_entries(codebase.paths), *settings_entries(codebase), *role_entries(codebase), *public_parts(codebase),
        *main_parts(codebase, is_web), *wiring_entries(codebase), *own_scripts(codebase),
    ):  # fmt: skip
        candidates.add(path, entry, group, weight)
    _roots_first(codebase, candidates)
    demote_build_programs(candidates)
    add_matching_controllers(candidates)
    return [(candidate.path, candidate.entry) for candidate in candidates.ranked(_MAX)]


def _at_its_place(codebase: Codebase, path: str, group: Group) -> float:
    """The weight adjustment of a file for its size, name and directory."""
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


def _declared(codebase: Codebase, candidates: EntryCandidates, targets: list[tuple[str, Entry, str]]) -> None:
    asked = _asked_for(codebase)
    for path, entry, manifest in targets:
        if entry.kind == "library":
            used = asked.get(manifest, 0)
            is_desktop = any(one.name == "electron" for one in codebase.files[manifest].dependencies)
            if is_desktop:
                candidates.add(path, Entry("main", "desktop", 1), "program", _DESKTOP)
            elif "dist" not in path.split("/"):
                cost = _OF_TOOLS if _TOOLS.search(manifest) else 0.0
                candidates.add(path, entry, "library", _LIBRARY + min(_ASKED_FOR, 3 * log2(1 + used)) - cost)
        elif entry.name == "build":
            candidates.add(path, Entry("cli", "build script", 1), "build", _BUILD)
        else:
            candidates.add(
                path,
                entry,
                "console" if entry.kind == "cli" else "server",
                _DECLARED if entry.kind == "cli" else _STARTED,
            )
    for path, source in bundler_inputs(codebase):
        weight = _INPUT - _MIDDLING + size_of(codebase, path) / 2
        said = Entry("main", f"input of {source.rpartition('/')[2]}", 1)
        if source.rpartition("/")[2].startswith(_BUILDERS_OF_LIBRARIES):
            candidates.add(path, said, "server" if SERVER_PART.search(path) else "library", _LIBRARY)
        else:
            group = candidates.group(path)
            candidates.add(path, said, group if group in ("program", "server") else "browser", weight)


def _asked_for(codebase: Codebase) -> dict[str, int]:
    """For each manifest in a workspace, how many files outside its package import it."""
    names = {
        facts.signs["name"]: path
        for path, facts in sorted(codebase.files.items(), reverse=True)
        if path.endswith("package.json") and "name" in facts.signs and path_role(path) == "own"
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
    """The package of an import: ``@team/core/deep`` belongs to ``@team/core``."""
    return "/".join(target.split("/", 2)[: 2 if target.startswith("@") else 1])


def _mentioned(codebase: Codebase, candidates: EntryCandidates) -> None:
    """Adds or raises what a Dockerfile, a Procfile or a supervisor starts."""
    said = launch_references(codebase)
    paths = frozenset(codebase.paths)
    for path, source in said.files.items():
        if is_pipeline(source) or (path not in candidates and is_stub(path, paths)):
            continue
        candidates.raise_weight(path, _MENTIONED_LIFT)
        if _language(codebase, path) in CODE or "." not in path.rpartition("/")[2]:
            candidates.add(path, Entry("cli", path.rpartition("/")[2], 1), "script", _MENTIONED)
    for candidate in candidates.in_groups("command"):
        if candidate.entry.name in said.commands:
            candidates.raise_weight(candidate.path, _COMMAND_LIFT)


def _namesakes(codebase: Codebase, candidates: EntryCandidates) -> None:
    """Raises scripts and programs that are named after the project."""
    own = codebase.name.lower()
    for candidate in candidates.in_groups("script", "options", "command"):
        if candidate.path.rpartition("/")[2].partition(".")[0].lower() == own:
            candidates.raise_weight(candidate.path, _CALLED_LIKE_IT)


def _language(codebase: Codebase, path: str) -> str | None:
    facts = codebase.files.get(path)
    return facts.language if facts is not None else language_of(path)


def _onward(codebase: Codebase, candidates: EntryCandidates, graph: ImportGraph | None) -> None:
    programs = [candidate.path for candidate in candidates.in_groups("program", "console")]
    programs += [candidate.path for candidate in candidates.in_groups("server")[:_SERVERS_ONWARD]]
    consoles = frozenset(candidate.path for candidate in candidates.in_groups("console"))
    for path, name, telling in follow_programs(codebase, programs, consoles, graph):
        said = f"called by the program as {name}" if name else "called by the program"
        if path.endswith("config/boot.rb"):
            # Every Rails application has it, and it only loads gems.
            continue
        candidates.raise_weight(path, _LIFT)
        candidates.add(path, Entry("main", said, 1), "onward", _ONWARD + 16 * telling + size_of(codebase, path) / 2)


def _libraries(codebase: Codebase, candidates: EntryCandidates) -> None:
    """Adds package roots, and raises library roots if the codebase has no program."""
    starts = bool(candidates.in_groups("program", "console", "server"))
    for path in codebase.paths:
        found = _PACKAGE.fullmatch(path) if path.endswith("/__init__.py") else None
        if found is not None and path_role(path) == "own" and not (starts and _is_empty(codebase, path)):
            is_its_name = found.group(1).replace("_", "") == codebase.name.lower().replace("-", "").replace("_", "")
            candidates.add(path, Entry("library", "package", 1), "library", 58 if is_its_name else 40)
    if not starts:
        for candidate in candidates.in_groups("library"):
            candidates.raise_weight(candidate.path, _ALONE)


def _roots_first(codebase: Codebase, candidates: EntryCandidates) -> None:
    """If every app of a project has such a file, raises the project's own, which combines the others."""
    roots = {directory_of(path) for path in codebase.paths if path.endswith(_GATEWAYS)}
    if not roots:
        return
    for candidate in candidates.in_groups("schema", "job", "plugin", "settings"):
        if not roots.isdisjoint(all_above((candidate.path,), "/")):
            candidates.raise_weight(candidate.path, _LIFT)
